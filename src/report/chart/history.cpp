#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/chart/numbering.hpp"
#include "roofline/analysis/history.hpp"
#include "roofline/report/chart.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostRuns = 200;  // more points than a sparkline has pixels

struct Series {
  std::vector<double> times_s;
  std::string first, last;  ///< of its runs
};
/// By the kernel's label, then by the machine: times of two machines are not one series.
using SeriesByLabel = std::map<std::string, std::map<std::string, Series>, std::less<>>;

/// "2026-11-30" of "2026-11-30T18:48:12Z".
std::string day_of(const std::string& time) { return chart_name(time.substr(0, 10)); }

void append(Series& series, const HistoryRun& run, double time_s) {
  if (series.times_s.empty()) series.first = day_of(run.time);
  series.times_s.push_back(time_s);
  series.last = run.time;
}

/// The series of the machine that ran last.
ChartHistory history_of(const std::map<std::string, Series>& machines) {
  const auto newest =
      std::max_element(machines.begin(), machines.end(),
                       [](const auto& a, const auto& b) { return a.second.last < b.second.last; });
  const auto& series = newest->second;
  ChartHistory history{
      .machine = newest->first, .first = series.first, .last = day_of(series.last)};
  const auto from = series.times_s.size() - std::min(series.times_s.size(), kMostRuns);
  history.earlier = from;
  history.times_s.assign(series.times_s.begin() + static_cast<std::ptrdiff_t>(from),
                         series.times_s.end());
  for (const auto& step : history_steps(history.times_s)) history.steps.push_back(step.at);
  return history;
}

}  // namespace

Checked<void> set_history(Chart& chart, std::span<const std::string> files) {
  if (chart.swept) {
    chart.warnings.emplace_back("a history is of kernels that ran, not of the points of a sweep");
    return {};
  }
  SeriesByLabel wanted;
  for (const auto& kernel : chart.kernels) {
    wanted[kernel.label];
    if (!kernel.gate_id.empty()) wanted[kernel.gate_id];
  }
  for (const auto& file : files) {
    const auto run = read_history_file(
        file, [&](const HistoryRun& of, std::string_view id, double time_s, std::string_view) {
          if (of.machine.gpu != chart.gpu_id) return;
          const auto found = wanted.find(id);
          if (found != wanted.end()) append(found->second[describe(of.machine)], of, time_s);
        });
    if (!run) return tl::unexpected(run.error());
  }
  std::size_t known = 0;
  for (auto& kernel : chart.kernels) {
    const auto* machines = &wanted[kernel.gate_id.empty() ? kernel.label : kernel.gate_id];
    if (machines->empty()) machines = &wanted[kernel.label];
    if (machines->empty()) continue;
    kernel.history = history_of(*machines);
    ++known;
  }
  if (known == 0)
    chart.warnings.push_back(
        fmt::format("the history holds no run of these kernels on {}",
                    chart.gpu_id.empty() ? std::string("this GPU") : chart.gpu_id));
  return {};
}

}  // namespace roofline
