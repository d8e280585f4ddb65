#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/kernel_file.hpp"

namespace roofline {

/// Where a verdict changes as one variable moves.
struct Flip {
  std::string variable;
  Count from, to;        ///< neighbouring integers: the classical side is `before` at `from` and `after` at `to`
  Side before, after;
};

/// How far a kernel is from the other side of the ridge.
struct Margin {
  double intensity_over_ridge = 0;
  std::vector<Flip> flips;  ///< per free variable, the flip nearest to its present value; none: it never flips
};

/// The side of the ridge at a value of a variable; nullopt where the kernel cannot be evaluated there.
using SideAt = std::function<std::optional<Side>(Count)>;

/// The neighbouring integers nearest to `start` at which `side_at` changes, searched outwards by doubling and then by
/// bisection between 1 and 2^40. Where the side is not monotonic this is the nearest change that the doubling meets.
std::optional<Flip> nearest_flip(const std::string& variable, Count start, const SideAt& side_at);

/// Margin of kernel `index` of `file` at `point`. Free variables are the `params:` that it depends on; where it uses
/// none, the op's own required sizes.
std::optional<Margin> margin_of(const KernelFile& file, Count point, std::size_t index, const Kernel& kernel,
                                const Verdict& verdict, const Ceilings& ceilings);

}  // namespace roofline
