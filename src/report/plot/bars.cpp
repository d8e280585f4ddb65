#include "report/plot/bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/phrases.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::plot {
namespace {

std::string seconds(double value) { return format_seconds(Seconds(value)); }

}  // namespace

BarPanel layout_bars(const Chart& chart, const Rect& area, double pitch) {
  BarPanel panel;
  std::vector<std::size_t> order(chart.kernels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto &x = chart.kernels[a], &y = chart.kernels[b];
    const double win_x = x.recoverable(), win_y = y.recoverable();
    return win_x != win_y ? win_x > win_y : a < b;  // kernels come by time
  });
  const auto room = static_cast<std::size_t>(std::max(0.0, area.height() / pitch));
  double longest = 0;
  for (std::size_t i = 0; i < std::min(room, order.size()); ++i) {
    const auto& kernel = chart.kernels[order[i]];
    longest = std::max({longest, kernel.total_time(), kernel.total_floor()});
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& kernel = chart.kernels[order[i]];
    if (i < room) {
      const double scale = longest > 0 ? area.width() / longest : 0;
      panel.bars.push_back({order[i], area.top + static_cast<double>(i) * pitch,
                            kernel.total_floor() * scale, kernel.total_time() * scale});
    } else {
      ++panel.left_out;
      panel.left_out_time += kernel.total_time();
      panel.left_out_floor += kernel.total_floor();
      panel.left_out_win += kernel.recoverable();
    }
  }
  return panel;
}

std::string bar_text(const ChartKernel& kernel) {
  const auto launches = kernel.launches > 1
                            ? fmt::format("{} launches, ", format_number(kernel.launches))
                            : std::string();
  if (!kernel.time_s) {
    if (!kernel.floor_s) return launches + "neither a time nor a floor is known";
    return launches + "floor " + seconds(kernel.total_floor()) + ", no time given";
  }
  auto text = launches + seconds(kernel.total_time());
  if (!kernel.floor_s) return text + ", no floor known";
  text += ", floor " + seconds(kernel.total_floor());
  if (kernel.status == Status::impossible) return text + ": faster than it can be";
  if (kernel.fraction_of_ceiling)
    text += fmt::format(", {} of ceiling", phrases::percent(*kernel.fraction_of_ceiling));
  return text + fmt::format(", {} to win", seconds(kernel.recoverable()));
}

}  // namespace roofline::plot
