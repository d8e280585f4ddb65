#pragma once

#include <vector>

#include "report/page/page.hpp"
#include "roofline/analysis/trace_fusion.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// What `roofline fuse TRACE` says.
struct TraceFusionReport {
  std::vector<Kernel> works;
  std::vector<FusibleChain> chains;
  std::uint64_t launches = 0;
  Seconds time;  ///< of all kernels
  const Ceilings* ceilings = nullptr;
};

void write_trace_fusion_page(Page& page, const TraceFusionReport& report, bool all);
/// roofline.trace-fusion/1, one document.
void write_trace_fusion_json(const TextSink& sink, const TraceFusionReport& report);

}  // namespace roofline
