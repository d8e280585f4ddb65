#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/picture.hpp"
#include "cli/settings.hpp"
#include "cli/style.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostRows = 2000;

struct Plan {
  PictureKind kind = PictureKind::plot;
  PictureOptions options;
  std::vector<SideReport> sides;
};

Result<std::size_t> rows_of(const std::string& word) {
  std::size_t rows = 0;
  for (const char c : word) {
    if (c < '0' || c > '9' || rows > kMostRows)
      return fail(Code::out_of_range, {},
                  fmt::format("--rows takes a number from 0 to {}", kMostRows));
    rows = rows * 10 + static_cast<std::size_t>(c - '0');
  }
  if (rows > kMostRows)
    return fail(Code::out_of_range, {},
                fmt::format("--rows takes a number from 0 to {}", kMostRows));
  return rows;
}

Checked<Plan> make_plan(const ReportArgs& args, const CommonStyle& common, bool to_stdout) {
  Plan plan;
  Errors errors;
  std::vector<std::string_view> names;
  for (const auto& format : picture_formats()) names.push_back(format.name);
  if (args.input.empty())
    errors.push_back({Code::missing_argument,
                      {},
                      "no RESULT was given",
                      "roofline report run.json --format svg -o run.svg",
                      {}});
  if (args.json && !args.format.empty() && args.format != "json")
    errors.push_back({Code::contradiction,
                      {},
                      "--json and --format " + printable(args.format) + " exclude each other",
                      {},
                      {}});
  const std::string name = args.json ? "json" : args.format.empty() ? "table" : args.format;
  if (auto known = check_choice("--format", name, names); !known)
    errors.push_back(std::move(known.error()));
  else
    plan.kind = find_picture_format(name)->kind;
  if (const auto theme = theme_of(args.theme))
    plan.options.theme = *theme;
  else
    errors.push_back(theme.error());
  if (auto sides = side_reports(args.reports))
    plan.sides = std::move(*sides);
  else
    errors.push_back(std::move(sides.error()));
  if (!args.rows.empty()) {
    if (const auto rows = rows_of(args.rows))
      plan.options.rows = *rows;
    else
      errors.push_back(rows.error());
  }
  plan.options.levels = args.levels;
  plan.options.ascii = args.ascii || !shows_braille();
  plan.options.width = common.width;
  plan.options.colour = to_stdout ? wants_colour(Stream::out, common.errors.colour)
                                  : common.errors.colour == ColourChoice::always;
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return plan;
}

Checked<std::vector<Chart>> read_charts(const std::string& file) {
  if (file == "-" && ::isatty(STDIN_FILENO) != 0)
    write_error("reading a result from the terminal, end with Ctrl-D\n");
  const auto results = read_result_file(file);
  if (!results) return tl::unexpected(results.error());
  std::vector<Chart> charts;
  for (const auto& result : *results) charts.push_back(chart_of(result));
  return charts;
}

/// Each GPU of the one with the same GPU of the other; where both have one only, those.
void add_ghosts(std::vector<Chart>& charts, const std::vector<Chart>& before) {
  for (auto& chart : charts)
    for (const auto& old : before)
      if (old.gpu_id == chart.gpu_id || (charts.size() == 1 && before.size() == 1)) {
        set_before(chart, old);
        break;
      }
}

Checked<std::vector<Chart>> charts_of(const ReportArgs& args) {
  auto charts = read_charts(args.input);
  if (!charts || args.before.empty()) return charts;
  const auto before = read_charts(args.before);
  if (!before) return tl::unexpected(before.error());
  add_ghosts(*charts, *before);
  return charts;
}

}  // namespace

int run_report(Words words) {
  const auto style = style_of(words);
  const auto args = parse<ReportArgs>(words);
  if (!args) return report_error(args.error(), style);
  const auto common = common_style(*args);
  if (!common) return report_error(common.error(), style);
  const bool to_stdout = args->output.empty() || args->output == "-";
  const auto plan = make_plan(*args, *common, to_stdout);
  if (!plan) return report_errors(plan.error(), style);
  const auto charts = charts_of(*args);
  if (!charts) return report_errors(charts.error(), style);
  auto output = Output::open(args->output);
  if (!output) return report_error(output.error(), style);
  std::string svg;
  for (const auto& side : plan->sides)
    if (side.kind == PictureKind::svg) svg = side.file;
  write_picture(plan->kind, *charts, plan->options, svg,
                [&](std::string_view text) { output->write(text); });
  if (const auto written = output->finish(); !written) return report_error(written.error(), style);
  const auto sides = write_side_reports(plan->sides, *charts, plan->options);
  return sides ? 0 : report_error(sides.error(), style);
}

}  // namespace roofline::cli
