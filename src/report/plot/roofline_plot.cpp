#include "report/plot/roofline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/plot/labels.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::plot {
namespace {

constexpr double kLargest = 24, kSmallest = 3;  // radius in pixels
constexpr double kSweepRadius = 4;
constexpr double kEdgeInset = 7;        // marks outside the frame stand this far inside it
constexpr double kWorthAnArrow = 1.05;  // excess traffic

struct Placed {
  Point at;
  Edge edge = Edge::none;
};

/// The place of a value; of one outside the frame the nearest place inside.
Placed place(const Frame& frame, double intensity, double rate) {
  Placed placed{{frame.x.at(intensity), frame.y.at(rate)}};
  const auto& area = frame.area;
  auto& [at, edge] = placed;
  if (at.x < area.left) edge = Edge::left;
  if (at.x > area.right) edge = Edge::right;
  if (at.y < area.top) edge = Edge::top;
  if (at.y > area.bottom) edge = Edge::bottom;
  if (edge == Edge::none) return placed;
  at.x = std::clamp(at.x, area.left + kEdgeInset, area.right - kEdgeInset);
  at.y = std::clamp(at.y, area.top + kEdgeInset, area.bottom - kEdgeInset);
  return placed;
}

/// Liang-Barsky is not needed: a roof leaves the frame only at its top or its left.
PlotRoof slope(const Frame& frame, const ChartRoof& roof, std::size_t index, double highest) {
  const double left = std::pow(10.0, frame.x.low);
  const double top = std::min(highest, std::pow(10.0, frame.y.high));
  const double right = std::min(std::pow(10.0, frame.x.high), top / roof.per_second);
  PlotRoof line{.roof = index,
                .a = {frame.x.at(left), frame.y.at(left * roof.per_second)},
                .b = {frame.x.at(right), frame.y.at(right * roof.per_second)}};
  const auto& area = frame.area;
  if (line.a.y > area.bottom) {  // a link may be slower than anything in the frame
    const double start = std::pow(10.0, frame.y.low) / roof.per_second;
    line.a = {frame.x.at(start), area.bottom};
  }
  return line;
}

/// The highest level in use of this kind of ceiling, where slopes of the kind end; where it has
/// none, the highest of all.
double highest_level(const Chart& chart, CeilingKind kind, const Frame& frame) {
  double of_kind = 0, highest = 0;
  for (const auto& roof : chart.roofs) {
    if (!roof.used || !roof.is_level()) continue;
    highest = std::max(highest, roof.per_second);
    if (roof.kind == kind) of_kind = std::max(of_kind, roof.per_second);
  }
  return of_kind > 0 ? of_kind : highest > 0 ? highest : std::pow(10.0, frame.y.high);
}

/// The slope at which levels of this kind begin: kinds are never mixed in one ridge, but where DRAM
/// has none of the kind.
const ChartRoof* dram_of(const Chart& chart, CeilingKind kind) {
  for (const auto& roof : chart.roofs)
    if (roof.resource == "dram" && roof.kind == kind) return &roof;
  return chart.dram();
}

void add_roofs(const Chart& chart, bool levels, RooflinePlot& plot) {
  const auto& frame = plot.frame;
  for (std::size_t i = 0; i < chart.roofs.size(); ++i) {
    const auto& roof = chart.roofs[i];
    const bool cache = roof.resource == "l2" || roof.resource == "l1" || roof.resource == "shared";
    if (!roof.used && !(levels && cache)) continue;
    if (roof.is_slope()) {
      const auto line = slope(frame, roof, i, highest_level(chart, roof.kind, frame));
      if (line.a.x < line.b.x && line.a.x < frame.area.right) plot.roofs.push_back(line);
    } else if (roof.is_level()) {
      if (!frame.y.holds(roof.per_second)) continue;
      const double y = frame.y.at(roof.per_second);
      double from = frame.area.left;
      const auto* dram = dram_of(chart, roof.kind);
      if (dram)
        from = std::clamp(frame.x.at(roof.per_second / dram->per_second), frame.area.left,
                          frame.area.right - 20);
      plot.roofs.push_back({.roof = i, .a = {from, y}, .b = {frame.area.right, y}});
      if (!dram || roof.kind != CeilingKind::datasheet) continue;
      const double ridge = roof.per_second / dram->per_second;
      const bool known = std::any_of(
          plot.ridges.begin(), plot.ridges.end(),
          [&](const PlotRidge& other) { return std::abs(other.intensity / ridge - 1) < 1e-3; });
      if (!known) plot.ridges.push_back({.intensity = ridge, .x = from, .top = y});
    }
  }
  for (const auto& ridge : plot.ridges) plot.region_split = std::max(plot.region_split, ridge.x);
}

void add_levels(const ChartKernel& kernel, double rate, const Frame& frame, PlotMark& mark) {
  for (const auto& level : kernel.levels) {
    const auto placed = place(frame, kernel.flops / level.bytes, rate);
    if (placed.edge == Edge::none) mark.levels.push_back({level.label, placed.at});
  }
}

PlotMark mark_of(const Chart& chart, std::size_t index, const PlotRequest& request,
                 const Frame& frame) {
  const auto& kernel = chart.kernels[index];
  const auto achieved = kernel.achieved_flop_rate();
  const auto attainable = kernel.attainable_flop_rate();
  const double intensity = *kernel.placed_intensity();
  const double rate = achieved ? *achieved : *attainable;
  const auto placed = place(frame, intensity, rate);
  PlotMark mark{.kernel = index,
                .at = placed.at,
                .shape = shape_of(kernel),
                .hollow = !achieved,
                .edge = placed.edge};
  mark.radius = chart.swept ? kSweepRadius
                            : std::clamp(kLargest * std::sqrt(kernel.share), kSmallest, kLargest);
  if (achieved && attainable) {
    const auto ring = place(frame, intensity, *attainable);
    if (ring.edge == Edge::none && std::abs(ring.at.y - mark.at.y) > mark.radius + 3.5)
      mark.attainable = ring.at;
  }
  const double ratio = kernel.intensity && kernel.measured_intensity
                           ? *kernel.intensity / *kernel.measured_intensity
                           : 1;
  if (mark.edge == Edge::none && (ratio > kWorthAnArrow || ratio < 1 / kWorthAnArrow)) {
    const double x =
        std::clamp(frame.x.at(*kernel.measured_intensity), frame.area.left, frame.area.right);
    if (std::abs(x - mark.at.x) > mark.radius + 2) mark.measured_x = x;
  }
  if (request.levels) add_levels(kernel, rate, frame, mark);
  return mark;
}

void add_before(const Chart& chart, const Frame& frame, std::vector<PlotMark>& marks) {
  std::map<std::size_t, const ChartKernel*> by_number;
  for (const auto& kernel : chart.before) by_number[kernel.number] = &kernel;
  for (auto& mark : marks) {
    const auto found = by_number.find(chart.kernels[mark.kernel].number);
    if (found == by_number.end() || !found->second->placeable()) continue;
    const auto& kernel = *found->second;
    const auto achieved = kernel.achieved_flop_rate();
    const auto placed = place(frame, *kernel.placed_intensity(),
                              achieved ? *achieved : *kernel.attainable_flop_rate());
    if (distance(placed.at, mark.at) > 3) mark.before = placed.at;
  }
}

const ChartRoof* roof_named(const Chart& chart, std::string_view resource) {
  for (const auto& roof : chart.roofs)
    if (roof.resource == resource && roof.kind == CeilingKind::datasheet) return &roof;
  return nullptr;
}

/// Where the way between two kernels of a series crosses the ridge of their datapath.
std::optional<std::pair<Point, double>> crossing_of(const Chart& chart, const ChartKernel& a,
                                                    const ChartKernel& b, Point pa, Point pb,
                                                    const Frame& frame) {
  const auto* peak = roof_named(chart, a.pipe);
  const auto* dram = chart.dram();
  if (!peak || !dram || a.point_value <= 0 || b.point_value <= 0) return std::nullopt;
  const double ridge = peak->per_second / dram->per_second;
  if ((*a.placed_intensity() - ridge) * (*b.placed_intensity() - ridge) >= 0) return std::nullopt;
  const double x = frame.x.at(ridge), t = (x - pa.x) / (pb.x - pa.x);
  const double value =
      std::exp(std::log(a.point_value) + t * (std::log(b.point_value) - std::log(a.point_value)));
  return std::pair(Point{x, pa.y + t * (pb.y - pa.y)}, value);
}

/// A series takes its marks in the order of the first variable; `marks` are those of one kernel.
void add_series(const Chart& chart, std::vector<const PlotMark*> marks, RooflinePlot& plot) {
  std::sort(marks.begin(), marks.end(), [&](const PlotMark* a, const PlotMark* b) {
    const auto& ka = chart.kernels[a->kernel];
    const auto& kb = chart.kernels[b->kernel];
    return std::tie(ka.point_value, a->kernel) < std::tie(kb.point_value, b->kernel);
  });
  PlotSeries series{.name = chart.kernels[marks.front()->kernel].name,
                    .points = {},
                    .marks = {},
                    .crossing = {},
                    .crossing_text = {}};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    series.points.push_back(marks[i]->at);
    series.marks.push_back(static_cast<std::size_t>(marks[i] - plot.marks.data()));
    if (i == 0 || series.crossing) continue;
    const auto& a = chart.kernels[marks[i - 1]->kernel];
    const auto found = crossing_of(chart, a, chart.kernels[marks[i]->kernel], marks[i - 1]->at,
                                   marks[i]->at, plot.frame);
    if (!found) continue;
    series.crossing = found->first;
    series.crossing_text =
        fmt::format("{} = {}", a.point_name, format_number(std::round(found->second)));
  }
  plot.series.push_back(std::move(series));
}

void add_all_series(const Chart& chart, RooflinePlot& plot) {
  if (!chart.swept) return;
  std::map<std::pair<std::string, std::string>, std::vector<const PlotMark*>> by_name;
  for (const auto& mark : plot.marks) {
    const auto& kernel = chart.kernels[mark.kernel];
    by_name[{kernel.name, kernel.pipe}].push_back(&mark);
  }
  for (auto& [name, marks] : by_name)
    if (marks.size() > 1) add_series(chart, std::move(marks), plot);
}

void add_marks(const Chart& chart, const PlotRequest& request, RooflinePlot& plot) {
  for (std::size_t i = 0; i < chart.kernels.size(); ++i) {
    if (!chart.kernels[i].placeable()) {
      plot.unplaced.push_back(i);
    } else if (plot.marks.size() == kMostMarks) {
      ++plot.left_out;
    } else {
      plot.marks.push_back(mark_of(chart, i, request, plot.frame));
      if (plot.marks.back().edge != Edge::none) plot.outside.push_back(i);
    }
  }
  add_before(chart, plot.frame, plot.marks);
  // Kernels come by time, and area follows time: the small ones end on top.
  std::stable_sort(plot.marks.begin(), plot.marks.end(),
                   [](const auto& a, const auto& b) { return a.radius > b.radius; });
}

}  // namespace

Shape shape_of(const ChartKernel& kernel) {
  if (kernel.balanced) return Shape::diamond;
  switch (kernel.bound) {
    case Bound::memory: return Shape::circle;
    case Bound::compute: return Shape::square;
    case Bound::overhead: return Shape::triangle;
    case Bound::link:
    case Bound::unknown: break;
  }
  return Shape::diamond;
}

RooflinePlot layout(const Chart& chart, const PlotRequest& request) {
  RooflinePlot plot;
  plot.frame = frame_of(request.span ? *request.span : span_of(chart), request.area);
  add_roofs(chart, request.levels, plot);
  add_marks(chart, request, plot);
  add_all_series(chart, plot);
  LabelPlacer labels(plot);
  labels.ridges();
  labels.roofs(chart);
  labels.crossings();
  labels.kernels(chart, request.numbered);
  return plot;
}

}  // namespace roofline::plot
