#pragma once

#include <string>
#include <vector>

#include "report/plot/shapes.hpp"
#include "roofline/report/chart.hpp"

namespace roofline::plot {

/// A logarithmic axis: decades `low` to `high` lie between the pixels `from` and `to`.
struct LogAxis {
  double low = 0, high = 1, from = 0, to = 1;
  double at(double value) const;  ///< value > 0
  double value_at(double pixel) const;
  bool holds(double value) const;
};

struct Tick {
  double at = 0;      ///< pixel
  std::string label;  ///< empty: a minor one
};
/// Decades with labels ("0.01", "10", "1 T"); minor ticks between them.
std::vector<Tick> ticks(const LogAxis& axis, bool prefixes);

/// The frame of a GPU's chart: intensity in FLOP/B against FLOP/s.
struct Frame {
  LogAxis x, y;
  Rect area;
};

/// Decades of FLOP/B and of FLOP/s.
struct FrameSpan {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  /// The smallest that holds both.
  FrameSpan with(const FrameSpan& other) const;
};

/// What the axes span depends on the GPU's own datasheet ceilings and on nothing else, so that
/// charts of one GPU can be laid side by side: 0.01 to 10 000 FLOP/B, more in whole decades where a
/// ridge lies outside; from two decades below the left end of the DRAM roof to half a decade above
/// the highest roof.
FrameSpan span_of(const Chart& chart);
Frame frame_of(const FrameSpan& span, const Rect& area);
inline Frame frame_of(const Chart& chart, const Rect& area) {
  return frame_of(span_of(chart), area);
}

}  // namespace roofline::plot
