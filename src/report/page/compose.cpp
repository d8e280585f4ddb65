#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

/// Rows that a comparison of GPUs may hold in memory; longer ones become one table per GPU.
constexpr long long kComparedRows = 10'000;

class Composer final : public ReportWriter {
 public:
  Composer(std::unique_ptr<Page> page, const ReportOptions& options)
      : page_(std::move(page)), options_(options) {}

  void begin_gpu(const GpuReport& gpu) override {
    const bool same_file = gpu.gpu_index > 0;
    if (!same_file && options_.gpu_count > gpu.gpu_count) page_->title(printable(gpu.source_file));
    if (!same_file || !compares_) layout_ = make_layout(gpu);
    layout_->begin_gpu(gpu);
    last_ = gpu.gpu_index + 1 == gpu.gpu_count;
  }
  void kernel(const KernelReport& report) override { layout_->kernel(report); }
  void point(const PointReport& report) override { layout_->point(report); }
  void end_gpu() override {
    layout_->end_gpu();
    if (last_ || !compares_) {
      layout_->end();
      layout_.reset();
      page_->gap();
    }
  }

 private:
  std::unique_ptr<Layout> make_layout(const GpuReport& gpu) {
    const Count rows = gpu.points * Count(static_cast<long long>(gpu.kernels_per_point));
    compares_ = gpu.gpu_count > 1 && rows <= Count(kComparedRows);
    if (options_.verbosity < 0) return verdict_layout(*page_, options_);
    if (compares_) return comparison_layout(*page_, options_);
    if (gpu.points > Count(1)) return sweep_layout(*page_, options_);
    return gpu.kernels_per_point == 1 ? kernel_layout(*page_, options_)
                                      : table_layout(*page_, options_);
  }

  std::unique_ptr<Page> page_;
  ReportOptions options_;
  std::unique_ptr<Layout> layout_;
  bool compares_ = false, last_ = true;
};

}  // namespace

std::unique_ptr<ReportWriter> compose(std::unique_ptr<Page> page, const ReportOptions& options) {
  return std::make_unique<Composer>(std::move(page), options);
}

}  // namespace roofline
