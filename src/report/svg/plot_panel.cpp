#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/page/phrases.hpp"
#include "report/svg/panels.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::svg {
namespace {

using plot::Point;
using plot::Rect;

std::string_view dashes_of(CeilingKind kind) {
  switch (kind) {
    case CeilingKind::datasheet: return {};
    case CeilingKind::calibrated: return "7 4";
    case CeilingKind::observed: break;
  }
  return "1.5 3";
}

void draw_regions(Canvas& canvas, const Rect& area, double split) {
  const double middle = split > 0 ? split : area.right;
  canvas.rect({area.left, area.top, middle, area.bottom}, Ink::memory_region);
  if (split > 0) canvas.rect({split, area.top, area.right, area.bottom}, Ink::compute_region);
}

/// What the axes count: that of the marks, FLOPs where there are none.
struct AxisTitles {
  std::string_view x = "arithmetic intensity, FLOP per byte of DRAM traffic", y = "FLOP/s";
};
AxisTitles axis_titles(const Sheet& sheet) {
  bool flops = false, operations = false;
  for (const auto& mark : sheet.plot.marks)
    (sheet.chart.kernels[mark.kernel].work == WorkUnit::op ? operations : flops) = true;
  if (!operations) return {};
  if (!flops) return {"operations per byte of DRAM traffic", "op/s"};
  return {"FLOP, of integer kernels operations, per byte of DRAM traffic", "FLOP/s, op/s"};
}

void draw_axes(Canvas& canvas, const Sheet& sheet) {
  const auto& frame = sheet.plot.frame;
  const auto titles = axis_titles(sheet);
  const auto& area = frame.area;
  for (const auto& tick : plot::ticks(frame.x, false)) {
    if (tick.label.empty()) {
      canvas.line({tick.at, area.bottom}, {tick.at, area.bottom + 3}, {Ink::grid});
      continue;
    }
    canvas.line({tick.at, area.top}, {tick.at, area.bottom + 5}, {Ink::grid});
    canvas.text({tick.at, area.bottom + 18}, tick.label,
                {.ink = Ink::muted, .anchor = Anchor::middle});
  }
  for (const auto& tick : plot::ticks(frame.y, true)) {
    if (tick.label.empty()) continue;
    canvas.line({area.left - 5, tick.at}, {area.right, tick.at}, {Ink::grid});
    canvas.text({area.left - 8, tick.at + 4}, tick.label,
                {.ink = Ink::muted, .anchor = Anchor::end});
  }
  canvas.text({(area.left + area.right) / 2, area.bottom + 38}, titles.x,
              {.anchor = Anchor::middle});
  canvas.text({area.left - 52, (area.top + area.bottom) / 2}, titles.y,
              {.anchor = Anchor::middle, .degrees = -90});
  canvas.xml().line();
}

/// An empty frame would look like a mistake.
void draw_nothing_placed(Canvas& canvas, const Rect& area) {
  constexpr std::string_view kLines[] = {"no kernel has both FLOPs and bytes to be placed by:",
                                         "describe them (--spec), or count (profile --counters)"};
  double y = area.bottom - 60;
  for (const auto line : kLines) {
    canvas.text({(area.left + area.right) / 2, y}, line,
                {.ink = Ink::muted, .anchor = Anchor::middle, .halo = true});
    y += 18;
  }
}

void draw_roofs(Canvas& canvas, const Sheet& sheet) {
  for (const auto& ridge : sheet.plot.ridges)
    canvas.line({ridge.x, ridge.top}, {ridge.x, sheet.plot.frame.area.bottom},
                {Ink::muted, 1, "1 4"});
  for (const auto& roof : sheet.plot.roofs) {
    const auto kind = sheet.chart.roofs[roof.roof].kind;
    canvas.line(roof.a, roof.b,
                {Ink::roof, kind == CeilingKind::datasheet ? 2.0 : 1.5, dashes_of(kind)});
  }
  canvas.xml().line();
}

void append_polygon(std::string& d, std::initializer_list<Point> points) {
  char command = 'M';
  for (const auto& p : points) {
    d += command;
    append_point(d, p);
    command = 'L';
  }
  d += 'z';
}

/// An arrow head at the edge: the true place lies beyond.
std::string edge_path(const plot::PlotMark& mark) {
  const auto [x, y] = mark.at;
  constexpr double kLong = 7, kWide = 6;
  std::string d;
  switch (mark.edge) {
    case plot::Edge::left:
      append_polygon(d, {{x - kLong, y}, {x + kLong, y - kWide}, {x + kLong, y + kWide}});
      break;
    case plot::Edge::right:
      append_polygon(d, {{x + kLong, y}, {x - kLong, y - kWide}, {x - kLong, y + kWide}});
      break;
    case plot::Edge::top:
      append_polygon(d, {{x, y - kLong}, {x - kWide, y + kLong}, {x + kWide, y + kLong}});
      break;
    case plot::Edge::bottom:
    case plot::Edge::none:
      append_polygon(d, {{x, y + kLong}, {x - kWide, y - kLong}, {x + kWide, y - kLong}});
      break;
  }
  return d;
}

/// A shape of the same area as a circle of `radius`.
std::string shape_path(plot::Shape shape, Point at, double radius) {
  const auto [x, y] = at;
  std::string d;
  if (shape == plot::Shape::square) {
    const double half = radius * std::sqrt(std::numbers::pi) / 2;
    append_polygon(
        d,
        {{x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}});
  } else if (shape == plot::Shape::triangle) {
    const double side = radius * 2 * std::sqrt(std::numbers::pi / std::numbers::sqrt3);
    const double height = side * std::numbers::sqrt3 / 2;
    append_polygon(
        d,
        {{x, y - height * 2 / 3}, {x + side / 2, y + height / 3}, {x - side / 2, y + height / 3}});
  } else {
    const double half = radius * std::sqrt(std::numbers::pi / 2);
    append_polygon(d, {{x, y - half}, {x + half, y}, {x, y + half}, {x - half, y}});
  }
  return d;
}

void draw_shape(Canvas& canvas, plot::Shape shape, Point at, double radius, Ink fill,
                const Stroke& stroke) {
  if (shape == plot::Shape::circle)
    canvas.circle(at, radius, fill, stroke);
  else
    canvas.path(shape_path(shape, at, radius), fill, stroke);
}

/// From the intensity of the description to the one that counters saw.
void draw_excess(Canvas& canvas, const plot::PlotMark& mark, Ink ink) {
  const double direction = *mark.measured_x < mark.at.x ? -1 : 1;
  const Point from{mark.at.x + direction * mark.radius, mark.at.y}, to{*mark.measured_x, mark.at.y};
  canvas.line(from, to, {ink, 1.5});
  std::string d;
  append_polygon(d, {to, {to.x - direction * 7, to.y - 4}, {to.x - direction * 7, to.y + 4}});
  canvas.path(d, ink, {ink});
}

void draw_before(Canvas& canvas, const plot::PlotMark& mark) {
  const Point from = *mark.before, to = mark.at;
  const double length = plot::distance(from, to), dx = (to.x - from.x) / length,
               dy = (to.y - from.y) / length;
  draw_shape(canvas, mark.shape, from, plot::ghost_radius(mark), Ink::background,
             {Ink::ghost, 1.5, "3 2"});
  const double end = std::max(0.0, length - mark.radius - 2);
  const Point tip{from.x + dx * end, from.y + dy * end};
  if (end < 8) return;  // an arrow would be larger than its way
  canvas.line(from, tip, {Ink::ghost, 1.5});
  std::string d;
  append_polygon(d, {tip,
                     {tip.x - dx * 7 - dy * 3.5, tip.y - dy * 7 + dx * 3.5},
                     {tip.x - dx * 7 + dy * 3.5, tip.y - dy * 7 - dx * 3.5}});
  canvas.path(d, Ink::ghost, {Ink::ghost});
}

void draw_levels(Canvas& canvas, const plot::PlotMark& mark, Ink ink) {
  for (const auto& level : mark.levels) {
    canvas.line(mark.at, level.at, {ink, 1, "2 2"});
    canvas.pill({level.at.x - 9, level.at.y - 7, level.at.x + 9, level.at.y + 7}, {ink, 1});
    canvas.text({level.at.x, level.at.y + 4}, level.label, {.size = 11, .anchor = Anchor::middle});
  }
}

void draw_mark(Canvas& canvas, const Sheet& sheet, const plot::PlotMark& mark) {
  const auto& kernel = sheet.chart.kernels[mark.kernel];
  const Ink ink = ink_of(kernel);
  auto& xml = canvas.xml();
  xml.open("g")
      .attr("data-k", std::to_string(kernel.number))
      .attr("tabindex", "0")
      .attr("role", "img");
  xml.open("title").text(mark_text(kernel)).close();
  if (mark.before) draw_before(canvas, mark);
  if (mark.attainable) {
    canvas.line(mark.at, *mark.attainable, {ink, 1.5});
    canvas.circle(*mark.attainable, 3.5, Ink::background, {ink, 1.5});
  }
  if (mark.measured_x) draw_excess(canvas, mark, ink);
  draw_levels(canvas, mark, ink);
  if (mark.edge != plot::Edge::none)
    canvas.path(edge_path(mark), ink, {Ink::background});
  else if (mark.hollow)
    draw_shape(canvas, mark.shape, mark.at, mark.radius, Ink::background, {ink, 2});
  else
    draw_shape(canvas, mark.shape, mark.at, mark.radius, ink, {Ink::background});
  xml.close().line();
}

void draw_series(Canvas& canvas, const plot::PlotSeries& series) {
  std::string points;
  for (const auto& p : series.points) {
    if (!points.empty()) points += ' ';
    append_point(points, p);
  }
  canvas.polyline(points, {Ink::ghost, 1.5});
  if (series.crossing) canvas.circle(*series.crossing, 5, Ink::background, {Ink::roof, 1.5});
}

void draw_label(Canvas& canvas, const Sheet& sheet, const plot::PlotLabel& label) {
  TextStyle style{.size = label.size, .degrees = label.angle * 180 / std::numbers::pi};
  Point at = label.at;
  switch (label.kind) {
    case plot::LabelKind::roof: style.halo = true; break;
    case plot::LabelKind::ridge: style.ink = Ink::muted; break;
    case plot::LabelKind::number: {
      style.bold = true;
      if (!label.inside) break;
      const auto& mark = sheet.plot.marks[label.owner];
      style.anchor = Anchor::middle;
      at.x = mark.at.x;
      if (!mark.hollow) style.ink = ink_on(ink_of(sheet.chart.kernels[mark.kernel]));
      break;
    }
    case plot::LabelKind::crossing: style.bold = true; break;
    case plot::LabelKind::name: style.strong = label.strong; break;
    case plot::LabelKind::point: break;
  }
  // A page's script hides the labels of marks that it hides.
  const bool owned = canvas.classes() && label.owner < sheet.plot.marks.size();
  if (owned)
    canvas.xml().open("g").attr(
        "data-k", std::to_string(sheet.chart.kernels[sheet.plot.marks[label.owner].kernel].number));
  if (label.leader) canvas.line(label.leader->first, label.leader->second, {Ink::muted, 1});
  canvas.text(at, label.text, style);
  if (owned) canvas.xml().close();
  canvas.xml().line();
}

}  // namespace

std::string mark_text(const ChartKernel& kernel) {
  std::string text = fmt::format("{} {}", kernel.number, kernel.name);
  if (!kernel.point.empty()) text += ", " + kernel.point;
  text += kernel.bound == Bound::unknown ? std::string(": bound not known")
                                         : fmt::format(": {}-bound", bound_name(kernel.bound));
  if (kernel.balanced) text += ", balanced";
  if (!kernel.pipes.empty()) text += ", " + kernel.pipes;
  const auto intensity = [&](double value) {
    return fmt::format("{} {}/B", format_number(value), work_unit_name(kernel.work));
  };
  if (kernel.intensity) text += ", " + intensity(*kernel.intensity);
  if (kernel.measured_intensity) text += ", measured " + intensity(*kernel.measured_intensity);
  if (const auto rate = kernel.achieved_flop_rate())
    text += ", " + format_quantity(*rate, work_rate_name(kernel.work));
  if (const auto rate = kernel.attainable_flop_rate())
    text += fmt::format(" of {} attainable", format_quantity(*rate, work_rate_name(kernel.work)));
  if (kernel.fraction_of_ceiling)
    text += fmt::format(", {} of its ceiling", phrases::percent(*kernel.fraction_of_ceiling));
  if (kernel.excess_traffic)
    text += fmt::format(", excess traffic {}", phrases::times(*kernel.excess_traffic));
  text += fmt::format(", {} of the {}", phrases::percent(kernel.share),
                      kernel.time_s ? "time" : "floor");
  if (!kernel.advice.empty()) text += ". " + kernel.advice;
  return text;
}

void draw_plot(Canvas& canvas, const Sheet& sheet) {
  const auto& area = sheet.plot.frame.area;
  draw_regions(canvas, area, sheet.plot.region_split);
  draw_axes(canvas, sheet);
  if (sheet.plot.region_split > 0) {
    canvas.text({area.left, area.top - 8}, "memory-bound left of the ridge", {.ink = Ink::memory});
    canvas.text({area.right, area.top - 8}, "compute-bound right of it",
                {.ink = Ink::compute, .anchor = Anchor::end});
  }
  if (sheet.plot.marks.empty() && !sheet.chart.kernels.empty()) draw_nothing_placed(canvas, area);
  draw_roofs(canvas, sheet);
  for (const auto& series : sheet.plot.series) draw_series(canvas, series);
  canvas.xml().open("g").attr("class", "marks");
  for (const auto& mark : sheet.plot.marks) draw_mark(canvas, sheet, mark);
  canvas.xml().close().line();
  canvas.xml().open("g").attr("class", "labels").attr("pointer-events", "none");
  for (const auto& label : sheet.plot.labels) draw_label(canvas, sheet, label);
  canvas.xml().close().line();
}

double draw_legend(Canvas& canvas, const Sheet& sheet, Point at, double right) {
  struct Entry {
    std::string_view text;
    plot::Shape shape;
    Ink ink;
    bool (*shown)(const ChartKernel&);
  };
  static constexpr Entry kEntries[] = {
      {"memory-bound", plot::Shape::circle, Ink::memory,
       [](const ChartKernel& k) { return !k.balanced && k.bound == Bound::memory; }},
      {"compute-bound", plot::Shape::square, Ink::compute,
       [](const ChartKernel& k) { return !k.balanced && k.bound == Bound::compute; }},
      {"overhead-bound", plot::Shape::triangle, Ink::overhead,
       [](const ChartKernel& k) { return !k.balanced && k.bound == Bound::overhead; }},
      {"balanced, or not known", plot::Shape::diamond, Ink::other,
       [](const ChartKernel& k) {
         return k.balanced || k.bound == Bound::unknown || k.bound == Bound::link;
       }},
  };
  double x = at.x, y = at.y;
  const auto advance = [&](std::string_view text) {
    const double width = 18 + plot::text_width(text, 11) + 16;
    if (x > at.x && x + width > right + 16) {
      x = at.x;
      y += 17;
    }
    canvas.text({x + 18, y + 4}, text, {.ink = Ink::muted, .size = 11});
    x += width;
    return Point{x - width + 8, y};
  };
  for (const auto& entry : kEntries)
    if (std::any_of(sheet.chart.kernels.begin(), sheet.chart.kernels.end(), entry.shown))
      draw_shape(canvas, entry.shape, advance(entry.text), 5, entry.ink, {Ink::background});
  const auto& marks = sheet.plot.marks;
  const auto some = [&](auto test) { return std::any_of(marks.begin(), marks.end(), test); };
  if (some([](const auto& m) { return m.hollow; }))
    draw_shape(canvas, plot::Shape::circle, advance("hollow: at the floor, no time given"), 5,
               Ink::background, {Ink::muted, 2});
  if (some([](const auto& m) { return m.attainable.has_value(); }))
    canvas.circle(advance("attainable"), 3.5, Ink::background, {Ink::muted, 1.5});
  if (some([](const auto& m) { return m.measured_x.has_value(); })) {
    const auto p = advance("to the intensity that counters saw");
    canvas.line({p.x + 7, p.y}, {p.x - 3, p.y}, {Ink::muted, 1.5});
    std::string d;
    append_polygon(d, {{p.x - 7, p.y}, {p.x, p.y - 4}, {p.x, p.y + 4}});
    canvas.path(d, Ink::muted, {Ink::muted});
  }
  if (some([](const auto& m) { return m.before.has_value(); }))
    canvas.circle(advance("before"), 5, Ink::background, {Ink::ghost, 1.5, "3 2"});
  if (some([](const auto& m) { return !m.levels.empty(); })) {
    const auto p = advance("by the traffic of L2, L1, shared memory");
    canvas.pill({p.x - 7, p.y - 5, p.x + 7, p.y + 5}, {Ink::muted, 1});
  }
  const auto has_kind = [&](CeilingKind kind) {
    return std::any_of(sheet.plot.roofs.begin(), sheet.plot.roofs.end(),
                       [&](const auto& roof) { return sheet.chart.roofs[roof.roof].kind == kind; });
  };
  for (const auto& [kind, text] : {std::pair(CeilingKind::calibrated, "calibrated"),
                                   std::pair(CeilingKind::observed, "at the clock that ran")}) {
    if (!has_kind(kind)) continue;
    const auto p = advance(text);
    canvas.line({p.x - 8, p.y}, {p.x + 8, p.y}, {Ink::roof, 1.5, dashes_of(kind)});
  }
  canvas.xml().line();
  return y + 10;
}

}  // namespace roofline::svg
