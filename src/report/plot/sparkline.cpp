#include "report/plot/sparkline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roofline/analysis/history.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::plot {
namespace {

std::string change(double ratio) { return fmt::format("{:+.1f} %", (ratio - 1) * 100); }
std::string seconds(double value) { return format_seconds(Seconds(value)); }

}  // namespace

Sparkline layout_sparkline(const ChartHistory& history, std::optional<double> limit_s,
                           const Rect& area) {
  const auto [least, most] = std::minmax_element(history.times_s.begin(), history.times_s.end());
  double low = *least, high = *most;
  if (limit_s) {
    low = std::min(low, *limit_s);
    high = std::max(high, *limit_s);
  }
  const double span = high - low;
  const auto y = [&](double value) {
    return span > 0 ? area.bottom - (value - low) / span * area.height()
                    : (area.top + area.bottom) / 2;
  };
  const auto count = history.times_s.size();
  const double pitch = count > 1 ? area.width() / static_cast<double>(count - 1) : 0;
  Sparkline line;
  for (std::size_t i = 0; i < count; ++i)
    line.points.push_back({count > 1 ? area.left + static_cast<double>(i) * pitch : area.right,
                           y(history.times_s[i])});
  for (const auto step : history.steps)
    line.steps.push_back(area.left + (static_cast<double>(step) - 0.5) * pitch);
  if (limit_s) line.limit_y = y(*limit_s);
  return line;
}

std::string history_text(const ChartHistory& history, std::optional<double> limit_s) {
  const auto& times = history.times_s;
  auto text = seconds(times.back());
  if (times.size() == 1) {
    text += fmt::format(", 1 run, {}", history.last);
  } else {
    text += fmt::format(", {} in {} runs", change(times.back() / times.front()), times.size());
    text += history.first == history.last ? fmt::format(" of {}", history.last)
                                          : fmt::format(", {} to {}", history.first, history.last);
  }
  const auto steps = history_steps(times);
  if (!steps.empty())
    text += fmt::format("; last step {}", change(steps.back().after_s / steps.back().before_s));
  if (limit_s) text += "; limit " + seconds(*limit_s);
  return text;
}

}  // namespace roofline::plot
