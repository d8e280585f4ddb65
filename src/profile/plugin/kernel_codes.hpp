#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "roofline/kernel/capture.hpp"

namespace roofline::profile::plugin {

/// What the machine code of the loaded modules says of their kernels. Modules may hold thousands,
/// of which a program launches a few, so names are kept as hashes.
class KernelCodes {
 public:
  /// Reads a module that was loaded. Short: one pass over its instructions. For any thread. Returns
  /// the number of kernels that there was no room for.
  std::size_t add_module(std::string_view cubin);

  /// The code of a kernel by its mangled name, without the name's id. Absent: no module had it.
  std::optional<capture::Code> find(std::string_view name) const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, capture::Code> by_name_;
};

}  // namespace roofline::profile::plugin
