#pragma once

#include "roofline/report/chart.hpp"

namespace roofline {

/// Puts the kernels in their order, numbers them and sets their shares: after the last of them.
void number_kernels(Chart& chart);

/// Marks the roofs that some kernel meets; where none says which datapath it uses, the best known
/// ones.
void mark_used_roofs(Chart& chart);

/// The roofs of a GPU of the table.
std::vector<ChartRoof> roofs_of(const Ceilings& ceilings);

/// Names come from files of any origin: printable, and no longer than a page can show.
std::string chart_name(std::string_view name);

/// What a datapath counts ("tensor:int8": operations); of what is not known FLOPs.
WorkUnit work_unit_of(std::string_view pipe);

/// "BF16 tensor, dense" of a resource; `sparse` and `mma_sync` as the ceiling says.
std::string roof_title(std::string_view resource, bool sparse, bool mma_sync);

/// "calibrated: measured 2026-12-01 on NVIDIA H100 80GB HBM3, driver 580.65.06".
std::string calibration_words(const Calibration& calibration);

/// "BF16 tensor", "BF16 tensor and FP32 vector": datapaths of a kernel, the headline first.
std::string pipes_text(std::string_view headline, const NamedFigures& resource_times);

}  // namespace roofline
