#pragma once

#include <vector>

#include "roofline/analysis/verdict.hpp"

namespace roofline {

/// Why a time can lie below its floor: each cause has a test on what is known; those that fit come first, in the order
/// of docs/model.md, then the rest. `verdict.measured` must be set.
std::vector<Remark> causes_of_impossible(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings);

}  // namespace roofline
