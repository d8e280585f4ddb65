#include <algorithm>

#include "report/svg/panels.hpp"

namespace roofline::svg {
namespace {

constexpr double kHeight = 440, kAxisLeft = 54, kAxisBottom = 52, kTitle = 46, kBetween = 26;

}  // namespace

double draw_grid(Canvas& canvas, std::span<const Chart> charts, const PictureOptions& options,
                 double left, double right, double top) {
  if (charts.empty()) return top;
  auto span = plot::span_of(charts.front());
  for (const auto& chart : charts) span = span.with(plot::span_of(chart));
  const double width = (right - left - kBetween) / 2;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const auto& chart = charts[i];
    const std::size_t row = i / 2, column = i % 2;
    const double x = left + static_cast<double>(column) * (width + kBetween);
    const double y = top + static_cast<double>(row) * kHeight;
    const plot::Rect area{x + kAxisLeft, y + kTitle, x + width, y + kHeight - kAxisBottom};
    const auto plot = plot::layout(
        chart, {.area = area, .numbered = options.rows, .levels = options.levels, .span = span});
    const auto title = chart.gpu_name.empty() ? "GPU not known" : chart.gpu_name;
    canvas.text({area.left, y + 18}, fitted(title, area.width(), 13, true),
                {.size = 13, .bold = true});
    draw_plot(canvas, {chart, plot, options});
  }
  const std::size_t rows = (charts.size() + 1) / 2;
  return top + kHeight * static_cast<double>(rows);
}

}  // namespace roofline::svg
