#include <fmt/format.h>

#include <algorithm>

#include "report/svg/panels.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::svg {
namespace {

constexpr double kPitch = 48, kBarHeight = 14;

void draw_bar(Canvas& canvas, const Chart& chart, const plot::Bar& bar, double left, double right) {
  const auto& kernel = chart.kernels[bar.kernel];
  const Ink ink = ink_of(kernel);
  auto& xml = canvas.xml();
  xml.open("g").attr("data-k", std::to_string(kernel.number));
  const auto number = std::to_string(kernel.number);
  const double name_left = left + std::max(18.0, plot::text_width(number, 12, true) + 8);
  canvas.text({left, bar.top + 11}, number, {.bold = true});
  const auto name = kernel.point.empty() ? kernel.name : kernel.name + ", " + kernel.point;
  canvas.text({name_left, bar.top + 11}, fitted(name, right - name_left, 12));
  const double top = bar.top + 16, bottom = top + kBarHeight;
  if (bar.time_width > bar.floor_width && kernel.floor_s)
    canvas.outlined_rect({left, top, left + bar.time_width, bottom}, canvas.hatch(ink), ink);
  // A time without a floor is neither floor nor excess: an outline and nothing in it.
  if (!kernel.floor_s)
    canvas.outline({left, top, left + std::max(1.0, bar.time_width), bottom}, {ink});
  else
    canvas.rect({left, top,
                 left + std::max(1.0, std::min(bar.floor_width,
                                               kernel.time_s ? bar.time_width : bar.floor_width)),
                 bottom},
                ink);
  if (kernel.time_s && bar.time_width < bar.floor_width)
    canvas.outline({left, top, left + bar.floor_width, bottom}, {ink, 1, "3 2"});
  canvas.text({left, bottom + 12}, fitted(plot::bar_text(kernel), right - left, 11),
              {.ink = Ink::muted, .size = 11});
  xml.close().line();
}

}  // namespace

double draw_bars(Canvas& canvas, const Chart& chart, const plot::Rect& area) {
  if (chart.kernels.empty()) {
    canvas.text({area.left, area.top + 12}, "no kernels", {.ink = Ink::muted});
    return area.top + 20;
  }
  const plot::Rect rows{area.left, area.top, area.right - 1, area.bottom - 18};
  const auto panel = plot::layout_bars(chart, rows, kPitch);
  for (const auto& bar : panel.bars) draw_bar(canvas, chart, bar, area.left, area.right);
  double bottom = area.top + kPitch * static_cast<double>(panel.bars.size());
  if (panel.left_out == 0) return bottom;
  const auto floor = panel.left_out_floor > 0
                         ? ", floor " + format_seconds(Seconds(panel.left_out_floor))
                         : std::string();
  const auto win = panel.left_out_win > 0
                       ? ", " + format_seconds(Seconds(panel.left_out_win)) + " to win"
                       : std::string();
  canvas.text({area.left, bottom + 11},
              fitted(fmt::format("and {} more: {}{}{}", panel.left_out,
                                 format_seconds(Seconds(panel.left_out_time)), floor, win),
                     area.width(), 11),
              {.ink = Ink::muted, .size = 11});
  return bottom + 18;
}

}  // namespace roofline::svg
