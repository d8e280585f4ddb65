#pragma once

#include <string>
#include <vector>

#include "report/plot/shapes.hpp"
#include "roofline/report/chart.hpp"

namespace roofline::plot {

/// One bar of the linear panel: a kernel's floor, and its time above that.
struct Bar {
  std::size_t kernel = 0;  ///< index in Chart::kernels
  double top = 0;          ///< pixels
  double floor_width = 0,
         time_width = 0;  ///< time_width below floor_width: faster than its floor, which cannot be
};

struct BarPanel {
  std::vector<Bar> bars;  ///< most to win back first; without times by the floor
  std::size_t left_out = 0;
  double left_out_time = 0, left_out_floor = 0, left_out_win = 0;  ///< seconds
};

/// Bars in `area`, one every `pitch` pixels, the longest as wide as the area. Lengths are those of
/// a whole run, linear.
BarPanel layout_bars(const Chart& chart, const Rect& area, double pitch);

/// "400.0 us, floor 120.2 us, 30 % of its ceiling, 279.8 us to win"; of 2 launches and more the
/// sums, and how many.
std::string bar_text(const ChartKernel& kernel);

}  // namespace roofline::plot
