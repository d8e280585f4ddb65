#include <fmt/format.h>

#include <algorithm>

#include "report/chart/cells.hpp"
#include "report/page/page.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kRows = 20, kNameColumns = 60;  // more is no longer read in a pull request

void write_table(const Chart& chart, Page& page) {
  const auto columns = chart_columns(chart);
  std::vector<Column> titles;
  for (const auto& column : columns)
    titles.push_back({std::string(column.title), column.right ? Align::right : Align::left});
  page.begin_table(std::move(titles));
  const auto shown = std::min(kRows, chart.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells;
    for (const auto& column : columns)
      cells.push_back(shortened_middle(column.cell(chart.kernels[i]), kNameColumns));
    page.row(std::move(cells));
  }
  page.end_table();
  if (shown < chart.kernels.size())
    page.sentence(fmt::format("and {} more kernels, with less time", chart.kernels.size() - shown));
}

/// What to do about the kernels that can win most.
void write_advice(const Chart& chart, Page& page) {
  constexpr std::size_t kMost = 3;
  std::vector<const ChartKernel*> order;
  for (const auto& kernel : chart.kernels)
    if (!kernel.advice.empty() || !kernel.cause.empty()) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->recoverable() > b->recoverable();
  });
  order.resize(std::min(order.size(), kMost));
  for (const auto* kernel : order) {
    const auto name = shortened_middle(kernel->name, kNameColumns);
    const auto& text = kernel->status == Status::impossible && !kernel->cause.empty()
                           ? kernel->cause
                           : kernel->advice;
    if (!text.empty()) page.remark(name, text, Tone::plain, 0);
  }
}

}  // namespace

void write_markdown_report(std::span<const Chart> charts, std::string_view svg,
                           const TextSink& sink) {
  const auto page = markdown_page(sink);
  bool with_picture = !svg.empty();
  for (const auto& chart : charts) {
    page->heading(chart.gpu_name.empty() ? "GPU not known" : chart.gpu_name, {});
    const auto sentence = chart_sentence(chart);
    page->remark({}, sentence, Tone::plain, sentence.size());
    if (chart.gate) {
      page->remark({}, "Gate " + chart.gate->headline, Tone::plain,
                   chart.gate->headline.size() + 5);
      for (const auto& line : chart.gate->lines) page->remark({}, line, Tone::plain, 0);
    }
    if (with_picture) sink(fmt::format("\n![Roofline chart]({})\n", svg));
    with_picture = false;
    if (!chart.kernels.empty()) write_table(chart, *page);
    write_advice(chart, *page);
    for (const auto& warning : chart.warnings) page->remark("note", warning, Tone::plain, 0);
    page->sentence(caption_of(chart));
  }
}

}  // namespace roofline
