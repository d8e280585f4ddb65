#include "ingest/run_samples.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

/// The value at a share of sorted values, between neighbours by their distance (type 7, as NumPy
/// and R have it).
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

}  // namespace

RunTimes run_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  constexpr double kQuarter = 0.25, kHalf = 0.5;
  RunTimes run;
  run.launches = static_cast<std::int64_t>(seconds.size());
  run.median = Seconds(quantile(seconds, kHalf));
  run.min = Seconds(seconds.front());
  run.max = Seconds(seconds.back());
  if (seconds.size() == 1) return run;  // one time has no spread
  run.q1 = Seconds(quantile(seconds, kQuarter));
  run.q3 = Seconds(quantile(seconds, 1 - kQuarter));
  return run;
}

ResultKernel measured_kernel(std::string name, std::vector<RunTimes> runs, Timing timing) {
  ResultKernel kernel;
  kernel.id = name;
  kernel.name = std::move(name);
  ResultMeasurement measured;
  measured.timing = timing;
  std::vector<double> medians;
  std::int64_t launches = 0;
  for (const auto& run : runs) {
    launches += run.launches.value_or(0);
    if (run.median) medians.push_back(run.median->value());
  }
  if (launches > 0) kernel.launches = measured.samples = launches;
  if (!medians.empty()) measured.time = run_of(std::move(medians)).median;
  measured.runs = std::move(runs);
  kernel.measured = std::move(measured);
  return kernel;
}

}  // namespace roofline
