#include "report/plot/sparkline.hpp"

#include "report/svg/panels.hpp"

namespace roofline::svg {
namespace {

constexpr double kWidth = 260, kHeight = 44, kInset = 5;

}  // namespace

void write_inline_sparkline(XmlWriter& xml, const ChartKernel& kernel) {
  const plot::Rect area{kInset, kInset, kWidth - kInset, kHeight - kInset};
  const auto line = plot::layout_sparkline(*kernel.history, kernel.time_limit_s, area);
  xml.open("svg").attr("width", kWidth).attr("height", kHeight).attr("role", "img");
  xml.attr("aria-label", plot::history_text(*kernel.history, kernel.time_limit_s));
  Canvas canvas(xml, Theme::light, true);
  for (const double x : line.steps) canvas.line({x, 0}, {x, kHeight}, {Ink::compute, 1, "2 2"});
  if (line.limit_y)
    canvas.line({0, *line.limit_y}, {kWidth, *line.limit_y}, {Ink::muted, 1, "6 3"});
  std::string points;
  for (const auto& p : line.points) {
    if (!points.empty()) points += ' ';
    append_point(points, p);
  }
  if (line.points.size() > 1) canvas.polyline(points, {Ink::memory, 1.5});
  canvas.circle(line.points.back(), 3, Ink::memory, {Ink::background});
  xml.close();
}

}  // namespace roofline::svg
