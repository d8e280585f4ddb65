#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/gate_results.hpp"
#include "cli/picture.hpp"
#include "cli/settings.hpp"
#include "cli/style.hpp"
#include "roofline/analysis/history.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

struct Plan {
  PictureKind kind = PictureKind::plot;
  Pictures pictures;
};

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
  if (auto pictures = pictures_of(args.pictures, common.width))
    plan.pictures = std::move(*pictures);
  else
    errors.insert(errors.end(), pictures.error().begin(), pictures.error().end());
  const auto is_page = [](const SideReport& side) { return side.kind == PictureKind::html; };
  if (!args.history.empty() && plan.kind != PictureKind::html &&
      std::none_of(plan.pictures.sides.begin(), plan.pictures.sides.end(), is_page))
    errors.push_back({Code::contradiction,
                      {},
                      "a history is drawn on a page of HTML only",
                      "--format html, or --report html=FILE; roofline history show prints it",
                      {}});
  plan.pictures.options.colour = to_stdout ? wants_colour(Stream::out, common.errors.colour)
                                           : common.errors.colour == ColourChoice::always;
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return plan;
}

Checked<std::vector<Chart>> read_charts(const std::string& file) {
  if (file == "-" && ::isatty(STDIN_FILENO) != 0)
    write_error("reading a result from the terminal, end with Ctrl-D\n");
  const auto results = read_result_or_launches(file);
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

/// Of the GPU that the gate was held on; where neither says which, of the only one.
Checked<void> add_gate(std::vector<Chart>& charts, const std::string& file) {
  const auto result = read_gate_result_file(file);
  if (!result) return tl::unexpected(result.error());
  bool taken = false;
  for (auto& chart : charts) {
    if (!result->gpu_id.empty() && result->gpu_id != chart.gpu_id) continue;
    set_gate(chart, *result);
    taken = true;
  }
  if (taken) return {};
  return tl::unexpected(Errors{
      {Code::contradiction,
       {file, 0, 0, 1, {}, 0},
       fmt::format("this gate was held on {}, and the result is of {}", printable(result->gpu_id),
                   charts.empty() ? "no GPU" : charts.front().gpu_id),
       "roofline gate GATE RESULT --report json=FILE",
       {}}});
}

Checked<void> add_history(std::vector<Chart>& charts, const std::string& folder) {
  const auto files = history_files(folder);
  if (!files) return tl::unexpected(Errors{files.error()});
  for (auto& chart : charts)
    if (auto read = set_history(chart, *files); !read) return read;
  return {};
}

Checked<std::vector<Chart>> charts_of(const ReportArgs& args) {
  auto charts = read_charts(args.input);
  if (!charts) return charts;
  if (!args.before.empty()) {
    const auto before = read_charts(args.before);
    if (!before) return tl::unexpected(before.error());
    add_ghosts(*charts, *before);
  }
  if (!args.gate_result.empty())
    if (const auto added = add_gate(*charts, args.gate_result); !added)
      return tl::unexpected(added.error());
  if (!args.history.empty())
    if (const auto added = add_history(*charts, args.history); !added)
      return tl::unexpected(added.error());
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
  for (const auto& side : plan->pictures.sides)
    if (side.kind == PictureKind::svg) svg = side.file;
  write_picture(plan->kind, *charts, plan->pictures.options, svg,
                [&](std::string_view text) { output->write(text); });
  if (const auto written = output->finish(); !written) return report_error(written.error(), style);
  const auto sides = write_side_reports(plan->pictures.sides, *charts, plan->pictures.options);
  return sides ? 0 : report_error(sides.error(), style);
}

}  // namespace roofline::cli
