#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/job.hpp"
#include "cli/version.hpp"
#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "report/solve_report.hpp"
#include "roofline/kernel/formula.hpp"
#include "roofline/kernel/overrides.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

struct Question {
  std::string variable;
  SolveRange range;
  std::optional<Seconds> target;
};

std::optional<Count> whole_number(const std::string& option, const std::string& text, Errors& errors) {
  const auto formula = Formula::parse(text, {});
  const auto value = formula ? formula->evaluate({}) : tl::unexpected(formula.error());
  if (value && *value >= Count(0)) return *value;
  errors.push_back({Code::bad_option, {}, option + " takes a whole number, not \"" + text + '"', {}, {}});
  return std::nullopt;
}

Question read_question(const SolveArgs& args, Errors& errors) {
  Question question{.variable = args.variable, .range = {}, .target = {}};
  if (args.variable.empty() && args.time.empty())
    errors.push_back({Code::missing_argument, {}, "nothing to solve for", "--for B: where the verdict flips; --time \"100 us\": what it would take", {}});
  if (!args.from.empty())
    if (const auto value = whole_number("--from", args.from, errors)) question.range.lowest = *value;
  if (!args.to.empty())
    if (const auto value = whole_number("--to", args.to, errors)) question.range.highest = *value;
  if (question.range.lowest > question.range.highest)
    errors.push_back({Code::contradiction, {}, "--from is above --to", {}, {}});
  if (args.time.empty()) return question;
  auto time = parse_quantity(args.time, Dimension::time);
  if (time && *time > 0) question.target = Seconds(*time);
  else if (time) errors.push_back({Code::out_of_range, {}, "--time must be above zero", {}, {}});
  else errors.push_back({time.error().code, {}, "--time: " + time.error().what, time.error().hint, {}});
  return question;
}

Checked<SolveReport> answer(const KernelFile& file, std::size_t index, const Question& question, const Ceilings& ceilings) {
  auto kernel = file.evaluate_with(0, index, {});
  if (!kernel) return tl::unexpected(std::move(kernel.error()));
  auto verdict = judge(*kernel, ceilings);
  if (!verdict) return tl::unexpected(Errors{std::move(verdict.error())});
  SolveReport report{.file = file.file(), .ceilings = &ceilings, .kernel = kernel->name, .verdict = std::move(*verdict)};
  if (!question.variable.empty()) {
    bool used = false;
    for (const auto& [name, value] : file.variables(0, index)) {
      if (name != question.variable) continue;
      report.present = value;
      used = true;
    }
    if (used) {
      report.variable = question.variable;
      report.range = question.range;
      report.solution = solve(state_of(file, 0, index, question.variable, ceilings), question.range);
    }
  }
  if (question.target) {
    report.target = question.target;
    report.needs = needed_for(report.verdict, *question.target);
  }
  return report;
}

/// Each input, once for each dtype asked for, with the variable promoted to one of `params:`.
std::vector<Rewrite> rewrites_of(const SolveArgs& args) {
  std::vector<Rewrite> rewrites;
  for (const auto& dtype : dtype_variants(args.dtypes))
    rewrites.push_back([&args, dtype](const YamlDocument& document) -> Checked<YamlDocument> {
      auto changed = with_overrides(document, {}, dtype);
      if (!changed || args.variable.empty()) return changed;
      return with_variable(*changed, args.variable);
    });
  return rewrites;
}

}  // namespace

int run_solve(Words words) {
  const auto args = parse<SolveArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  auto frame = frame_of(words, *args);
  if (!frame) return report_errors(frame.error(), style_of(words));
  Errors errors;
  const auto question = read_question(*args, errors);
  const auto options = model_options(*args, frame->settings, errors);
  const auto format = small_format(*args, frame->settings, errors);
  if (!errors.empty()) return report_errors(errors, frame->style);
  const auto jobs = read_jobs(*args, frame->settings, rewrites_of(*args));
  if (!jobs) return report_errors(jobs.error(), frame->style);

  return write_report(*frame, args->output, [&](Output& output, bool colour) -> Errors {
    const TextSink sink = [&](std::string_view text) { output.write(text); };
    const bool json_wanted = format == SmallFormat::json;
    JsonWriter json(sink, {.indented_levels = 3});
    const auto page = small_page(format, sink, colour, frame->width, args->quiet);
    if (json_wanted) {
      json.begin_object();
      json.text("schema", "roofline.solution/1");
      json.begin_array("solutions");
    }
    bool used = args->variable.empty();
    for (const auto& job : *jobs)
      for (const auto& gpu : job.gpus) {
        const Ceilings ceilings(gpu, options.ceilings);
        for (std::size_t i = 0; i < job.file.kernel_count(); ++i) {
          auto report = answer(job.file, i, question, ceilings);
          if (!report) return report.error();
          used = used || !report->variable.empty();
          if (report->variable.empty() && !report->target) continue;  // this kernel does not depend on the variable
          if (json_wanted) write_solve_json(json, *report);
          else write_solve_page(*page, *report);
        }
      }
    if (!used)
      return {{Code::unknown_name, {jobs->front().file.file(), 0, 0, 1, {}, 0}, "no kernel depends on '" + args->variable + "'", {}, {}}};
    if (json_wanted) {
      json.end_array();
      json.end_object();
      json.end_line();
      json.flush();
    }
    return {};
  });
}

}  // namespace roofline::cli
