#include <fmt/format.h>

#include <algorithm>

#include "report/chart/numbering.hpp"
#include "report/page/phrases.hpp"
#include "report/result_json.hpp"
#include "roofline/base/text.hpp"
#include "roofline/report/chart.hpp"

namespace roofline {
namespace {

NamedFigures times_of(const Floor& floor) {
  NamedFigures times;
  for (const auto& item : floor.resources())
    times.emplace_back(resource_name(item.ceiling.resource), item.time.value());
  return times;
}

void take_measured(const MeasuredVerdict& measured, ChartKernel& kernel) {
  kernel.time_s = measured.time.value();
  kernel.fraction_of_ceiling = measured.fraction_of_ceiling;
  kernel.status = measured.status;
  if (!measured.causes.empty()) kernel.cause = chart_name(measured.causes.front().text);
}

ChartKernel kernel_of(const KernelReport& report) {
  const auto& verdict = report.verdict;
  ChartKernel kernel;
  kernel.name = chart_name(report.kernel->name);
  kernel.label = report.kernel->name;
  kernel.point = chart_name(phrases::point(report.point));
  if (!report.point.empty()) {
    kernel.point_name = chart_name(report.point.front().first);
    kernel.point_value = report.point.front().second.to_double();
  }
  kernel.pipe = pipe_key(report);
  kernel.work = work_unit_of(kernel.pipe);
  kernel.pipes = pipes_text(kernel.pipe, times_of(verdict.floor));
  if (const auto* limiting = verdict.floor.limiting())
    kernel.limiter = resource_name(limiting->ceiling.resource);
  kernel.bound = verdict.bound;
  kernel.balanced = verdict.balanced;
  kernel.launches = report.kernel->repeat.to_double();
  kernel.flops = verdict.flops.to_double();
  kernel.bytes = verdict.bytes().to_double();
  if (verdict.intensity && verdict.intensity->value() > 0)
    kernel.intensity = verdict.intensity->value();
  kernel.floor_s = verdict.floor.time.value();
  if (verdict.attainable) kernel.attainable_s = verdict.attainable->value();
  if (verdict.measured) take_measured(*verdict.measured, kernel);
  if (!report.levers.empty()) kernel.advice = chart_name(report.levers.front().text);
  return kernel;
}

}  // namespace

std::vector<ChartRoof> roofs_of(const Ceilings& ceilings) {
  std::vector<ChartRoof> roofs;
  for (const auto& ceiling : ceilings.all()) {
    const auto resource = resource_name(ceiling.resource);
    // One roof for each kind: the faster way of two, unless the slower was asked for.
    const auto same = std::find_if(roofs.begin(), roofs.end(), [&](const ChartRoof& roof) {
      return roof.resource == resource && roof.kind == ceiling.kind;
    });
    if (same != roofs.end()) continue;
    roofs.push_back({.resource = resource,
                     .title = roof_title(resource, ceiling.sparse, ceiling.mma_sync),
                     .unit = std::string(ceiling.unit()),
                     .kind = ceiling.kind,
                     .per_second = ceiling.per_second});
  }
  return roofs;
}

void ChartCollector::begin_gpu(const GpuReport& report) {
  auto& chart = charts_.emplace_back();
  const auto& gpu = report.ceilings->gpu();
  chart.gpu_id = chart_name(gpu.id);
  chart.gpu_name = chart_name(gpu.name);
  chart.source = chart_name(report.source_file.substr(report.source_file.rfind('/') + 1));
  chart.tool_version = tool_version_;
  chart.roofs = roofs_of(*report.ceilings);
  if (gpu.calibrated) chart.conditions.push_back(calibration_words(gpu.calibrated->calibration));
}

void ChartCollector::kernel(const KernelReport& report) {
  auto& chart = charts_.back();
  if (chart.kernels.size() < kMostChartKernels)
    chart.kernels.push_back(kernel_of(report));
  else
    ++beyond_;
}

void ChartCollector::end_gpu() {
  auto& chart = charts_.back();
  if (beyond_ > 0)
    chart.warnings.push_back(
        fmt::format("{} more kernels than a picture can hold are left out", beyond_));
  beyond_ = 0;
  number_kernels(chart);
  mark_used_roofs(chart);
}

}  // namespace roofline
