#pragma once

#include <memory>

#include "report/page/parts.hpp"

namespace roofline {

/// How the kernels of one file on one GPU (or on several) become a page.
class Layout {
 public:
  virtual ~Layout() = default;
  virtual void begin_gpu(const GpuReport& gpu) = 0;
  virtual void kernel(const KernelReport& report) = 0;
  virtual void point(const PointReport& report) = 0;
  virtual void end_gpu() = 0;
  virtual void end() {}  ///< after the last GPU
};

/// One kernel at one point: every figure, then what follows from it.
std::unique_ptr<Layout> kernel_layout(Page& page, const ReportOptions& options);
/// Several kernels at one point: a row each, then the whole.
std::unique_ptr<Layout> table_layout(Page& page, const ReportOptions& options);
/// Several points: a row for each kernel at each of them, with a mark where what limits it changes.
std::unique_ptr<Layout> sweep_layout(Page& page, const ReportOptions& options);
/// Several GPUs side by side.
std::unique_ptr<Layout> comparison_layout(Page& page, const ReportOptions& options);
/// Verdicts only (-q).
std::unique_ptr<Layout> verdict_layout(Page& page, const ReportOptions& options);

}  // namespace roofline
