#pragma once

#include "roofline/analysis/profile_findings.hpp"

namespace roofline {

/// Puts what the counters of a kernel say beside its time. `ceilings` may be nullptr.
void add_counters(KernelFinding& finding, const Ceilings* ceilings);

}  // namespace roofline
