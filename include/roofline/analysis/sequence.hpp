#pragma once

#include <optional>
#include <span>

#include "roofline/analysis/verdict.hpp"

namespace roofline {

/// `repeat` launches in a row of the same kernel: `launch` to enqueue one, `gpu` to run one.
struct Step {
  Seconds launch, gpu;
  Count repeat = 1;
};

/// One CPU thread enqueues, one stream executes: a two-stage pipeline, not a sum.
/// makespan = max over j of (L_1 + ... + L_j) + (K_j + ... + K_n), the gap g between dependent kernels added to K.
/// Source: docs/model.md, "Sequences"; exact by the critical path of a two-machine flow line.
struct Sequence {
  Seconds makespan;      ///< launches run ahead of the GPU
  Seconds serial;        ///< every launch waits for the one before to finish: the sum
  Seconds launch_time;   ///< sum of L
  Seconds gpu_time;      ///< sum of K
  Seconds as_graph;      ///< one launch for the whole, then the GPU work
  Count launches;
  double gpu_busy = 0;   ///< gpu_time / makespan; 0 when nothing runs
  bool launch_bound = false;  ///< sum L > sum K
};
Sequence run_sequence(std::span<const Step> steps, Seconds gap = Seconds(0), std::optional<Seconds> graph_launch = {});

/// The steps of a workload: launch cost as given (kernel, or `launch_cost` for all), GPU time as measured, else
/// max(floor, launch floor). nullopt when a kernel has no launch cost.
std::optional<std::vector<Step>> steps_of(std::span<const Kernel> kernels, std::span<const Verdict> verdicts,
                                          std::optional<Seconds> launch_cost);

}  // namespace roofline
