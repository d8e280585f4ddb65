#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/plot/frame.hpp"

/// The roofline chart as geometry: where every line, mark and label stands. It knows no output
/// syntax.
namespace roofline::plot {

enum class Shape { circle, square, triangle, diamond };
Shape shape_of(const ChartKernel& kernel);

/// Where a point lies whose true place is outside the frame.
enum class Edge { none, left, right, top, bottom };

struct PlotRoof {
  std::size_t roof = 0;  ///< index in Chart::roofs
  Point a, b;
};

struct PlotRidge {
  double intensity = 0, x = 0, top = 0;  ///< FLOP/B; pixels
};

struct Satellite {
  std::string label;
  Point at;
};

struct PlotMark {
  std::size_t kernel = 0;  ///< index in Chart::kernels
  Point at;
  double radius = 3;  ///< of a circle of the same area
  Shape shape = Shape::circle;
  bool hollow = false;  ///< stands at its attainable rate: no time is known
  Edge edge = Edge::none;
  std::optional<Point> attainable;   ///< the ring; absent where it would touch the mark
  std::optional<double> measured_x;  ///< at the intensity that counters saw
  std::vector<Satellite> levels;
  std::optional<Point> before;  ///< where it stood in another result
};

/// Radius of where a mark stood in another result.
inline double ghost_radius(const PlotMark& mark) { return std::max(3.0, mark.radius * 0.7); }

enum class LabelKind { roof, ridge, number, name, point, crossing };
struct PlotLabel {
  LabelKind kind = LabelKind::name;
  std::string text;
  std::string strong = {};  ///< bold, before the text: a name's number
  Point at = {};            ///< of the base line's start
  double angle = 0;         ///< radians, clockwise
  double size = 11;
  Quad box = {};
  std::size_t owner = 0;  ///< index of a mark, for numbers, names and points
  bool inside = false;    ///< on its mark
  /// A thin line from the label's edge to its mark's: where the label alone would not say whose it
  /// is.
  std::optional<std::pair<Point, Point>> leader = {};
};

/// A kernel's way through the values of a sweep.
struct PlotSeries {
  std::string name;
  std::vector<Point> points;
  std::vector<std::size_t> marks;  ///< of the points: indices
  std::optional<Point> crossing;   ///< of its ridge
  std::string crossing_text;       ///< "M = 302", interpolated
};

struct RooflinePlot {
  Frame frame;
  std::vector<PlotRoof> roofs;
  std::vector<PlotRidge> ridges;
  std::vector<PlotMark> marks;  ///< in the order in which they are drawn: the largest first
  std::vector<PlotSeries> series;
  std::vector<PlotLabel> labels;
  std::vector<std::size_t> unplaced;  ///< kernels without a place on these axes
  std::vector<std::size_t> outside;   ///< drawn at the edge
  std::size_t left_out = 0;           ///< kernels beyond kMostMarks
  double region_split = 0;            ///< pixel of the ridge between the tinted regions; 0: none
};

inline constexpr std::size_t kMostMarks = 2000;
inline constexpr std::size_t kMostNames = 5;

struct PlotRequest {
  Rect area;
  std::size_t numbered = 30;  ///< kernels that get a number
  bool levels = false;
  std::optional<FrameSpan> span = {};  ///< instead of the GPU's own: of charts that share axes
};

RooflinePlot layout(const Chart& chart, const PlotRequest& request);

}  // namespace roofline::plot
