#pragma once

#include "report/page/page.hpp"
#include "roofline/analysis/profile_findings.hpp"

namespace roofline {

/// What the counters say of a kernel that no description covers, as facts of one launch. `ceilings`
/// may be nullptr. Nothing is said of what it ought to move: that takes a description.
void write_counted(Page& page, const KernelFinding& finding, const Ceilings* ceilings);

/// What a reader of the counters must know: lower bounds, estimates, warm caches.
void write_caveats(Page& page, const KernelFinding& finding);

}  // namespace roofline
