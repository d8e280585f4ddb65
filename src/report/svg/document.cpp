#include <fmt/format.h>

#include <cmath>

#include "report/svg/panels.hpp"

namespace roofline {
namespace {

using namespace svg;

constexpr double kWidth = 1180, kMargin = 20;
constexpr plot::Rect kPlotArea{74, 74, 704, 514};  // from the top of a GPU's part
constexpr double kBarsLeft = 748;
constexpr double kHeading = 50;
constexpr std::string_view kFont = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif";
constexpr std::string_view kDescription =
    "Left: FLOP/s against arithmetic intensity, both logarithmic, with the ceilings of the GPU. "
    "Right: for each kernel its floor "
    "and the time above it, linear, by what could be won back. Below: the same kernels as a table.";

plot::Rect moved(const plot::Rect& rect, double down) {
  return {rect.left, rect.top + down, rect.right, rect.bottom + down};
}

std::string title_of(const Chart& chart) {
  return chart.gpu_name.empty() ? "GPU not known" : chart.gpu_name;
}

/// A page's script draws the bars anew when rows are filtered: it is told where they stand.
void open_bars(Canvas& canvas, const plot::Rect& area) {
  canvas.xml().open("g");
  if (!canvas.classes()) return;
  const auto numbers = fmt::format("{:.0f} {:.0f} {:.0f} {:.0f}", kBarsLeft, area.top + 4,
                                   kWidth - kMargin, std::floor((area.height() + 18) / 48));
  canvas.xml()
      .attr("class", "bars")
      .attr("data-area", numbers)
      .attr("data-hatch", canvas.id_prefix());
}

/// Chart and bars side by side, with their headings. Returns the bottom.
double draw_pictures(Canvas& canvas, const Sheet& sheet, double top) {
  const auto& chart = sheet.chart;
  canvas.text({kMargin, top + 24},
              fitted(title_of(chart) + ": roofline", kBarsLeft - kMargin - 20, 15, true),
              {.size = 15, .bold = true});
  canvas.text({kMargin, top + 44}, fitted(chart_sentence(chart), kWidth - 2 * kMargin, 12),
              {.ink = Ink::muted});
  draw_plot(canvas, sheet);
  const auto& area = sheet.plot.frame.area;
  const bool judged = chart.total_floor() > 0;
  canvas.text({kBarsLeft, area.top - 8}, !chart.measured ? "time at the floor"
                                         : judged        ? "time of a run, most to win back first"
                                                         : "time of a run, the longest first");
  canvas.text({kWidth - kMargin, area.top - 8},
              chart.measured && judged ? "solid floor, hatched above it" : "linear",
              {.ink = Ink::muted, .size = 11, .anchor = Anchor::end});
  open_bars(canvas, area);
  draw_bars(canvas, chart, {kBarsLeft, area.top + 4, kWidth - kMargin, area.bottom + 40});
  canvas.xml().close();
  return draw_legend(canvas, sheet, {area.left, area.bottom + 60}, kWidth - kMargin);
}

/// What a chart has below its pictures. Returns the bottom.
double draw_lists(Canvas& canvas, const Sheet& sheet, double top) {
  if (!sheet.chart.kernels.empty()) top = draw_table(canvas, sheet, kMargin, kWidth - kMargin, top);
  return draw_caption(canvas, sheet, kMargin, kWidth - kMargin, top) + kMargin;
}

double draw_heading(Canvas& canvas, const Chart& chart, double top) {
  canvas.text({kMargin, top + 24},
              fitted(title_of(chart) + ": roofline", kWidth - 2 * kMargin, 15, true),
              {.size = 15, .bold = true});
  canvas.text({kMargin, top + 44}, fitted(chart_sentence(chart), kWidth - 2 * kMargin, 12),
              {.ink = Ink::muted});
  return top + 56;
}

/// One GPU with a chart for each datapath. Returns the bottom of the legend.
double draw_datapaths(Canvas& canvas, const Sheet& sheet, double top) {
  const auto parts = split_by_datapath(sheet.chart);
  const double y = draw_grid(canvas, parts, sheet.options, kMargin, kWidth - kMargin,
                             draw_heading(canvas, sheet.chart, top));
  return draw_legend(canvas, sheet, {kPlotArea.left, y + 16}, kWidth - kMargin);
}

/// One GPU's part of a document, drawn from `top`. Returns the bottom.
double draw_part(Canvas& canvas, const Chart& chart, const PictureOptions& options, double top) {
  const auto plot = plot::layout(
      chart, {.area = moved(kPlotArea, top), .numbered = options.rows, .levels = options.levels});
  const Sheet sheet{chart, plot, options};
  double y = top;
  switch (options.panels) {
    case Panels::none: y = draw_pictures(canvas, sheet, top); break;
    case Panels::dtype: y = draw_datapaths(canvas, sheet, top); break;
    case Panels::gpu:  // its picture stands in the grid above
      y = draw_legend(canvas, sheet, {kPlotArea.left, draw_heading(canvas, chart, top) + 12},
                      kWidth - kMargin);
      break;
  }
  return draw_lists(canvas, sheet, y + 8);
}

std::string box_of(double top, double height) {
  std::string box = "0 ";
  append_fixed(box, top);
  box += ' ';
  append_fixed(box, kWidth);
  box += ' ';
  append_fixed(box, height);
  return box;
}

/// What lies above `top` is drawn and not shown.
void open_svg(XmlWriter& xml, double height, double top = 0) {
  const auto box = box_of(top, height - top);
  xml.open("svg")
      .attr("xmlns", "http://www.w3.org/2000/svg")
      .attr("viewBox", box)
      .attr("width", kWidth)
      .attr("height", height - top);
  xml.attr("font-family", kFont).attr("font-size", "12").attr("role", "img");
}

void describe(XmlWriter& xml, std::string_view prefix, std::string_view title,
              std::string_view sentence) {
  const auto id = [&](std::string_view part) { return std::string(prefix) + std::string(part); };
  xml.attr("aria-labelledby", id("title") + " " + id("desc")).line();
  xml.open("title").attr("id", id("title")).text(title).close().line();
  xml.open("desc")
      .attr("id", id("desc"))
      .text(fmt::format("{} {}", sentence, kDescription))
      .close()
      .line();
}

}  // namespace

void svg::write_inline_svg(XmlWriter& xml, const Chart& chart, const PictureOptions& options,
                           std::string_view id) {
  const auto plot =
      plot::layout(chart, {.area = kPlotArea, .numbered = options.rows, .levels = options.levels});
  const bool split = options.panels == Panels::dtype;
  // The height stands before what is drawn: that is drawn twice, the first time for its height.
  double height = kPlotArea.bottom + 110;
  if (split) {
    XmlWriter nowhere([](std::string_view) {});
    Canvas trial(nowhere, options.theme, true);
    height = draw_datapaths(trial, {chart, plot, options}, 0) + kMargin;
  }
  // The page has a heading of its own; a picture that is saved from it shows this one.
  open_svg(xml, height, kHeading);
  xml.attr("id", id).attr("data-whole", box_of(0, height));
  describe(xml, id, "Roofline of " + title_of(chart), chart_sentence(chart));
  Canvas canvas(xml, options.theme, true, std::string(id) + "-");
  canvas.define_hatches();
  canvas.rect({0, 0, kWidth, height}, Ink::background);
  if (split)
    draw_datapaths(canvas, {chart, plot, options}, 0);
  else
    draw_pictures(canvas, {chart, plot, options}, 0);
  xml.close().line();
}

void write_svg(std::span<const Chart> charts, const PictureOptions& options, const TextSink& sink) {
  // The height is known when all is drawn, and stands at the start.
  std::string body;
  XmlWriter inner([&](std::string_view text) { body += text; });
  Canvas canvas(inner, options.theme, false);
  canvas.define_hatches();
  double y = 0;
  if (options.panels == Panels::gpu)
    y = draw_grid(canvas, charts, options, kMargin, kWidth - kMargin, y);
  for (const auto& chart : charts) y = draw_part(canvas, chart, options, y);
  inner.flush();

  XmlWriter xml(sink);
  open_svg(xml, y);
  const auto title =
      charts.empty() ? std::string("Roofline") : "Roofline of " + title_of(charts.front());
  describe(xml, "roofline-", title,
           charts.empty() ? std::string("Nothing to draw.") : chart_sentence(charts.front()));
  Canvas(xml, options.theme, false).rect({0, 0, kWidth, y}, Ink::background);
  xml.line().raw(body).close().line();
  xml.flush();
}

}  // namespace roofline
