#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/ingest/mapping.hpp"

namespace roofline::mapping {

using Sizes = std::vector<std::uint64_t>;

/// One entry of a kernel description (docs/kernels.md), built up and then read by the same reader
/// as a user's file.
class Description {
 public:
  explicit Description(std::string_view op) : op_(op) {}
  Description& count(std::string_view key, std::uint64_t value);
  Description& sizes(std::string_view key, const Sizes& values);
  Description& size_lists(std::string_view key, const std::vector<Sizes>& lists);
  Description& word(std::string_view key, std::string_view value);
  Description& flag(std::string_view key, bool value);
  Description& text(std::string_view key, std::string json);  ///< a value as it stands in JSON
  Description& dtype(std::string_view operand, std::string_view name);
  Description& dtypes(std::string_view operand, const std::vector<std::string_view>& names);

  /// The entry as a kernel. nullopt: its values contradict one another.
  std::optional<Kernel> kernel() const;

 private:
  std::string op_;
  std::vector<std::pair<std::string, std::string>> fields_, dtypes_;
};

/// What a mapping of one operator gives: an entry, or a reason of `unmapped`.
using Mapped = tl::expected<Description, std::string_view>;
inline tl::unexpected<std::string_view> no(std::string_view reason) {
  return tl::unexpected<std::string_view>(reason);
}

}  // namespace roofline::mapping
