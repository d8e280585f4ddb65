#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline::audit_rows {

/// The cells of one row by name: columns of their own first, then the pairs of a `params` cell ("m=1;n=2").
class RowFields {
 public:
  explicit RowFields(std::span<const std::string_view> header);

  /// False where the row has another number of cells than the header.
  bool set(std::span<const std::string_view> cells);

  std::size_t columns() const { return names_.size(); }
  const std::string& name(std::size_t column) const { return names_[column]; }  ///< lower case
  /// Column of a name; -1 where there is none.
  int column(std::string_view name) const;
  std::string_view cell(int column) const { return column < 0 ? std::string_view() : cells_[static_cast<std::size_t>(column)]; }
  /// The pairs of the `params` cell of this row.
  std::span<const std::pair<std::string_view, std::string_view>> pairs() const { return pairs_; }

  /// Text of a cell that is not empty, by any of its names.
  std::optional<std::string_view> find(std::string_view name) const;

 private:
  void split_params(std::string_view text);

  std::vector<std::string> names_;
  std::vector<std::string_view> cells_;
  std::vector<std::pair<std::string_view, std::string_view>> pairs_;
  int params_ = -1;
};

/// "a=1;b=[2,3]" into pairs; what has no "=" is a name with an empty value.
void split_pairs(std::string_view text, std::vector<std::pair<std::string_view, std::string_view>>& pairs);

}  // namespace roofline::audit_rows
