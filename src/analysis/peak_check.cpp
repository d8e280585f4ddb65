#include <fmt/format.h>

#include <cmath>

#include "roofline/analysis/counter_rules.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr double kTolerance = 0.03;

/// A figure of the table with the SM clock that it is stated at; memory has a clock of its own,
/// which does not wander.
struct TablePeak {
  double per_second = 0;
  std::optional<Hertz> clock;
  std::string_view unit;
};

std::optional<TablePeak> of_pipe(const Gpu& gpu, Pipe pipe) {
  const bool tensor = pipe.kind == PipeKind::tensor;
  if (!tensor && pipe.kind != PipeKind::vector) return std::nullopt;
  const auto& peak = (tensor ? gpu.tensor : gpu.vector)[static_cast<std::size_t>(pipe.type)];
  if (!peak) return std::nullopt;
  const bool integer = pipe.type == RateType::int8 || pipe.type == RateType::int4;
  return TablePeak{peak->dense.value(), gpu.clock(peak->clock), integer ? "op/s" : "FLOP/s"};
}

std::optional<TablePeak> table_peak(const Gpu& gpu, std::string_view resource) {
  if (resource == "dram" && gpu.dram_bandwidth)
    return TablePeak{gpu.dram_bandwidth->value.value(), std::nullopt, "B/s"};
  if (resource == "shared" && gpu.shared_bytes_per_clock_per_sm && gpu.sm_count &&
      gpu.boost_clock) {
    const double per_clock =
        gpu.shared_bytes_per_clock_per_sm->value * gpu.sm_count->value.to_double();
    return TablePeak{per_clock * gpu.boost_clock->value.value(), gpu.boost_clock->value, "B/s"};
  }
  const auto pipe = find_pipe(resource);
  return pipe ? of_pipe(gpu, *pipe) : std::nullopt;
}

}  // namespace

std::vector<PeakMismatch> peak_mismatches(const MeasuredCounters& counters, const Gpu& gpu) {
  std::vector<PeakMismatch> found;
  for (const auto& peak : counters.peaks) {
    const auto table = table_peak(gpu, peak.resource);
    if (!table || table->per_second <= 0) continue;
    double expected = table->per_second;
    if (table->clock) {
      if (!counters.sm_clock || table->clock->value() <= 0) continue;
      expected *= *counters.sm_clock / *table->clock;
    }
    if (std::abs(peak.per_second / expected - 1) <= kTolerance) continue;
    found.push_back({peak.resource, peak.per_second, expected,
                     fmt::format("{}: the device says {}, the table {} at the same clock",
                                 peak.resource, format_quantity(peak.per_second, table->unit),
                                 format_quantity(expected, table->unit))});
  }
  return found;
}

}  // namespace roofline
