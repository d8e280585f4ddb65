#pragma once

#include <vector>

#include "roofline/analysis/verdict.hpp"

namespace roofline {

/// Why a time can lie below its floor, or have none: each cause has a test on what is known; those that fit come first,
/// in the order of docs/model.md, then those that always may be. `verdict.measured` must be set.
std::vector<Remark> causes_of_impossible(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings);

/// The DRAM floor at the bandwidth that another document states for the same card; 0 where none does.
Seconds disputed_floor(const Verdict& verdict, const Gpu& gpu);

}  // namespace roofline
