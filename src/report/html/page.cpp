#include <fmt/format.h>

#include <array>

#include "report/chart/cells.hpp"
#include "report/html/page_data.hpp"
#include "report/html/page_parts.hpp"
#include "report/plot/sparkline.hpp"
#include "report/svg/panels.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using namespace html;

constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'";

constexpr std::size_t kMostHistories = 200;

std::string variables(Theme theme) {
  std::string css;
  for (std::size_t i = 0; i < kInks; ++i) {
    const auto ink = static_cast<Ink>(i);
    css += fmt::format("--{}:{};", ink_name(ink), colour(theme, ink));
  }
  return css;
}

/// The inks as variables, in the themes that a page may have, and what elements of the pictures do
/// with them.
std::string theme_style() {
  const auto light = variables(Theme::light), dark = variables(Theme::dark);
  std::string css = fmt::format(":root{{color-scheme:light dark;{}}}\n", light);
  css += fmt::format(
      "@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{}}}}}\n",
      dark);
  css += fmt::format(
      "@media "
      "screen{{:root[data-theme=dark]{{color-scheme:dark;{}}}:root[data-theme=light]{{color-scheme:"
      "light}}}}\n",
      dark);
  css += fmt::format("@media print{{:root{{{}}}}}\n", variables(Theme::print));
  for (std::size_t i = 0; i < kInks; ++i) {
    const auto name = ink_name(static_cast<Ink>(i));
    css += fmt::format(".f-{0}{{fill:var(--{0})}}.s-{0}{{stroke:var(--{0})}}", name);
  }
  return css + "\n";
}

void write_head(XmlWriter& page, std::string_view title) {
  page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"").raw(kPolicy).raw("\">\n");
  page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  page.open("title").text(title).close().line();
  page.raw("<style>\n").raw(theme_style()).raw(page_style()).raw("</style>\n</head>\n<body>\n");
}

/// "FAIL" of "FAIL: 2 entries break 4 limits".
std::string gate_word(const ChartGate& gate) {
  return gate.headline.substr(0, gate.headline.find(':'));
}

/// The three numbers: time, floor, what could be won back.
void write_figures(XmlWriter& page, const Chart& chart) {
  const auto figure = [&](std::string_view name, double seconds, bool known) {
    page.open("div").open("dt").text(name).close();
    page.open("dd")
        .text(known ? format_seconds(Seconds(seconds)) : std::string("-"))
        .close()
        .close();
  };
  page.open("dl").attr("class", "figures");
  figure("GPU time of a run", chart.total_time(), chart.measured);
  figure("at the floor", chart.total_floor(), chart.total_floor() > 0);
  figure("could be won back", chart.recoverable(), chart.measured && chart.total_floor() > 0);
  if (chart.gate) {
    page.open("div").attr("class",
                          std::string("status ") + std::string(outcome_name(chart.gate->status)));
    page.open("dt").text("gate").close().open("dd").text(gate_word(*chart.gate)).close().close();
  }
  page.close().line();
}

void write_lines(XmlWriter& page, std::string_view kind, std::span<const std::string> lines) {
  if (lines.empty()) return;
  page.open("ul").attr("class", kind);
  for (const auto& line : lines) page.open("li").text(line).close();
  page.close().line();
}

void write_gate(XmlWriter& page, const Chart& chart) {
  if (!chart.gate) return;
  page.open("p").attr("class", "gate").text("Gate " + chart.gate->headline + ".").close().line();
  write_lines(page, "gate", chart.gate->lines);
}

/// What each kernel took over the runs of the history, the heaviest first. A script only hides what
/// its filters leave out.
void write_histories(XmlWriter& page, const Chart& chart) {
  std::vector<const ChartKernel*> kernels;
  for (const auto& kernel : chart.kernels)
    if (kernel.history) kernels.push_back(&kernel);
  if (kernels.empty()) return;
  page.open("h3").text("Over the runs").close().line();
  page.open("p")
      .attr("class", "sentence")
      .text(
          "Time of one launch in each run, linear, from the least to the most; upright dashes are "
          "lasting steps, the level one is the longest time that the gate allows.")
      .close()
      .line();
  page.open("div").attr("class", "runs").line();
  const auto shown = std::min(kernels.size(), kMostHistories);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& kernel = *kernels[i];
    page.open("div").attr("data-k", std::to_string(kernel.number));
    page.open("p").open("b").text(std::to_string(kernel.number)).close();
    page.text(" " + kernel.name).close();
    svg::write_inline_sparkline(page, kernel);
    page.open("p").text(plot::history_text(*kernel.history, kernel.time_limit_s)).close();
    page.close().line();
  }
  page.close().line();
  if (shown < kernels.size())
    page.open("p")
        .attr("class", "sentence")
        .text(fmt::format("and {} more with less time: roofline history show",
                          kernels.size() - shown))
        .close()
        .line();
}

/// The whole table, for readers without scripts: a browser that runs the page's own does not even
/// read it.
void write_plain_table(XmlWriter& page, const Chart& chart) {
  const auto columns = chart_columns(chart);
  page.raw("<noscript>").open("div").attr("class", "scroll").open("table").open("thead").open("tr");
  for (const auto& column : columns) {
    page.open("th").attr("scope", "col");
    if (column.right) page.attr("class", "r");
    page.text(column.title).close();
  }
  page.close().close().open("tbody").line();
  for (const auto& kernel : chart.kernels) {
    page.open("tr");
    for (const auto& column : columns) {
      page.open("td");
      if (column.right) page.attr("class", "r");
      page.text(column.cell(kernel)).close();
    }
    page.close().line();
  }
  page.close().close().close().raw("</noscript>\n");
}

void write_part(XmlWriter& page, const Chart& chart, const PictureOptions& options,
                std::size_t index) {
  page.raw("<section class=\"gpu\">\n");
  page.open(index == 0 ? "h1" : "h2")
      .text(chart.gpu_name.empty() ? "GPU not known" : chart.gpu_name)
      .close()
      .line();
  page.open("p").attr("class", "sentence").text(chart_sentence(chart)).close().line();
  write_figures(page, chart);
  write_gate(page, chart);
  write_lines(page, "notes", chart.warnings);
  page.raw("<div class=\"tools\"></div>\n<figure>");
  svg::write_inline_svg(page, chart, options, fmt::format("chart{}", index));
  page.raw("</figure>\n<div class=\"table\"></div>\n");
  write_plain_table(page, chart);
  write_histories(page, chart);
  page.open("p").attr("class", "sentence").text(caption_of(chart)).close().raw("\n</section>\n");
}

constexpr std::string_view kHelp =
    "<dialog id=\"help\"><form method=\"dialog\"><p><kbd>/</kbd> filter by "
    "name</p><p><kbd>arrows</kbd> walk the marks by time, "
    "<kbd>Enter</kbd> isolate one, <kbd>Esc</kbd> show all</p><p>click: isolate; "
    "<kbd>Ctrl</kbd>-click: add</p><p><kbd>t</kbd> "
    "theme</p><button>close</button></form></dialog>\n";

}  // namespace

void write_html(std::span<const Chart> charts, const PictureOptions& options,
                const TextSink& sink) {
  XmlWriter page(sink);
  auto light = options;
  light.theme = Theme::light;  // the page's style changes it
  write_head(page,
             charts.empty() ? std::string("Roofline") : "Roofline of " + charts.front().gpu_name);
  page.raw("<main>\n");
  for (std::size_t i = 0; i < charts.size(); ++i) write_part(page, charts[i], light, i);
  page.raw("</main>\n").raw(kHelp).raw("<script type=\"application/json\" id=\"data\">");
  write_page_data(charts, [&](std::string_view text) { page.raw(text); });
  page.raw("</script>\n<script>\n").raw(page_script()).raw("</script>\n</body>\n</html>\n");
  page.flush();
}

}  // namespace roofline
