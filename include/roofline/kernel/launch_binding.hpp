#pragma once

#include <optional>
#include <span>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/kernel.hpp"
#include "roofline/kernel/profiled.hpp"

namespace roofline {

/// Which of the kernels that ran an entry of a description stands for.
struct LaunchBinding {
  std::vector<std::optional<std::size_t>> entry_of;  ///< by seen kernel
  std::vector<std::vector<std::size_t>> seen_by;     ///< by entry; empty: nothing matched
};

/// Binds by `match:` of each entry, else by the function that it launches (`launch:`), else by its
/// name, which then is the canonical name of a function. Errors: contradiction, where two entries
/// match one kernel: order never decides; those of a pattern.
Checked<LaunchBinding> bind_launches(std::span<const Kernel> entries,
                                     std::span<const ProfiledKernel> seen);

/// Names of kernels that resemble `name`, for a message.
std::string nearest_kernel(const std::string& name, std::span<const ProfiledKernel> seen);

}  // namespace roofline
