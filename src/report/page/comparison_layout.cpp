#include <fmt/format.h>

#include <algorithm>

#include "report/page/layout.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace phrases;

/// What is kept of one kernel at one point on one GPU.
struct Entry {
  double floor = 0, time = 0;
  std::string bound, ridge, peak;
};

struct ComparedGpu {
  std::string id, dram;
  std::vector<Entry> entries;
  double floor = 0;
  VerdictSentence verdict;
  parts::Runs runs;
};

class ComparisonLayout final : public Layout {
 public:
  ComparisonLayout(Page& page, const ReportOptions& options) : page_(page), options_(options) {}

  void begin_gpu(const GpuReport& gpu) override {
    gpu_ = gpu;
    first_ = gpus_.empty();
    gpus_.push_back({.id = printable(gpu.ceilings->gpu().id),
                     .dram = rate(gpu.ceilings->dram()),
                     .entries = {},
                     .floor = 0,
                     .verdict = {},
                     .runs = {}});
    note_ = parts::ceiling_note(*gpu.ceilings, true);
    if (first_)
      for (const auto& name : gpu.swept) swept_.push_back(printable(name));
  }

  void kernel(const KernelReport& report) override {
    if (options_.explain || options_.verbosity > 0) {
      parts::UsedCeilings used;
      used.add(report.verdict);
      parts::gpu_heading(page_, *gpu_.ceilings, used.list());
      parts::kernel_block(page_, report, *gpu_.ceilings, options_);
      parts::kernel_notes(page_, report);
      page_.gap();
    }
    const auto& v = report.verdict;
    auto& gpu = gpus_.back();
    const auto* limiting = v.floor.limiting();
    const auto* compute = v.headline                                            ? &*v.headline
                          : limiting && limiting->ceiling.resource.is_compute() ? &limiting->ceiling
                                                                                : nullptr;
    gpu.entries.push_back(
        {.floor = v.floor.time.value(),
         .time = v.measured ? v.measured->time.value() : 0,
         .bound = bound_cell(v),
         .ridge =
             compute ? format_number(ridge_point(*compute, gpu_.ceilings->dram()).value()) : "",
         .peak = compute ? denominator(*compute) : ""});
    gpu.verdict = verdict(v);
    bound_ = v.bound;
    gpu.floor += v.floor.time.value() * report.kernel->repeat.to_double();
    if (first_) {
      names_.push_back(kernel_name(*report.kernel));
      std::vector<std::string> values;
      for (const auto& [name, value] : report.point) values.push_back(value.to_string());
      points_.push_back(std::move(values));
      if (names_.size() == 1)
        title_ = fmt::format("{}, {}", phrases::shape(*report.kernel), dtypes(*report.kernel));
    }
  }

  void point(const PointReport& point) override {
    // Of a single kernel its own bound counts, which knows its launch; of several the one that
    // holds most of the time.
    auto& gpu = gpus_.back();
    const auto bound = gpu_.kernels_per_point == 1 ? bound_ : point.bound;
    gpu.runs.add(bound, point.point);
    last_bound_ = bound;
  }

  void end_gpu() override {
    auto& gpu = gpus_.back();
    if (gpu.entries.size() == 1) return;
    const auto floors = fmt::format("{}, the sum of the floors", seconds(Seconds(gpu.floor)));
    if (gpu_.points > Count(1))
      gpu.verdict = {gpu.runs.text(swept_), 0, tone_of(gpu.runs.most())};
    else
      gpu.verdict = {fmt::format("{}-bound: {}", bound_name(last_bound_), floors),
                     bound_name(last_bound_).size() + 6, tone_of(last_bound_)};
  }

  void end() override {
    if (gpus_.empty() || gpus_.front().entries.empty()) return;
    if (gpus_.front().entries.size() == 1)
      one_kernel();
    else
      side_by_side();
    page_.gap();
    for (const auto& gpu : gpus_)
      page_.remark("verdict", gpu.id + ": " + gpu.verdict.text, gpu.verdict.tone,
                   gpu.id.size() + 2 + gpu.verdict.strong);
  }

 private:
  std::string relative(double floor) const {
    const double first = gpus_.front().floor;
    return floor > 0 && first > 0 ? times(first / floor) : "";
  }

  void one_kernel() {
    page_.heading(names_.front(), title_);
    page_.sentence(note_);
    page_.gap();
    page_.begin_table({{"GPU", Align::left, 10, 0},
                       {"DRAM", Align::right, 0, 3},
                       {"peak of its pipe", Align::left, 12, 4},
                       {"ridge", Align::right, 0, 2},
                       {"floor", Align::right, 0, 0},
                       {"speed", Align::right, 0, 0},
                       {"bound", Align::left, 0, 0}});
    for (const auto& gpu : gpus_) {
      const auto& e = gpu.entries.front();
      page_.row({gpu.id, gpu.dram, e.peak, e.ridge, seconds(Seconds(e.floor)), relative(gpu.floor),
                 e.bound});
    }
    page_.end_table();
  }

  /// As many GPUs as the line holds, then the next ones below.
  void side_by_side() {
    page_.heading(printable(gpu_.source_file),
                  fmt::format("floor and bound on {} GPUs", gpus_.size()));
    page_.sentence(note_);
    constexpr std::size_t kNames = 24, kGpu = 28;
    const auto at_once =
        std::max<std::size_t>(2, options_.width > kNames ? (options_.width - kNames) / kGpu : 2);
    for (std::size_t from = 0; from < gpus_.size(); from += at_once) {
      page_.gap();
      table(from, std::min(gpus_.size(), from + at_once));
    }
  }

  void table(std::size_t from, std::size_t to) {
    std::vector<Column> columns;
    for (const auto& name : swept_) columns.push_back({name, Align::right, 0, 0});
    columns.push_back({"kernel", Align::left, 12, 0});
    for (std::size_t g = from; g < to; ++g) {
      columns.push_back({gpus_[g].id, Align::right, 9, 0});
      columns.push_back({"bound", Align::left, 0, 0});
    }
    page_.begin_table(std::move(columns));
    for (std::size_t i = 0; i < names_.size(); ++i) {
      auto cells = points_[i];
      cells.push_back(names_[i]);
      for (std::size_t g = from; g < to; ++g) {
        const bool known = i < gpus_[g].entries.size();
        cells.push_back(known ? seconds(Seconds(gpus_[g].entries[i].floor)) : "");
        cells.push_back(known ? gpus_[g].entries[i].bound : "");
      }
      page_.row(std::move(cells));
    }
    page_.rule();
    std::vector<std::string> sums(swept_.size());
    sums.emplace_back("sum of floors");
    for (std::size_t g = from; g < to; ++g) {
      sums.push_back(seconds(Seconds(gpus_[g].floor)));
      sums.push_back(g == 0 ? "1x" : relative(gpus_[g].floor) + " as fast");
    }
    page_.row(std::move(sums));
    page_.end_table();
  }

  Page& page_;
  const ReportOptions& options_;
  GpuReport gpu_;
  bool first_ = false;
  std::string title_, note_;
  std::vector<std::string> swept_, names_;
  std::vector<std::vector<std::string>> points_;
  std::vector<ComparedGpu> gpus_;
  Bound bound_ = Bound::unknown, last_bound_ = Bound::unknown;
};

}  // namespace

std::unique_ptr<Layout> comparison_layout(Page& page, const ReportOptions& options) {
  return std::make_unique<ComparisonLayout>(page, options);
}

}  // namespace roofline
