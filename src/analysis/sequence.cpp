#include "roofline/analysis/sequence.hpp"

#include <algorithm>

namespace roofline {

Sequence run_sequence(std::span<const Step> steps, Seconds gap, std::optional<Seconds> graph_launch) {
  Sequence result;
  Seconds gaps;  // between dependent kernels: one less than there are kernels
  for (const auto& step : steps) {
    const double copies = step.repeat.to_double();
    result.launches += step.repeat;
    result.launch_time += copies * step.launch;
    result.gpu_time += copies * step.gpu;
  }
  if (result.launches > Count(0)) gaps = (result.launches.to_double() - 1) * gap;
  // The makespan is the longest path: launch up to kernel j, then run j to the end. Within a run of equal kernels the
  // path length is linear in j, so only the first and the last of each run can be the longest.
  Seconds launched, remaining = result.gpu_time + gaps;
  for (const auto& step : steps) {
    const double copies = step.repeat.to_double();
    if (copies < 1) continue;
    const auto path = [&](double before) {  // j is the (before + 1)-th of the run
      return launched + (before + 1) * step.launch + remaining - before * (step.gpu + gap);
    };
    result.makespan = std::max({result.makespan, path(0), path(copies - 1)});
    launched += copies * step.launch;
    remaining = remaining - copies * (step.gpu + gap);
  }
  result.serial = result.launch_time + result.gpu_time;
  const Seconds one_launch = graph_launch ? *graph_launch : steps.empty() ? Seconds(0) : steps.front().launch;
  result.as_graph = one_launch + result.gpu_time + gaps;
  if (result.makespan > Seconds(0)) result.gpu_busy = result.gpu_time / result.makespan;
  result.launch_bound = result.launch_time > result.gpu_time;
  return result;
}

std::optional<std::vector<Step>> steps_of(std::span<const Kernel> kernels, std::span<const Verdict> verdicts,
                                          std::optional<Seconds> launch_cost) {
  std::vector<Step> steps;
  steps.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto cost = kernels[i].launch_cost ? kernels[i].launch_cost : launch_cost;
    if (!cost) return std::nullopt;
    const auto& verdict = verdicts[i];
    const Seconds gpu = kernels[i].time ? *kernels[i].time : std::max(verdict.floor.time, verdict.launch_floor);
    steps.push_back({*cost, gpu, kernels[i].repeat});
  }
  return steps;
}

}  // namespace roofline
