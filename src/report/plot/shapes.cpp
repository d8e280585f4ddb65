#include "report/plot/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "roofline/base/text.hpp"

namespace roofline::plot {
namespace {

/// Advance widths of U+0020 to U+007E in DejaVu Sans, thousandths of an em.
constexpr std::array<short, 95> kAdvances = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
constexpr double kBoldFactor =
    1.13;  // of DejaVu Sans Bold over the same text; single letters up to 1.26

struct Span {
  double low, high;
};

Span project(const Quad& quad, double x, double y) {
  Span span{1e300, -1e300};
  for (const auto& corner : quad.corners) {
    const double along = corner.x * x + corner.y * y;
    span.low = std::min(span.low, along);
    span.high = std::max(span.high, along);
  }
  return span;
}

/// Some edge of `a` separates the two (separating axis theorem; both are convex).
bool separated_by(const Quad& a, const Quad& b) {
  constexpr double kTouch = 1e-6;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& p = a.corners[i];
    const auto& q = a.corners[(i + 1) % 4];
    const auto one = project(a, p.y - q.y, q.x - p.x);
    const auto two = project(b, p.y - q.y, q.x - p.x);
    if (one.high <= two.low + kTouch || two.high <= one.low + kTouch) return true;
  }
  return false;
}

}  // namespace

Quad quad_of(const Rect& r) {
  return {{{{r.left, r.top}, {r.right, r.top}, {r.right, r.bottom}, {r.left, r.bottom}}}};
}

Quad turned_quad(Point origin, double angle, double width, double height) {
  const double c = std::cos(angle), s = std::sin(angle);
  const auto at = [&](double along, double up) {
    return Point{origin.x + along * c + up * s, origin.y + along * s - up * c};
  };
  return {{{at(0, height), at(width, height), at(width, 0), at(0, 0)}}};
}

Quad quad_of_line(Point a, Point b, double thickness) {
  const double angle = std::atan2(b.y - a.y, b.x - a.x);
  const Point start{a.x - std::sin(angle) * thickness / 2, a.y + std::cos(angle) * thickness / 2};
  return turned_quad(start, angle, std::max(distance(a, b), 0.01), thickness);
}

bool overlap(const Quad& a, const Quad& b) { return !separated_by(a, b) && !separated_by(b, a); }

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

double text_width(std::string_view text, double size, bool bold) {
  double thousandths = 0;
  std::size_t other = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      thousandths += kAdvances[byte - 0x20u];
    else if (byte >= 0xc0)
      ++other;  // the first byte of a longer character
  }
  thousandths += 1000.0 * static_cast<double>(other);
  return thousandths / 1000 * size * (bold ? kBoldFactor : 1);
}

}  // namespace roofline::plot
