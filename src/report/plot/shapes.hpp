#pragma once

#include <array>
#include <string_view>

/// Plane geometry in pixels: x to the right, y down.
namespace roofline::plot {

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool contains(Point p) const {
    return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
  }
};

/// Four corners in order round it: a rectangle that may be turned.
struct Quad {
  std::array<Point, 4> corners;
};

Quad quad_of(const Rect& rect);
/// A rectangle whose base starts at `origin` and runs along `angle` (radians, clockwise on a
/// screen).
Quad turned_quad(Point origin, double angle, double width, double height);
/// A line as thick as `thickness`.
Quad quad_of_line(Point a, Point b, double thickness);

/// They share more than an edge.
bool overlap(const Quad& a, const Quad& b);

double distance(Point a, Point b);

/// Width of `text` in a sans-serif of `size` pixels, from above: advances of DejaVu Sans, the
/// widest of the fonts that pictures name. Wide characters count as 1 em.
double text_width(std::string_view text, double size, bool bold = false);

}  // namespace roofline::plot
