#include "report/plot/label_space.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::plot {
namespace {

constexpr double kMargin = 1.5;  // beside a label, so that two of them do not read as one word
constexpr double kLeaderThickness = 3;
constexpr double kEdgeRadius = 7;  // of an arrow at the frame's edge
// A place costs its distance from the mark in pixels, and for what makes it harder to read:
constexpr double kOverLine = 14, kNearerToAnother = 12, kLeaderOverMark = 8;
constexpr double kNear = 10;  // further off, a leader is needed
constexpr double kRounds[] = {0, 9, 20, 34, 50};

Rect square_round(Point at, double radius) {
  return {at.x - radius, at.y - radius, at.x + radius, at.y + radius};
}

bool meet(const Rect& a, const Rect& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

Point nearest_point(const Rect& box, Point to) {
  return {std::clamp(to.x, box.left, box.right), std::clamp(to.y, box.top, box.bottom)};
}

double radius_of(const PlotMark& mark) {
  return mark.edge == Edge::none ? mark.radius : kEdgeRadius;
}

/// From the label's edge to the mark's.
std::pair<Point, Point> leader_between(const Rect& box, const PlotMark& mark) {
  const auto from = nearest_point(box, mark.at);
  const double length = std::max(distance(from, mark.at), 1e-9);
  const double part = std::max(0.0, length - radius_of(mark)) / length;
  return {from, {from.x + (mark.at.x - from.x) * part, from.y + (mark.at.y - from.y) * part}};
}

/// Where a label's base line may start in one round of places, the best first.
void append_round(std::vector<Point>& places, const PlotLabel& label, const PlotMark& mark,
                  double extra) {
  const double width = label_width(label), height = label.size * kAscent;
  const auto [x, y] = mark.at;
  const double radius = radius_of(mark);
  const double away = radius + kLabelGap + extra, slant = radius * 0.75 + 3 + extra;
  places.insert(places.end(), {{x + away, y + height / 2},
                               {x + slant, y - slant},
                               {x + slant, y + slant + height},
                               {x - away - width, y + height / 2},
                               {x - width / 2, y - away},
                               {x - width / 2, y + away + height},
                               {x - slant - width, y - slant},
                               {x - slant - width, y + slant + height}});
}

}  // namespace

double label_width(const PlotLabel& label) {
  const double text = text_width(label.text, label.size, label.kind == LabelKind::number);
  return label.strong.empty() ? text : text + text_width(label.strong, label.size, true);
}

Quad box_of(const PlotLabel& label, Point at) {
  const double sine = std::sin(label.angle), cosine = std::cos(label.angle);
  const Point origin{at.x - sine * label.size * kDescent, at.y + cosine * label.size * kDescent};
  const Point start{origin.x - cosine * kMargin, origin.y - sine * kMargin};
  return turned_quad(start, label.angle, label_width(label) + 2 * kMargin,
                     label.size * (kAscent + kDescent));
}

Rect bounds(const Quad& quad) {
  Rect rect{1e300, 1e300, -1e300, -1e300};
  for (const auto& p : quad.corners)
    rect = {std::min(rect.left, p.x), std::min(rect.top, p.y), std::max(rect.right, p.x),
            std::max(rect.bottom, p.y)};
  return rect;
}

LabelSpace::Obstacle LabelSpace::obstacle(const Quad& box, std::size_t owner) {
  return {box, bounds(box), owner};
}

LabelSpace::LabelSpace(const RooflinePlot& plot) : plot_(plot) {
  for (std::size_t i = 0; i < plot.marks.size(); ++i) {
    const auto& mark = plot.marks[i];
    marks_.push_back(obstacle(quad_of(square_round(mark.at, radius_of(mark) + 1)), i));
    if (mark.attainable)
      rings_.push_back(obstacle(quad_of(square_round(*mark.attainable, 4.5)), i));
    if (mark.before)
      rings_.push_back(
          obstacle(quad_of(square_round(*mark.before, ghost_radius(mark) + 1)), kNobody));
  }
  const auto line = [&](Point a, Point b, double thickness) {
    lines_.push_back(obstacle(quad_of_line(a, b, thickness), kNobody));
  };
  for (const auto& mark : plot.marks) {
    if (mark.measured_x) line(mark.at, {*mark.measured_x, mark.at.y}, 8);
    if (mark.attainable) line(mark.at, *mark.attainable, 2);
    if (mark.before) line(mark.at, *mark.before, 8);
    for (const auto& level : mark.levels)
      line({level.at.x - 9, level.at.y}, {level.at.x + 9, level.at.y}, 14);
  }
  for (const auto& roof : plot.roofs) line(roof.a, roof.b, 2);
  for (const auto& ridge : plot.ridges)
    line({ridge.x, ridge.top}, {ridge.x, plot.frame.area.bottom}, 1);
}

bool LabelSpace::hits(const std::vector<Obstacle>& all, const Quad& box, const Rect& around,
                      std::size_t owner) const {
  return std::any_of(all.begin(), all.end(), [&](const Obstacle& other) {
    return (owner == kNobody || other.owner != owner) && meet(around, other.bounds) &&
           overlap(box, other.box);
  });
}

bool LabelSpace::is_free(const Quad& box, Tolerance tolerance, std::size_t owner) const {
  const auto around = bounds(box);
  const auto& area = plot_.frame.area;
  if (!area.contains({around.left, around.top}) || !area.contains({around.right, around.bottom}))
    return false;
  if (hits(labels_, box, around, kNobody) || hits(leaders_, box, around, kNobody)) return false;
  if (tolerance == Tolerance::marks) return true;
  if (hits(marks_, box, around, owner) || hits(rings_, box, around, owner)) return false;
  return tolerance == Tolerance::lines || !hits(lines_, box, around, kNobody);
}

void LabelSpace::add(const PlotLabel& label) {
  labels_.push_back(obstacle(label.box, label.owner));
  if (label.leader)
    leaders_.push_back(obstacle(
        quad_of_line(label.leader->first, label.leader->second, kLeaderThickness), label.owner));
}

std::optional<PlotLabel> LabelSpace::first_free(PlotLabel label, std::span<const Point> candidates,
                                                Tolerance tolerance) const {
  for (const auto& at : candidates) {
    label.box = box_of(label, at);
    if (!is_free(label.box, tolerance, label.owner)) continue;
    label.at = at;
    return label;
  }
  return std::nullopt;
}

bool LabelSpace::nearer_to_another(const Rect& box, std::size_t owner, double gap) const {
  const Rect around{box.left - gap, box.top - gap, box.right + gap, box.bottom + gap};
  return std::any_of(marks_.begin(), marks_.end(), [&](const Obstacle& other) {
    if (other.owner == owner || !meet(around, other.bounds)) return false;
    const auto& mark = plot_.marks[other.owner];
    return distance(nearest_point(box, mark.at), mark.at) - radius_of(mark) < gap;
  });
}

/// What a place costs, its leader set where it needs one; nullopt: not free, or above `limit`.
std::optional<double> LabelSpace::cost(PlotLabel& label, const PlotMark& mark, double limit) const {
  if (!is_free(label.box, Tolerance::lines, label.owner)) return std::nullopt;
  const auto box = bounds(label.box);
  const double gap =
      std::max(0.0, distance(nearest_point(box, mark.at), mark.at) - radius_of(mark));
  double sum = gap;
  if (hits(lines_, label.box, box, kNobody)) sum += kOverLine;
  const bool ambiguous = nearer_to_another(box, label.owner, gap);
  if (ambiguous) sum += kNearerToAnother;
  if (sum >= limit) return std::nullopt;
  label.leader.reset();
  if (!ambiguous && gap <= kNear) return sum;
  // The values of a sweep stand close together: leaders would hide its line.
  if (label.kind == LabelKind::point) return std::nullopt;
  const auto leader = leader_between(box, mark);
  const auto line = quad_of_line(leader.first, leader.second, kLeaderThickness);
  const auto line_bounds = bounds(line);
  if (hits(labels_, line, line_bounds, kNobody) || hits(leaders_, line, line_bounds, kNobody))
    return std::nullopt;
  if (hits(marks_, line, line_bounds, label.owner)) sum += kLeaderOverMark;
  label.leader = leader;
  return sum;
}

std::optional<PlotLabel> LabelSpace::beside(PlotLabel label, const PlotMark& mark) const {
  std::optional<PlotLabel> best;
  double least = 1e300;
  std::vector<Point> places;
  for (const double extra : kRounds) {
    if (extra > least) break;  // nothing further off is cheaper
    places.clear();
    append_round(places, label, mark, extra);
    for (const auto& at : places) {
      label.at = at;
      label.box = box_of(label, at);
      const auto price = cost(label, mark, least);
      if (!price) continue;
      least = *price;
      best = label;
    }
  }
  return best;
}

}  // namespace roofline::plot
