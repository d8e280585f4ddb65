#include "report/plot/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::plot {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
constexpr double kAscent = 0.8,
                 kDescent = 0.22;  // of the size: what letters take above and below the base line
constexpr double kSmall = 11, kGap = 4;
constexpr double kMargin = 1.5;  // beside a label, so that two of them do not read as one word
constexpr std::size_t kNameColumns = 26;

Quad box_of(const PlotLabel& label, Point at) {
  const Point origin{at.x - std::sin(label.angle) * label.size * kDescent,
                     at.y + std::cos(label.angle) * label.size * kDescent};
  const bool bold = label.kind == LabelKind::number;
  const Point start{origin.x - std::cos(label.angle) * kMargin,
                    origin.y - std::sin(label.angle) * kMargin};
  return turned_quad(start, label.angle, text_width(label.text, label.size, bold) + 2 * kMargin,
                     label.size * (kAscent + kDescent));
}

Rect bounds(const Quad& quad) {
  Rect rect{1e300, 1e300, -1e300, -1e300};
  for (const auto& p : quad.corners)
    rect = {std::min(rect.left, p.x), std::min(rect.top, p.y), std::max(rect.right, p.x),
            std::max(rect.bottom, p.y)};
  return rect;
}

bool inside(const Quad& quad, const Rect& area) {
  return std::all_of(quad.corners.begin(), quad.corners.end(),
                     [&](const Point& p) { return area.contains(p); });
}

Rect square_round(Point at, double radius) {
  return {at.x - radius, at.y - radius, at.x + radius, at.y + radius};
}

std::string kind_suffix(CeilingKind kind) {
  return kind == CeilingKind::datasheet ? std::string()
                                        : fmt::format(" ({})", ceiling_kind_name(kind));
}

/// "BF16 tensor, dense, FP16 tensor, dense 989.4 TFLOP/s" of roofs at one height would repeat
/// itself: "BF16, FP16 tensor, dense".
std::string joined_titles(std::vector<std::string> titles) {
  if (titles.size() < 2) return titles.empty() ? std::string() : titles.front();
  const auto tail = titles.front().find(' ');
  const bool same =
      tail != std::string::npos &&
      std::all_of(titles.begin(), titles.end(), [&](const std::string& title) {
        const auto cut = title.find(' ');
        return cut != std::string::npos && title.substr(cut) == titles.front().substr(tail);
      });
  if (!same) return joined(titles, "; ");
  std::vector<std::string> heads;
  for (const auto& title : titles) heads.push_back(title.substr(0, title.find(' ')));
  return joined(heads, "/") + titles.front().substr(tail);
}

}  // namespace

LabelPlacer::LabelPlacer(RooflinePlot& plot) : plot_(plot) {
  for (std::size_t i = 0; i < plot.marks.size(); ++i) {
    const auto& mark = plot.marks[i];
    marks_.push_back({quad_of(square_round(mark.at, mark.radius + 1)), i});
    if (mark.attainable) marks_.push_back({quad_of(square_round(*mark.attainable, 4.5)), i});
  }
  for (const auto& mark : plot.marks) {
    if (mark.measured_x) lines_.push_back(quad_of_line(mark.at, {*mark.measured_x, mark.at.y}, 8));
    if (mark.attainable) lines_.push_back(quad_of_line(mark.at, *mark.attainable, 2));
    for (const auto& level : mark.levels)
      lines_.push_back(
          quad_of_line({level.at.x - 9, level.at.y}, {level.at.x + 9, level.at.y}, 14));
  }
  for (const auto& roof : plot.roofs) lines_.push_back(quad_of_line(roof.a, roof.b, 2));
  for (const auto& ridge : plot.ridges)
    lines_.push_back(quad_of_line({ridge.x, ridge.top}, {ridge.x, plot.frame.area.bottom}, 1));
}

bool LabelPlacer::is_free(const Quad& box, Tolerance tolerance, std::size_t owner) const {
  if (!inside(box, plot_.frame.area)) return false;
  const auto hits = [&](const Quad& other) { return overlap(box, other); };
  if (std::any_of(plot_.labels.begin(), plot_.labels.end(),
                  [&](const auto& label) { return hits(label.box); }))
    return false;
  if (tolerance == Tolerance::marks) return true;
  if (std::any_of(marks_.begin(), marks_.end(),
                  [&](const auto& mark) { return mark.owner != owner && hits(mark.box); }))
    return false;
  return tolerance == Tolerance::lines || std::none_of(lines_.begin(), lines_.end(), hits);
}

void LabelPlacer::keep(PlotLabel label) { plot_.labels.push_back(std::move(label)); }

bool LabelPlacer::place(PlotLabel label, std::span<const Point> candidates, Tolerance tolerance) {
  for (const auto& at : candidates) {
    const auto box = box_of(label, at);
    if (!is_free(box, tolerance, label.owner)) continue;
    label.at = at;
    label.box = box;
    keep(std::move(label));
    return true;
  }
  return false;
}

/// Along its line to the place that is furthest from every mark.
void LabelPlacer::slope_label(const PlotRoof& roof, const std::string& text) {
  PlotLabel label{.kind = LabelKind::roof,
                  .text = text,
                  .angle = std::atan2(roof.b.y - roof.a.y, roof.b.x - roof.a.x),
                  .size = 12,
                  .owner = kNobody};
  constexpr int kSteps = 60;
  constexpr double kAbove[] = {5, -17, -29};  // pixels: best above its line
  std::optional<std::pair<double, PlotLabel>> best;
  for (const auto tolerance : {Tolerance::none, Tolerance::lines, Tolerance::marks}) {
    for (int step = 1; step < 3 * kSteps; ++step) {
      const double t = static_cast<double>(step % kSteps) / kSteps;
      const double up = kAbove[step / kSteps];
      label.at = {roof.a.x + t * (roof.b.x - roof.a.x) + std::sin(label.angle) * up,
                  roof.a.y + t * (roof.b.y - roof.a.y) - std::cos(label.angle) * up};
      label.box = box_of(label, label.at);
      if (!is_free(label.box, tolerance, kNobody)) continue;
      const auto box = bounds(label.box);
      const Point centre{(box.left + box.right) / 2, (box.top + box.bottom) / 2};
      double room = 200;  // further away is not better: then the middle of the line is
      for (const auto& mark : plot_.marks)
        room = std::min(room, distance(centre, mark.at) - mark.radius);
      room -= std::abs(t - 0.4) * 20 + (up < 0 ? -up : 0);
      if (!best || room > best->first) best.emplace(room, label);
    }
    if (best) return keep(std::move(best->second));
  }
}

void LabelPlacer::level_label(const PlotRoof& roof, const std::string& text) {
  PlotLabel label{.kind = LabelKind::roof, .text = text, .size = 12, .owner = kNobody};
  const double width = text_width(text, label.size);
  // On its line; only where that is full, left of where the line starts.
  std::vector<Point> on_line, left_of_it;
  for (double right = roof.b.x - 6; right - width >= plot_.frame.area.left; right -= 16)
    for (const double down : {-5.0, 14.0})
      (right - width >= roof.a.x ? on_line : left_of_it)
          .push_back({right - width, roof.a.y + down});
  for (const auto* candidates : {&on_line, &left_of_it})
    for (const auto tolerance : {Tolerance::none, Tolerance::lines})
      if (place(label, *candidates, tolerance)) return;
  if (!place(label, on_line, Tolerance::marks)) place(label, left_of_it, Tolerance::marks);
}

void LabelPlacer::roofs(const Chart& chart) {
  std::vector<bool> done(plot_.roofs.size());
  for (std::size_t i = 0; i < plot_.roofs.size(); ++i) {
    if (done[i]) continue;
    const auto& roof = chart.roofs[plot_.roofs[i].roof];
    std::vector<std::string> titles;
    for (std::size_t j = i; j < plot_.roofs.size(); ++j) {
      const auto& other = chart.roofs[plot_.roofs[j].roof];
      if (other.unit != roof.unit || other.kind != roof.kind || other.per_second != roof.per_second)
        continue;
      done[j] = true;
      titles.push_back(other.title);
    }
    const auto text = joined_titles(std::move(titles)) + " " +
                      format_quantity(roof.per_second, roof.unit) + kind_suffix(roof.kind);
    if (roof.is_slope())
      slope_label(plot_.roofs[i], text);
    else
      level_label(plot_.roofs[i], text);
  }
}

void LabelPlacer::ridges() {
  for (const auto& ridge : plot_.ridges) {
    const double rounded = ridge.intensity >= 10 ? std::round(ridge.intensity) : ridge.intensity;
    PlotLabel label{.kind = LabelKind::ridge,
                    .text = "ridge " + format_number(rounded),
                    .size = kSmall,
                    .owner = kNobody};
    const double width = text_width(label.text, label.size);
    std::vector<Point> candidates;
    for (double y = plot_.frame.area.bottom - 6; y > ridge.top + 20; y -= 14)
      for (const double x : {ridge.x + kGap, ridge.x - kGap - width}) candidates.push_back({x, y});
    if (!place(label, candidates, Tolerance::none)) place(label, candidates, Tolerance::marks);
  }
}

bool LabelPlacer::beside(PlotLabel label, const PlotMark& mark) {
  const bool bold = label.kind == LabelKind::number;
  const double width = text_width(label.text, label.size, bold), height = label.size * kAscent;
  const auto [x, y] = mark.at;
  std::vector<Point> candidates;
  for (const double extra : {0.0, 9.0, 20.0}) {  // a little further off where the near places are taken
    const double away = mark.radius + kGap + extra, slant = mark.radius * 0.75 + 3 + extra;
    candidates.insert(candidates.end(), {{x + away, y + height / 2},
                                         {x + slant, y - slant},
                                         {x + slant, y + slant + height},
                                         {x - away - width, y + height / 2},
                                         {x - width / 2, y - away},
                                         {x - width / 2, y + away + height},
                                         {x - slant - width, y - slant},
                                         {x - slant - width, y + slant + height}});
  }
  return place(label, candidates, Tolerance::none) ||
         place(label, std::span(candidates).first(8), Tolerance::lines);
}

void LabelPlacer::numbers(const Chart& chart, std::size_t numbered) {
  // By number, so that where there is no room for all, the heaviest kernels keep theirs.
  std::vector<std::size_t> order(plot_.marks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plot_.marks[a].kernel < plot_.marks[b].kernel;
  });
  for (const auto i : order) {
    const auto& mark = plot_.marks[i];
    const auto& kernel = chart.kernels[mark.kernel];
    const bool swept = !kernel.point.empty();
    if (!swept && kernel.number > numbered) continue;
    PlotLabel label{
        .kind = swept ? LabelKind::point : LabelKind::number,
        .text = swept ? format_number(kernel.point_value) : std::to_string(kernel.number),
        .size = kSmall,
        .owner = i};
    const double width = text_width(label.text, label.size, true);
    if (!swept && mark.edge == Edge::none && width + 4 <= 1.7 * mark.radius) {
      label.inside = true;
      label.at = {mark.at.x - width / 2, mark.at.y + label.size * 0.36};
      // Smaller marks are drawn over larger ones: a number under them cannot be read.
      label.box = box_of(label, label.at);
      if (is_free(label.box, Tolerance::lines, i)) {
        keep(std::move(label));
        continue;
      }
      label.inside = false;
    }
    beside(std::move(label), mark);
  }
}

void LabelPlacer::crossings() {
  for (const auto& series : plot_.series) {
    if (!series.crossing) continue;
    PlotMark at;
    at.at = *series.crossing;
    beside({.kind = LabelKind::crossing,
            .text = series.crossing_text,
            .size = kSmall,
            .owner = kNobody},
           at);
  }
}

void LabelPlacer::names(const Chart& chart) {
  if (chart.swept) {
    for (const auto& series : plot_.series) {
      PlotMark end;
      end.at = series.points.back();
      beside({.kind = LabelKind::name,
              .text = shortened(series.name, kNameColumns),
              .size = kSmall,
              .owner = kNobody},
             end);
    }
    return;
  }
  for (std::size_t i = 0; i < plot_.marks.size(); ++i) {
    const auto& kernel = chart.kernels[plot_.marks[i].kernel];
    if (kernel.number > kMostNames) continue;
    beside({.kind = LabelKind::name,
            .text = shortened(kernel.name, kNameColumns),
            .size = kSmall,
            .owner = i},
           plot_.marks[i]);
  }
}

}  // namespace roofline::plot
