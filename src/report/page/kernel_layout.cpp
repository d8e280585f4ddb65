#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

class KernelLayout final : public Layout {
 public:
  KernelLayout(Page& page, const ReportOptions& options) : page_(page), options_(options) {}

  void begin_gpu(const GpuReport& gpu) override { gpu_ = gpu; }

  void kernel(const KernelReport& report) override {
    parts::UsedCeilings used;
    used.add(report.verdict);
    parts::gpu_heading(page_, *gpu_.ceilings, used.list());
    page_.gap();
    parts::kernel_block(page_, report, *gpu_.ceilings, options_);
    parts::kernel_notes(page_, report);
    // The verdict waits for the sequence: of a kernel that is launched many times, the launches may
    // be the story.
    report_ = report;
    name_ = phrases::short_name(*report.kernel);
  }

  void point(const PointReport& point) override {
    const bool many = point.sequence && point.sequence->launches > Count(1);
    const parts::SequenceContext context{name_, gpu_.launch_cost, point.totals.time.has_value()};
    if (many) {
      page_.gap();
      parts::sequence_facts(page_, *point.sequence, context);
    }
    const bool launches = many && point.sequence->launch_bound;
    parts::kernel_verdict(page_, report_, many ? "each kernel" : "", !launches);
    if (many) parts::sequence_verdict(page_, *point.sequence, context);
  }

  void end_gpu() override {}

 private:
  Page& page_;
  const ReportOptions& options_;
  GpuReport gpu_;
  KernelReport report_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Layout> kernel_layout(Page& page, const ReportOptions& options) {
  return std::make_unique<KernelLayout>(page, options);
}

}  // namespace roofline
