#include "report/chart/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string seconds(double value) { return format_seconds(Seconds(value)); }

std::string name_cell(const ChartKernel& kernel) {
  return kernel.point.empty() ? kernel.name : kernel.name + ", " + kernel.point;
}
std::string bound_cell(const ChartKernel& kernel) {
  if (kernel.status == Status::impossible) return "impossible";
  if (kernel.balanced) return "balanced";
  return std::string(bound_name(kernel.bound));
}
std::string intensity_cell(const ChartKernel& kernel) {
  const auto value = kernel.placed_intensity();
  return value ? format_number(*value) : "-";
}
/// FLOP/s; of a kernel without FLOPs its bytes/s.
std::string achieved_cell(const ChartKernel& kernel) {
  if (const auto rate = kernel.achieved_flop_rate())
    return format_quantity(*rate, work_rate_name(kernel.work));
  if (const auto rate = kernel.achieved_bandwidth()) return format_quantity(*rate, "B/s");
  return "-";
}
std::string attainable_cell(const ChartKernel& kernel) {
  const auto rate = kernel.attainable_flop_rate();
  return rate ? format_quantity(*rate, work_rate_name(kernel.work)) : "-";
}
std::string fraction_cell(const ChartKernel& kernel) {
  return kernel.fraction_of_ceiling ? phrases::percent(*kernel.fraction_of_ceiling) : "-";
}
std::string excess_cell(const ChartKernel& kernel) {
  return kernel.excess_traffic ? phrases::times(*kernel.excess_traffic) : "-";
}
std::string busy_cell(const ChartKernel& kernel) {
  return kernel.dram_busy ? phrases::percent(*kernel.dram_busy) : "-";
}
std::string time_cell(const ChartKernel& kernel) {
  return kernel.time_s ? seconds(kernel.total_time()) : "-";
}
std::string floor_cell(const ChartKernel& kernel) {
  return kernel.floor_s ? seconds(kernel.total_floor()) : "-";
}
std::string win_cell(const ChartKernel& kernel) {
  return kernel.recoverable() > 0 ? seconds(kernel.recoverable()) : "-";
}

double or_nothing(std::optional<double> value) { return value.value_or(kNothing); }

bool has_times(const Chart& chart) { return chart.measured; }
bool has_gate(const Chart& chart) { return chart.gate.has_value(); }
bool has_counters(const Chart& chart) {
  return std::any_of(chart.kernels.begin(), chart.kernels.end(),
                     [](const auto& k) { return k.dram_bytes.has_value(); });
}

constexpr ChartColumn kColumns[] = {
    {"number", "#", false, kNumberPixels,
     [](const ChartKernel& k) { return std::to_string(k.number); },
     [](const ChartKernel& k) { return static_cast<double>(k.number); }},
    {"name", "kernel", false, 0, &name_cell},
    {"bound", "bound", false, 76, &bound_cell},
    {"gate", "gate", false, 76,
     [](const ChartKernel& k) { return k.outcome ? std::string(outcome_name(*k.outcome)) : "-"; },
     [](const ChartKernel& k) { return k.outcome ? static_cast<double>(*k.outcome) : kNothing; },
     &has_gate},
    {"pipe", "datapath", false, 150,
     [](const ChartKernel& k) { return k.pipes.empty() ? "-" : k.pipes; }},
    {"intensity", "FLOP/B", true, 62, &intensity_cell,
     [](const ChartKernel& k) { return or_nothing(k.placed_intensity()); }},
    {"achieved", "achieved", true, 98, &achieved_cell,
     [](const ChartKernel& k) { return or_nothing(k.achieved_flop_rate()); }, &has_times},
    {"attainable", "attainable", true, 98, &attainable_cell,
     [](const ChartKernel& k) { return or_nothing(k.attainable_flop_rate()); }},
    {"fraction", "of ceiling", true, 66, &fraction_cell,
     [](const ChartKernel& k) { return or_nothing(k.fraction_of_ceiling); }, &has_times},
    {"busy", "DRAM", true, 52, &busy_cell,
     [](const ChartKernel& k) { return or_nothing(k.dram_busy); }, &has_counters},
    {"excess", "excess", true, 56, &excess_cell,
     [](const ChartKernel& k) { return or_nothing(k.excess_traffic); }, &has_counters},
    {"launches", "launches", true, 60,
     [](const ChartKernel& k) { return format_number(k.launches); },
     [](const ChartKernel& k) { return k.launches; }},
    {"time", "time", true, 74, &time_cell,
     [](const ChartKernel& k) { return k.time_s ? k.total_time() : kNothing; }, &has_times},
    {"floor", "floor", true, 74, &floor_cell,
     [](const ChartKernel& k) { return k.floor_s ? k.total_floor() : kNothing; }},
    {"win", "to win", true, 74, &win_cell, [](const ChartKernel& k) { return k.recoverable(); },
     &has_times},
    {"share", "share", true, 54, [](const ChartKernel& k) { return phrases::percent(k.share); },
     [](const ChartKernel& k) { return k.share; }},
};

/// A column of nothing but "-" takes room from the names.
bool says_something(const ChartColumn& column, const Chart& chart) {
  return chart.kernels.empty() ||
         std::any_of(chart.kernels.begin(), chart.kernels.end(),
                     [&](const ChartKernel& kernel) { return column.cell(kernel) != "-"; });
}

}  // namespace

std::vector<ChartColumn> chart_columns(const Chart& chart) {
  std::vector<ChartColumn> columns;
  for (const auto& column : kColumns)
    if ((!column.wanted || column.wanted(chart)) && says_something(column, chart))
      columns.push_back(column);
  return columns;
}

std::string caption_of(const Chart& chart) {
  std::vector<std::string> parts;
  if (!chart.gpu_id.empty()) parts.push_back(chart.gpu_id);
  std::set<std::string_view> kinds;
  for (const auto& roof : chart.roofs)
    if (roof.used) kinds.insert(ceiling_kind_name(roof.kind));
  const std::vector<std::string> names(kinds.begin(), kinds.end());
  parts.push_back(names.empty() ? "no ceilings are known" : "ceilings: " + joined(names));
  parts.emplace_back("1 FMA = 2 FLOP");
  for (const auto& condition : chart.conditions) parts.push_back(condition);
  if (!chart.source.empty()) parts.push_back("from " + chart.source);
  if (!chart.tool_version.empty()) parts.push_back("roofline " + chart.tool_version);
  return joined(parts, "; ");
}

}  // namespace roofline
