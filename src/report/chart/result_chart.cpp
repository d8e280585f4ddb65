#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/numbering.hpp"
#include "report/page/phrases.hpp"
#include "roofline/analysis/compare.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/quantities/units.hpp"
#include "roofline/report/chart.hpp"

namespace roofline {
namespace {

template <class Quantity>
std::optional<double> plain(const std::optional<Quantity>& quantity) {
  if (!quantity) return std::nullopt;
  return quantity->value();
}

template <class Enum>
std::optional<Enum> named(std::string_view word, std::string_view (*name)(Enum),
                          std::initializer_list<Enum> all) {
  for (const auto item : all)
    if (name(item) == word) return item;
  return std::nullopt;
}

Bound bound_of(std::string_view word) {
  return named(word, &bound_name, {Bound::memory, Bound::compute, Bound::overhead, Bound::link})
      .value_or(Bound::unknown);
}
std::optional<Status> status_of(std::string_view word) {
  return named(word, &status_name,
               {Status::impossible, Status::at_ceiling, Status::near, Status::under_roof});
}
CeilingKind kind_of(std::string_view word) {
  return named(word, &ceiling_kind_name, {CeilingKind::calibrated, CeilingKind::observed})
      .value_or(CeilingKind::datasheet);
}

/// Launches in one run: the median over the runs, where the file has them; else all there are.
double launches_of(const ResultKernel& kernel) {
  std::vector<std::int64_t> counts;
  if (kernel.measured)
    for (const auto& run : kernel.measured->runs)
      if (run.launches) counts.push_back(*run.launches);
  if (counts.empty()) return static_cast<double>(kernel.launches.value_or(1));
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2),
                   counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

/// Ratios of bytes: absent where there is nothing to divide by.
std::optional<double> quotient(double dividend, std::optional<double> divisor) {
  if (!divisor || *divisor <= 0 || dividend <= 0) return std::nullopt;
  const double value = dividend / *divisor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string point_text(const NamedFigures& point) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : point)
    parts.push_back(fmt::format("{} = {}", chart_name(name), format_number(value)));
  return joined(parts);
}

/// Of a kernel that nobody described, what counters saw it do.
void take_counted_work(const ResultMeasurement& measured, bool described, ChartKernel& kernel) {
  double most = 0;
  double flops = 0;
  for (const auto& [pipe, amount] : measured.flops_by_pipe) {
    flops += amount;
    if (amount > most && kernel.pipe.empty()) most = amount;
  }
  if (kernel.flops > 0) return;
  kernel.flops = flops;
  for (const auto& [pipe, amount] : measured.flops_by_pipe)
    if (amount == most && kernel.pipe.empty()) kernel.pipe = pipe;
  // Nobody described it, and it did no FLOPs: its integer work is what there is to place it by.
  if (flops > 0 || described || !(measured.int_ops.value_or(0) > 0)) return;
  kernel.flops = *measured.int_ops;
  kernel.pipe = pipe_name({PipeKind::integer, RateType::none});
}

void take_levels(const ResultMeasurement& measured, ChartKernel& kernel) {
  const auto add = [&](const char* label, const char* resource, const std::optional<Bytes>& bytes) {
    if (bytes && bytes->value() > 0) kernel.levels.push_back({label, resource, bytes->value()});
  };
  add("L2", "l2", measured.l2_bytes);
  add("L1", "l1", measured.l1_bytes);
  add("sh", "shared", measured.shared_bytes_moved);
}

void take_measured(const ResultMeasurement& measured, bool described, ChartKernel& kernel) {
  take_counted_work(measured, described, kernel);
  take_levels(measured, kernel);
  kernel.time_s = plain(measured.time);
  if (kernel.time_s == 0.0) kernel.time_s.reset();  // chart_of says so
  kernel.dram_bytes = plain(measured.dram_bytes);
  kernel.measured_intensity = quotient(kernel.flops, kernel.dram_bytes);
  kernel.excess_traffic = measured.excess_traffic
                              ? measured.excess_traffic
                              : quotient(kernel.dram_bytes.value_or(0), kernel.bytes);
  kernel.dram_busy = measured.dram_busy;
  kernel.status = status_of(measured.status);
  kernel.fraction_of_ceiling = measured.fraction_of_ceiling;
  if (!kernel.fraction_of_ceiling && kernel.floor_s)
    kernel.fraction_of_ceiling = quotient(*kernel.floor_s, kernel.time_s);
  if (!measured.causes.empty()) kernel.cause = chart_name(measured.causes.front().text);
}

ChartKernel kernel_of(const ResultKernel& from) {
  ChartKernel kernel;
  kernel.name = chart_name(from.id);
  kernel.full_name = chart_name(from.full_name);
  kernel.function = from.name;
  kernel.point = point_text(from.point);
  if (!from.point.empty()) {
    kernel.point_name = chart_name(from.point.front().first);
    kernel.point_value = from.point.front().second;
  }
  kernel.pipe = from.pipe;
  kernel.limiter = from.limiter;
  kernel.bound = bound_of(from.bound);
  kernel.balanced = from.balanced;
  kernel.launches = launches_of(from);
  kernel.flops = plain(from.flops).value_or(0);
  kernel.bytes = plain(from.bytes).value_or(0);
  kernel.floor_s = plain(from.time_floor);
  kernel.attainable_s = plain(from.attainable);
  kernel.intensity = quotient(kernel.flops, kernel.bytes);
  if (from.measured) take_measured(*from.measured, from.flops.has_value(), kernel);
  kernel.work = work_unit_of(kernel.pipe);
  kernel.pipes = pipes_text(kernel.pipe, from.resource_times);
  if (!from.levers.empty()) kernel.advice = chart_name(from.levers.front().text);
  return kernel;
}

std::vector<ChartRoof> roofs_of(const ResultGpu& gpu) {
  std::vector<ChartRoof> roofs;
  for (const auto& ceiling : gpu.ceilings) {
    if (!(ceiling.per_second > 0)) continue;
    // Kernels that take the slower way say so in their limiter; a chart draws one roof for each
    // datapath.
    const auto same = std::find_if(roofs.begin(), roofs.end(), [&](const ChartRoof& roof) {
      return roof.resource == ceiling.resource && roof.kind == kind_of(ceiling.kind);
    });
    if (same != roofs.end()) continue;
    roofs.push_back({.resource = ceiling.resource,
                     .title = roof_title(ceiling.resource, ceiling.sparse, ceiling.mma_sync),
                     .unit = ceiling.unit,
                     .kind = kind_of(ceiling.kind),
                     .per_second = ceiling.per_second});
  }
  return roofs;
}

void describe_conditions(const ResultRecord& result, Chart& chart) {
  auto& lines = chart.conditions;
  if (const auto& from = result.gpu.calibration) {
    Calibration calibration;
    calibration.source = from->source, calibration.date = from->date;
    calibration.device = from->device, calibration.driver = from->driver;
    calibration.sustained = from->sustained;
    lines.push_back(calibration_words(calibration));
  }
  if (result.program && result.program->runs)
    lines.push_back(*result.program->runs == 1 ? std::string("1 run")
                                               : fmt::format("{} runs", *result.program->runs));
  if (!result.environment) return;
  const auto& machine = *result.environment;
  if (!machine.method.empty()) lines.push_back(chart_name(machine.method));
  if (!machine.driver.empty()) lines.push_back("driver " + chart_name(machine.driver));
  if (!machine.cuda.empty()) lines.push_back("CUDA " + chart_name(machine.cuda));
  if (machine.clock_median_mhz)
    lines.push_back(fmt::format("SM clock {} MHz", format_number(*machine.clock_median_mhz)));
  if (machine.power_limit_w)
    lines.push_back(fmt::format("power limit {} W", format_number(*machine.power_limit_w)));
  if (!machine.mig.empty()) lines.push_back("MIG " + chart_name(machine.mig));
  if (machine.cold) lines.push_back("caches flushed between launches");
  if (machine.throttled_share.value_or(0) > 0)
    chart.warnings.push_back(fmt::format("clocks were throttled in {} of the samples",
                                         phrases::percent(*machine.throttled_share)));
  if (machine.other_processes.value_or(0) > 0)
    chart.warnings.push_back(
        fmt::format("{} other processes used the GPU", *machine.other_processes));
}

std::string file_name(const std::string& path) {
  return chart_name(path.substr(path.rfind('/') + 1));
}

}  // namespace

Chart chart_of(const ResultRecord& result) {
  Chart chart;
  chart.gpu_id = chart_name(result.gpu.id);
  chart.gpu_name = chart_name(result.gpu.name.empty() ? result.gpu.id : result.gpu.name);
  chart.source = file_name(result.file);
  chart.tool_version = chart_name(result.tool_version);
  chart.roofs = roofs_of(result.gpu);
  if (chart.roofs.empty() && !result.gpu.id.empty()) {
    if (const auto gpu = find_gpu(result.gpu.id)) {
      chart.roofs = roofs_of(Ceilings(*gpu));
      chart.conditions.emplace_back("ceilings from this program's table");
    }
  }
  const auto labels = kernel_labels(result);
  const double runs = result.program && result.program->runs
                          ? static_cast<double>(std::max<std::int64_t>(*result.program->runs, 1))
                          : 1;
  for (std::size_t i = 0; i < result.kernels.size(); ++i) {
    chart.kernels.push_back(kernel_of(result.kernels[i]));
    auto& kernel = chart.kernels.back();
    kernel.label = labels[i];
    if (const auto share = result.kernels[i].time_share; share && result.kernel_time)
      kernel.run_s = *share * result.kernel_time->value() / runs;
    // Launches of one function on different grids are told apart; points of a sweep are already.
    if (kernel.point.empty()) kernel.name = chart_name(labels[i]);
  }
  describe_conditions(result, chart);
  const auto timeless =
      std::count_if(result.kernels.begin(), result.kernels.end(), [](const ResultKernel& kernel) {
        return kernel.measured && kernel.measured->time && kernel.measured->time->value() == 0;
      });
  if (timeless > 0)
    chart.warnings.push_back(
        fmt::format("a time of 0 s is no time: {} of {} kernels", timeless, result.kernels.size()));
  if (result.simulated) chart.warnings.emplace_back("simulated: made without a GPU");
  if (!result.complete)
    chart.warnings.emplace_back("incomplete: the trace was cut off, or records were dropped");
  for (const auto& loss : result.lost)
    chart.warnings.push_back(fmt::format("lost: {} x {}", loss.count, chart_name(loss.reason)));
  number_kernels(chart);
  mark_used_roofs(chart);
  return chart;
}

}  // namespace roofline
