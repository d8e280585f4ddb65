#include <fmt/format.h>

#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

class VerdictLayout final : public Layout {
 public:
  explicit VerdictLayout(Page& page) : page_(page) {}

  void begin_gpu(const GpuReport& gpu) override { gpu_ = gpu; }

  void kernel(const KernelReport& report) override {
    auto name = phrases::short_name(*report.kernel);
    if (gpu_.gpu_count > 1) name = gpu_.ceilings->gpu().id + " " + name;
    if (const auto where = phrases::point(report.point); !where.empty()) name += " " + where;
    const auto& floor = report.verdict.floor.time;
    const auto sentence = phrases::verdict(report.verdict);
    auto text = fmt::format("{}: {}", name, sentence.text);
    // The sentences of overhead and of impossible times have the floor in them.
    const bool impossible =
        report.verdict.measured && report.verdict.measured->status == Status::impossible;
    if (report.verdict.bound != Bound::overhead && !impossible)
      text += fmt::format("; floor {}", phrases::seconds(floor));
    page_.remark("verdict", text, sentence.tone, name.size() + 2 + sentence.strong);
  }

  void point(const PointReport& point) override {
    if (!point.sequence || point.sequence->launches <= Count(1)) return;
    const auto& s = *point.sequence;
    if (s.launch_bound) {
      parts::sequence_verdict(page_, s, {printable(gpu_.source_file), {}, true}, false);
      return;
    }
    const auto name = printable(gpu_.source_file);
    page_.remark("verdict",
                 fmt::format("{}: the GPU is busy {} of {}, the wall time of {} launches", name,
                             phrases::percent(s.gpu_busy), phrases::seconds(s.makespan),
                             phrases::grouped(s.launches)),
                 Tone::plain, 0);
  }

  void end_gpu() override {}

 private:
  Page& page_;
  GpuReport gpu_;
};

}  // namespace

std::unique_ptr<Layout> verdict_layout(Page& page, const ReportOptions&) {
  return std::make_unique<VerdictLayout>(page);
}

}  // namespace roofline
