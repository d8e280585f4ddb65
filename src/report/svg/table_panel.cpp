#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/chart/cells.hpp"
#include "report/page/phrases.hpp"
#include "report/svg/panels.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::svg {
namespace {

constexpr double kRow = 18, kSize = 11;

/// Lines of text that fill the width.
double draw_paragraph(Canvas& canvas, std::string_view text, double left, double right,
                      double top) {
  const auto columns = static_cast<std::size_t>((right - left) / (kSize * 0.56));
  const auto filled = wrapped(text, columns);
  for (std::size_t from = 0; from < filled.size();) {
    const auto to = std::min(filled.find('\n', from), filled.size());
    top += 16;
    canvas.text({left, top - 4}, fitted(filled.substr(from, to - from), right - left, kSize),
                {.ink = Ink::muted, .size = kSize});
    from = to + 1;
  }
  return top;
}

std::string sentence_of_list(const Chart& chart, const std::vector<std::size_t>& kernels,
                             std::string_view what) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i) {
    const auto& kernel = chart.kernels[kernels[i]];
    auto text = fmt::format("{} {}", kernel.number, shortened(kernel.name, 40));
    if (const auto rate = kernel.achieved_bandwidth(); rate && what.starts_with("Not")) {
      text += " (" + format_quantity(*rate, "B/s");
      if (const auto* dram = chart.dram())
        text += fmt::format(", {} of DRAM", phrases::percent(*rate / dram->per_second));
      text += ")";
    }
    names.push_back(std::move(text));
  }
  if (kernels.size() > kMost) names.push_back(fmt::format("{} more", kernels.size() - kMost));
  return fmt::format("{}: {}.", what, joined(names));
}

}  // namespace

double draw_table(Canvas& canvas, const Sheet& sheet, double left, double right, double top) {
  const auto& chart = sheet.chart;
  auto columns = chart_columns(chart);
  // With counters there is more to say than room; what is attainable is drawn in the chart.
  if (std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.key == "busy"; }))
    std::erase_if(columns, [](const auto& c) { return c.key == "attainable"; });
  // Widths of the figures are fixed; the name takes what is left.
  double fixed = 0;
  for (const auto& column : columns) fixed += column.pixels;
  const double name_width = right - left - fixed;
  const auto row = [&](double y, auto cell, const TextStyle& style) {
    double x = left;
    for (const auto& column : columns) {
      const double width = column.pixels > 0 ? column.pixels : name_width;
      auto one = style;
      if (column.right) one.anchor = Anchor::end;
      if (column.pixels == kNumberPixels) one.bold = true;
      canvas.text({column.right ? x + width - 6 : x, y},
                  fitted(cell(column), width - 8, style.size, one.bold), one);
      x += width;
    }
  };
  row(top + 13, [](const ChartColumn& c) { return std::string(c.title); },
      {.ink = Ink::muted, .size = kSize});
  canvas.line({left, top + kRow}, {right, top + kRow}, {Ink::grid});
  double y = top + kRow;
  const auto shown = std::min(sheet.options.rows, chart.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& kernel = chart.kernels[i];
    canvas.xml().open("g").attr("data-k", std::to_string(kernel.number));
    row(y + 13, [&](const ChartColumn& c) { return c.cell(kernel); }, {.size = kSize});
    canvas.xml().close().line();
    y += kRow;
  }
  if (shown < chart.kernels.size())
    y = draw_paragraph(canvas,
                       fmt::format("and {} more kernels, drawn without a number: --format csv "
                                   "or json lists all of them",
                                   chart.kernels.size() - shown),
                       left, right, y + 2);
  return y + 4;
}

double draw_caption(Canvas& canvas, const Sheet& sheet, double left, double right, double top) {
  const auto& [chart, plot, options] = sheet;
  double y = top;
  if (!plot.unplaced.empty())
    y = draw_paragraph(
        canvas,
        sentence_of_list(chart, plot.unplaced,
                         "Not in the chart, having no FLOPs or no bytes to be placed by"),
        left, right, y);
  if (!plot.outside.empty())
    y = draw_paragraph(
        canvas,
        sentence_of_list(chart, plot.outside, "Outside the frame, drawn as arrows at its edge"),
        left, right, y);
  if (plot.left_out > 0)
    y = draw_paragraph(
        canvas, fmt::format("The {} kernels with the least time are not drawn.", plot.left_out),
        left, right, y);
  if (chart.gate) {
    y = draw_paragraph(canvas, "gate: " + chart.gate->headline, left, right, y);
    for (const auto& line : chart.gate->lines) y = draw_paragraph(canvas, line, left, right, y);
  }
  for (const auto& warning : chart.warnings) y = draw_paragraph(canvas, warning, left, right, y);
  return draw_paragraph(canvas, caption_of(chart), left, right, y);
}

}  // namespace roofline::svg
