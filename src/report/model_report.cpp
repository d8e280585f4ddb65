#include "report/model_report.hpp"

#include <algorithm>

#include "report/result_json.hpp"

namespace roofline {
namespace {

/// Sums over the kernels of one step, and what launching them costs.
void sum_kernels(const ModelStep& step, const ModelReportOptions& options, ModelReport& report) {
  auto& totals = report.kernels.totals;
  Seconds by_bound[5] = {};
  bool all_attainable = true;
  Seconds attainable;
  for (std::size_t i = 0; i < step.workload.kernels.size(); ++i) {
    const auto& kernel = step.workload.kernels[i];
    const auto& verdict = report.verdicts[i];
    const double copies = kernel.repeat.to_double();
    ++totals.kernels;
    totals.launches += kernel.repeat;
    totals.flops += verdict.flops * kernel.repeat;
    totals.bytes += verdict.bytes() * kernel.repeat;
    totals.time_floor += copies * verdict.floor.time;
    by_bound[static_cast<std::size_t>(verdict.bound)] +=
        copies * std::max(verdict.floor.time, verdict.launch_floor);
    all_attainable = all_attainable && verdict.attainable;
    if (verdict.attainable) attainable += copies * *verdict.attainable;
    if (kernel.op->name == "collective") report.collectives += kernel.repeat;
  }
  report.launches = totals.launches;
  if (all_attainable) report.attainable = attainable;
  report.kernels.bound = static_cast<Bound>(
      std::max_element(std::begin(by_bound), std::end(by_bound)) - std::begin(by_bound));
  if (const auto steps = steps_of(step.workload.kernels, report.verdicts, options.launch_cost)) {
    report.kernels.sequence = run_sequence(*steps);
    if (report.kernels.sequence->launch_bound && !options.graph)
      report.kernels.bound = Bound::overhead;
  }
}

}  // namespace

Checked<ModelReport> report_model(const ModelConfig& model, const ModelStep& step,
                                  const Ceilings& ceilings, const ModelReportOptions& options) {
  ModelReport report{
      .model = &model, .step = &step, .ceilings = &ceilings, .parameters = count_parameters(model)};
  auto floor = step_floor(step, ceilings);
  if (!floor) return tl::unexpected(Errors{std::move(floor.error())});
  report.floor = std::move(*floor);
  Errors errors;
  for (const auto& kernel : step.workload.kernels) {
    Kernel timed = kernel;
    if (options.graph) timed.timing = Timing::graph;
    auto verdict = judge(timed, ceilings);
    if (verdict)
      report.verdicts.push_back(std::move(*verdict));
    else
      errors.push_back(std::move(verdict.error()));
    if (!errors.empty()) return tl::unexpected(std::move(errors));
  }
  sum_kernels(step, options, report);
  report.is_decode = step.options.phase == Phase::decode;
  if (report.is_decode) {
    const auto crossover = crossover_batch(step, ceilings);
    if (!crossover) return tl::unexpected(Errors{crossover.error()});
    report.crossover = *crossover;
  }
  report.fits = fits_memory(step, ceilings.gpu());
  report.launch_cost = options.launch_cost;
  report.as_graph = options.graph;
  const auto& asked = step.options;
  const Count replicas =
      floor_div(max(asked.expert_parallel, asked.tensor_parallel), asked.tensor_parallel);
  report.tokens_per_step = (step.tokens * replicas * asked.pipeline_parallel).to_double();
  report.time = options.time;
  if (options.time) {
    // Training counts three times the forward products: once, and twice more for the gradients of
    // both operands.
    const double scale = asked.phase == Phase::train
                             ? 3 * step.forward_flops.to_double() / step.matmul_flops.to_double()
                             : 1;
    report.utilization = scale * report.floor.compute.value() / options.time->value();
  }
  return report;
}

void write_model_rows(ReportWriter& writer, const ModelReport& report, std::string_view source) {
  const auto& kernels = report.step->workload.kernels;
  writer.begin_gpu({.ceilings = report.ceilings,
                    .source_file = source,
                    .swept = {},
                    .points = 1,
                    .kernels_per_point = kernels.size(),
                    .launch_cost = report.launch_cost});
  for (std::size_t i = 0; i < kernels.size(); ++i)
    writer.kernel({.kernel = &kernels[i],
                   .point = {},
                   .verdict = report.verdicts[i],
                   .levers = {},
                   .notes = {},
                   .margin = {},
                   .tile = {}});
  writer.point(report.kernels);
  writer.end_gpu();
}

}  // namespace roofline
