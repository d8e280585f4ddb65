#include "report/svg/canvas.hpp"

#include <array>

#include "roofline/base/text.hpp"

namespace roofline::svg {
namespace {

constexpr std::array kHatched = {Ink::memory, Ink::compute, Ink::overhead, Ink::other};

}  // namespace

void append_point(std::string& out, plot::Point p) {
  append_fixed(out, p.x);
  out += ',';
  append_fixed(out, p.y);
}

std::string fitted(std::string_view text, double width, double size, bool bold) {
  if (plot::text_width(text, size, bold) <= width) return std::string(text);
  std::size_t low = 3, high = display_width(text);
  while (low < high) {
    const auto middle = (low + high + 1) / 2;
    if (plot::text_width(shortened(text, middle), size, bold) <= width)
      low = middle;
    else
      high = middle - 1;
  }
  return shortened(text, low);
}

void Canvas::paint(Ink fill, const Stroke* stroke) {
  if (classes_) {
    std::string names = "f-" + std::string(ink_name(fill));
    if (stroke) names += " s-" + std::string(ink_name(stroke->ink));
    xml_.attr("class", names);
  }
  xml_.attr("fill", colour(theme_, fill));
  if (!stroke) return;
  xml_.attr("stroke", colour(theme_, stroke->ink));
  if (stroke->width != 1) xml_.attr("stroke-width", stroke->width);
  if (!stroke->dashes.empty()) xml_.attr("stroke-dasharray", stroke->dashes);
}

void Canvas::rect(const plot::Rect& r, Ink fill) {
  xml_.open("rect")
      .attr("x", r.left)
      .attr("y", r.top)
      .attr("width", r.width())
      .attr("height", r.height());
  paint(fill, nullptr);
  xml_.close();
}

void Canvas::outlined_rect(const plot::Rect& r, std::string_view pattern, Ink ink) {
  xml_.open("rect")
      .attr("x", r.left)
      .attr("y", r.top)
      .attr("width", r.width())
      .attr("height", r.height());
  xml_.attr("fill", "url(#" + std::string(pattern) + ")").attr("stroke", colour(theme_, ink));
  if (classes_) xml_.attr("class", "s-" + std::string(ink_name(ink)));
  xml_.close();
}

void Canvas::outline(const plot::Rect& r, const Stroke& stroke) {
  xml_.open("rect")
      .attr("x", r.left)
      .attr("y", r.top)
      .attr("width", r.width())
      .attr("height", r.height());
  xml_.attr("fill", "none").attr("stroke", colour(theme_, stroke.ink));
  if (classes_) xml_.attr("class", "s-" + std::string(ink_name(stroke.ink)));
  if (!stroke.dashes.empty()) xml_.attr("stroke-dasharray", stroke.dashes);
  xml_.close();
}

void Canvas::pill(const plot::Rect& r, const Stroke& stroke) {
  xml_.open("rect").attr("x", r.left).attr("y", r.top).attr("width", r.width());
  xml_.attr("height", r.height()).attr("rx", r.height() / 2);
  paint(Ink::background, &stroke);
  xml_.close();
}

void Canvas::line(plot::Point a, plot::Point b, const Stroke& stroke) {
  xml_.open("line").attr("x1", a.x).attr("y1", a.y).attr("x2", b.x).attr("y2", b.y);
  if (classes_) xml_.attr("class", "s-" + std::string(ink_name(stroke.ink)));
  xml_.attr("stroke", colour(theme_, stroke.ink));
  if (stroke.width != 1) xml_.attr("stroke-width", stroke.width);
  if (!stroke.dashes.empty()) xml_.attr("stroke-dasharray", stroke.dashes);
  xml_.close();
}

void Canvas::polyline(std::string_view points, const Stroke& stroke) {
  xml_.open("polyline")
      .attr("points", points)
      .attr("fill", "none")
      .attr("stroke", colour(theme_, stroke.ink));
  if (classes_) xml_.attr("class", "s-" + std::string(ink_name(stroke.ink)));
  if (stroke.width != 1) xml_.attr("stroke-width", stroke.width);
  if (!stroke.dashes.empty()) xml_.attr("stroke-dasharray", stroke.dashes);
  xml_.close();
}

void Canvas::circle(plot::Point at, double radius, Ink fill, const Stroke& stroke) {
  xml_.open("circle").attr("cx", at.x).attr("cy", at.y).attr("r", radius);
  paint(fill, &stroke);
  xml_.close();
}

void Canvas::path(std::string_view d, Ink fill, const Stroke& stroke) {
  xml_.open("path").attr("d", d);
  paint(fill, &stroke);
  xml_.close();
}

void Canvas::text_element(plot::Point at, std::string_view text, const TextStyle& style,
                          bool as_halo) {
  xml_.open("text");
  if (style.degrees != 0) {
    std::string turn = "translate(";
    append_fixed(turn, at.x);
    turn += ' ';
    append_fixed(turn, at.y);
    turn += ") rotate(";
    append_fixed(turn, style.degrees);
    turn += ')';
    xml_.attr("transform", turn);
  } else {
    xml_.attr("x", at.x).attr("y", at.y);
  }
  if (style.anchor != Anchor::start)
    xml_.attr("text-anchor", style.anchor == Anchor::middle ? "middle" : "end");
  if (style.size != 12) xml_.attr("font-size", style.size);
  if (style.bold) xml_.attr("font-weight", "bold");
  if (as_halo) {
    const Stroke stroke{Ink::background, 3};
    xml_.attr("aria-hidden", "true").attr("stroke-linejoin", "round");
    paint(Ink::background, &stroke);
  } else {
    paint(style.ink, nullptr);
  }
  if (!style.strong.empty())
    xml_.open("tspan").attr("font-weight", "bold").text(style.strong).close();
  xml_.text(text).close();
}

void Canvas::text(plot::Point at, std::string_view text, const TextStyle& style) {
  // Twice rather than with paint-order, which weak renderers paint the wrong way round.
  if (style.halo) text_element(at, text, style, true);
  text_element(at, text, style, false);
}

std::string Canvas::hatch(Ink ink) const {
  return id_prefix_ + "hatch-" + std::string(ink_name(ink));
}

void Canvas::define_hatches() {
  xml_.open("defs");
  for (const auto ink : kHatched) {
    xml_.open("pattern").attr("id", hatch(ink)).attr("width", 6.0).attr("height", 6.0);
    xml_.attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
    rect({0, 0, 6, 6}, Ink::background);
    rect({0, 0, 2.4, 6}, ink);
    xml_.close();
  }
  xml_.close().line();
}

}  // namespace roofline::svg
