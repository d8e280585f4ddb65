#include "cli/picture.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "cli/args.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr PictureFormat kFormats[] = {
    {"table", "bars and a chart for the terminal", PictureKind::plot},
    {"svg", "the chart, the bars and the table as a picture", PictureKind::svg},
    {"html", "a page to sort, filter and share; it needs no network", PictureKind::html},
    {"markdown", "for a pull request", PictureKind::markdown},
    {"csv", "what is drawn, one row per kernel", PictureKind::csv},
    {"json", "the same as a document", PictureKind::json},
};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

Result<SideReport> side_report(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    return fail(Code::bad_option, {},
                "--report takes KIND=FILE, not \"" + shortened(printable(word), 60) + '"',
                "as in --report svg=chart.svg");
  const auto kind = word.substr(0, equals);
  std::vector<std::string_view> kinds;
  for (const auto& format : kFormats)
    if (format.kind != PictureKind::plot) kinds.push_back(format.name);
  if (auto known = check_choice("--report", kind, kinds); !known)
    return tl::unexpected(std::move(known.error()));
  return SideReport{find_picture_format(kind)->kind, word.substr(equals + 1)};
}

}  // namespace

std::span<const PictureFormat> picture_formats() { return kFormats; }

const PictureFormat* find_picture_format(std::string_view name) {
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const auto& format) { return format.name == name; });
  return row == std::end(kFormats) ? nullptr : row;
}

Result<std::vector<SideReport>> side_reports(const std::vector<std::string>& words) {
  std::vector<SideReport> reports;
  for (const auto& word : words) {
    auto report = side_report(word);
    if (!report) return tl::unexpected(std::move(report.error()));
    const bool twice = std::any_of(reports.begin(), reports.end(),
                                   [&](const auto& other) { return other.file == report->file; });
    if (twice)
      return fail(Code::contradiction, {},
                  "two reports would be written to " + shortened(printable(report->file), 60));
    reports.push_back(std::move(*report));
  }
  return reports;
}

void write_picture(PictureKind kind, std::span<const Chart> charts, const PictureOptions& options,
                   std::string_view svg, const TextSink& sink) {
  switch (kind) {
    case PictureKind::plot:
      for (std::size_t i = 0; i < charts.size(); ++i) {
        if (i > 0) sink("\n");
        write_terminal_plot(charts[i], options, sink);
      }
      break;
    case PictureKind::svg: return write_svg(charts, options, sink);
    case PictureKind::html: return write_html(charts, options, sink);
    case PictureKind::markdown: return write_markdown_report(charts, svg, sink);
    case PictureKind::csv: return write_chart_csv(charts, sink);
    case PictureKind::json: return write_chart_json(charts, sink);
  }
}

Result<void> write_side_reports(std::span<const SideReport> reports, std::span<const Chart> charts,
                                const PictureOptions& options) {
  const auto picture = std::find_if(reports.begin(), reports.end(), [](const auto& report) {
    return report.kind == PictureKind::svg;
  });
  const auto svg = picture == reports.end() ? std::string() : picture->file;
  for (const auto& report : reports) {
    auto output = Output::open(report.file);
    if (!output) return tl::unexpected(std::move(output.error()));
    write_picture(report.kind, charts, options, svg,
                  [&](std::string_view text) { output->write(text); });
    if (auto written = output->finish(); !written) return written;
  }
  return {};
}

Checked<std::vector<Chart>> charts_of_document(std::string json, const std::string& name) {
  const auto document = read_yaml(std::move(json), name, result_limits());
  if (!document) return tl::unexpected(document.error());
  const auto results = read_results(*document);
  if (!results) return tl::unexpected(results.error());
  std::vector<Chart> charts;
  for (const auto& result : *results) charts.push_back(chart_of(result));
  return charts;
}

Result<Theme> theme_of(const std::string& word) {
  if (word.empty()) return Theme::light;
  if (const auto theme = find_theme(word)) return *theme;
  constexpr std::string_view kThemes[] = {"light", "dark", "print"};
  return tl::unexpected(check_choice("--theme", word, kThemes).error());
}

bool shows_braille() {
  const auto term = environment("TERM");
  if (term == "dumb" || term == "linux") return false;
  // As the C library: the first of these that is set decides.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = lower_case(environment(name));
    if (!locale.empty())
      return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace roofline::cli
