#include "cli/picture.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "cli/style.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostRows = 2000;

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

Result<Theme> theme_of(const std::string& word) {
  if (word.empty()) return Theme::light;
  if (const auto theme = find_theme(word)) return *theme;
  constexpr std::string_view kThemes[] = {"light", "dark", "print"};
  return tl::unexpected(check_choice("--theme", word, kThemes).error());
}

Result<Panels> panels_of(const std::string& word) {
  constexpr std::string_view kNames[] = {"dtype", "gpu"};
  if (word.empty()) return Panels::none;
  if (auto known = check_choice("--panels", word, kNames); !known)
    return tl::unexpected(std::move(known.error()));
  return word == kNames[0] ? Panels::dtype : Panels::gpu;
}

Result<std::size_t> rows_of(const std::string& word) {
  if (word.empty()) return PictureOptions{}.rows;
  std::size_t rows = 0;
  bool good = true;
  for (const char c : word) {
    good = good && c >= '0' && c <= '9' && rows <= kMostRows;
    if (good) rows = rows * 10 + static_cast<std::size_t>(c - '0');
  }
  if (good && rows <= kMostRows) return rows;
  return fail(Code::out_of_range, {}, fmt::format("--rows takes a number from 0 to {}", kMostRows));
}

/// Whether a terminal shows braille: the locale is UTF-8, and TERM is neither dumb nor linux.
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

Checked<Pictures> pictures_of(const PictureArgs& args, std::size_t width) {
  Pictures pictures;
  Errors errors;
  const auto take = [&](auto result, auto& into) {
    if (result)
      into = std::move(*result);
    else
      errors.push_back(std::move(result.error()));
  };
  take(side_reports(args.reports), pictures.sides);
  take(theme_of(args.theme), pictures.options.theme);
  take(rows_of(args.rows), pictures.options.rows);
  take(panels_of(args.panels), pictures.options.panels);
  pictures.options.levels = args.levels;
  pictures.options.ascii = args.ascii || !shows_braille();
  pictures.options.width = width;
  pictures.plot = args.plot;
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return pictures;
}

std::optional<Error> misplaced_plot(const PictureArgs& args, const std::string& format, bool json) {
  if (!args.plot || (!json && (format.empty() || format == "table"))) return std::nullopt;
  return Error{Code::contradiction,
               {},
               "--plot is for a terminal: it goes with --format table only",
               "--report svg=FILE writes a picture beside any format",
               {}};
}

int draw_document(std::string json, const std::string& name, const Frame& frame,
                  const Pictures& pictures) {
  const auto charts = charts_of_document(std::move(json), name);
  if (!charts) return report_errors(charts.error(), frame.style);
  auto options = pictures.options;
  options.colour = wants_colour(Stream::out, frame.style.colour);
  if (pictures.plot) {
    std::string text = "\n";
    write_picture(PictureKind::plot, *charts, options, {},
                  [&](std::string_view piece) { text += piece; });
    if (const int code = print(text); code != 0) return code;
  }
  const auto sides = write_side_reports(pictures.sides, *charts, options);
  return sides ? 0 : report_error(sides.error(), frame.style);
}

}  // namespace roofline::cli
