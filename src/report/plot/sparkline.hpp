#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot/shapes.hpp"
#include "roofline/report/chart.hpp"

namespace roofline::plot {

/// What a kernel took over its runs, as a line: linear, from the least to the most of its times and
/// its limit.
struct Sparkline {
  std::vector<Point> points;
  std::vector<double> steps;      ///< x, between the runs before and behind a lasting change
  std::optional<double> limit_y;  ///< of the longest time that the gate allows
};
/// `history` holds at least one run.
Sparkline layout_sparkline(const ChartHistory& history, std::optional<double> limit_s,
                           const Rect& area);

/// "19.96 us now, +4.2 % since 2026-11-01, 14 runs; last step +3.1 %; limit 20 us": the same in
/// words.
std::string history_text(const ChartHistory& history, std::optional<double> limit_s);

}  // namespace roofline::plot
