#include "report/plot/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace roofline::plot {
namespace {

constexpr double kLeastIntensity = -2, kMostIntensity = 4;  // decades of FLOP/B
constexpr double kBelow = 2, kAbove = 0.5;                  // decades round the roofs
// Without any ceilings: what most accelerators of the last years lie near.
constexpr double kSomeBandwidth = 1e12, kSomePeak = 1e14;

bool is_datasheet_level(const ChartRoof& roof) {
  return roof.is_level() && roof.kind == CeilingKind::datasheet;
}

std::string decade_label(int decade, bool prefixes) {
  if (!prefixes) {
    if (decade >= 4)
      return fmt::format("{}k", decade == 4   ? "10"
                                : decade == 5 ? "100"
                                              : fmt::format("1e{}", decade - 3));
    return decade >= 0 ? fmt::format("{:.0f}", std::pow(10.0, decade))
                       : fmt::format("{:.{}f}", std::pow(10.0, decade), -decade);
  }
  constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  const int group = decade >= 0 ? decade / 3 : -1;
  if (group < 0 || group > 6) return fmt::format("1e{}", decade);
  return fmt::format("{:.0f}{}", std::pow(10.0, decade - 3 * group), kPrefixes[group]);
}

}  // namespace

double LogAxis::at(double value) const {
  return from + (std::log10(value) - low) / (high - low) * (to - from);
}
double LogAxis::value_at(double pixel) const {
  return std::pow(10.0, low + (pixel - from) / (to - from) * (high - low));
}
bool LogAxis::holds(double value) const {
  const double decade = std::log10(value);
  return decade >= low && decade <= high;
}

std::vector<Tick> ticks(const LogAxis& axis, bool prefixes) {
  std::vector<Tick> all;
  for (int decade = static_cast<int>(std::floor(axis.low));
       decade <= static_cast<int>(std::ceil(axis.high)); ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double place = decade + std::log10(digit);
      if (place < axis.low - 1e-9 || place > axis.high + 1e-9) continue;
      const double at =
          axis.from + (place - axis.low) / (axis.high - axis.low) * (axis.to - axis.from);
      all.push_back({at, digit == 1 ? decade_label(decade, prefixes) : std::string()});
    }
  return all;
}

FrameSpan span_of(const Chart& chart) {
  const auto* dram = chart.dram();
  const double bandwidth = dram ? dram->per_second : kSomeBandwidth;
  double low = kLeastIntensity, high = kMostIntensity, top = 0;
  for (const auto& roof : chart.roofs) {
    if (!is_datasheet_level(roof)) continue;
    const double ridge = std::log10(roof.per_second / bandwidth);
    low = std::min(low, std::floor(ridge));
    high = std::max(high, std::ceil(ridge));
    top = std::max(top, roof.per_second);
  }
  if (top <= 0) top = kSomePeak;
  const double bottom = low + std::log10(bandwidth) - kBelow;
  const double ceiling = std::max(std::log10(top) + kAbove, bottom + 1);
  return {low, high, bottom, ceiling};
}

FrameSpan FrameSpan::with(const FrameSpan& other) const {
  return {std::min(x_low, other.x_low), std::max(x_high, other.x_high),
          std::min(y_low, other.y_low), std::max(y_high, other.y_high)};
}

Frame frame_of(const FrameSpan& span, const Rect& area) {
  return {.x = {span.x_low, span.x_high, area.left, area.right},
          .y = {span.y_low, span.y_high, area.bottom, area.top},
          .area = area};
}

}  // namespace roofline::plot
