#include <algorithm>
#include <array>

#include "roofline/report/report.hpp"

namespace roofline {
namespace {

/// Runs one file on one GPU, point by point, with the memory of the first point reused for the rest.
class Run {
 public:
  Run(const KernelFile& file, const Ceilings& ceilings, const AnalyzeOptions& options, ReportWriter& writer)
      : file_(file), ceilings_(ceilings), options_(options), writer_(writer) {
    const Count all = file.points() * Count(static_cast<long long>(file.kernel_count()));
    with_margins_ = options.remarks && all <= options.margin_points;
  }

  Errors point(Count index) {
    auto errors = file_.evaluate(index, workload_);
    if (!errors.empty()) return errors;
    for (auto& kernel : workload_.kernels)
      if (kernel.timing == Timing::unknown && options_.timing) kernel.timing = *options_.timing;
    verdicts_.clear();
    for (const auto& kernel : workload_.kernels) {
      auto verdict = judge(kernel, ceilings_);
      if (verdict) verdicts_.push_back(std::move(*verdict));
      else errors.push_back(std::move(verdict.error()));
    }
    if (!errors.empty()) return errors;
    for (std::size_t i = 0; i < verdicts_.size(); ++i) write_kernel(index, i);
    writer_.point(summary());
    return {};
  }

 private:
  void write_kernel(Count index, std::size_t i) {
    const auto& kernel = workload_.kernels[i];
    report_.kernel = &kernel;
    report_.point = workload_.point;
    report_.verdict = verdicts_[i];
    if (options_.remarks) {
      report_.levers = levers(kernel, report_.verdict, ceilings_);
      report_.notes = notes(kernel, report_.verdict, ceilings_);
    }
    if (with_margins_) report_.margin = margin_of(file_, index, i, kernel, report_.verdict, ceilings_);
    const auto product = kernel.tile ? product_of(kernel) : std::nullopt;
    report_.tile.reset();
    if (product) report_.tile = tile_model(*product, *kernel.tile, ceilings_.gpu());
    writer_.kernel(report_);
  }

  PointReport summary() {
    PointReport report{.point = workload_.point};
    std::array<Seconds, 5> by_bound{};
    bool all_timed = !workload_.kernels.empty();
    Seconds time;
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      const auto& kernel = workload_.kernels[i];
      const auto& verdict = verdicts_[i];
      const double copies = kernel.repeat.to_double();
      auto& totals = report.totals;
      ++totals.kernels;
      totals.launches += kernel.repeat;
      totals.flops += verdict.flops * kernel.repeat;
      totals.bytes += verdict.bytes() * kernel.repeat;
      totals.time_floor += copies * verdict.floor.time;
      by_bound[static_cast<std::size_t>(verdict.bound)] += copies * std::max(verdict.floor.time, verdict.launch_floor);
      all_timed = all_timed && kernel.time;
      if (kernel.time) time += copies * *kernel.time;
    }
    if (all_timed) report.totals.time = time;
    report.bound = static_cast<Bound>(std::max_element(by_bound.begin(), by_bound.end()) - by_bound.begin());
    if (auto steps = steps_of(workload_.kernels, verdicts_, options_.launch_cost)) {
      report.sequence = run_sequence(*steps);
      if (report.sequence->launch_bound) report.bound = Bound::overhead;
    }
    return report;
  }

  const KernelFile& file_;
  const Ceilings& ceilings_;
  const AnalyzeOptions& options_;
  ReportWriter& writer_;
  Workload workload_;
  std::vector<Verdict> verdicts_;
  KernelReport report_;  // reused as well
  bool with_margins_ = false;
};

}  // namespace

Errors analyze(const KernelFile& file, std::span<const Gpu> gpus, const AnalyzeOptions& options, ReportWriter& writer,
               const std::function<bool()>& go_on) {
  writer.begin();
  for (std::size_t index = 0; index < gpus.size(); ++index) {
    const auto& gpu = gpus[index];
    const Ceilings ceilings(gpu, options.ceilings);
    Run run(file, ceilings, options, writer);
    writer.begin_gpu({.ceilings = &ceilings,
                      .source_file = file.file(),
                      .swept = file.swept(),
                      .points = file.points(),
                      .kernels_per_point = file.kernel_count(),
                      .launch_cost = options.launch_cost,
                      .gpu_index = index,
                      .gpu_count = gpus.size()});
    for (Count point = 0; point < file.points(); point += 1) {
      if (auto errors = run.point(point); !errors.empty()) return errors;
      if (go_on && !go_on()) return {};
    }
    writer.end_gpu();
  }
  writer.end();
  return {};
}

}  // namespace roofline
