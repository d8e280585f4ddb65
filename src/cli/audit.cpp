#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "cli/style.hpp"
#include "cli/version.hpp"
#include "roofline/base/text.hpp"
#include "roofline/report/audit.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostListed = 10'000;  // rows of each list of a report
constexpr std::string_view kTimings[] = {"stream", "kernel", "event", "graph", "e2e"};
constexpr std::string_view kSparsities[] = {"2:4"};
constexpr std::string_view kPaths[] = {"mma_sync"};
constexpr std::string_view kFailOn[] = {"impossible", "skipped", "any"};

struct Plan {
  AuditOptions options;
  const AuditFormat* format = nullptr;
  std::string fail_on;
};

/// An option that is one of few; empty: not given.
bool chosen(std::string_view option, const std::string& value, std::span<const std::string_view> choices, Errors& errors) {
  if (value.empty()) return false;
  auto known = check_choice(option, value, choices);
  if (!known) errors.push_back(std::move(known.error()));
  return known.has_value();
}

void take_format(const AuditArgs& args, const Settings& settings, Plan& plan, Errors& errors) {
  if (args.json && !args.format.empty() && args.format != "json")
    return errors.push_back({Code::contradiction, {}, "--json and --format " + printable(args.format) + " exclude each other", {}, {}});
  const auto name = args.json ? "json" : !args.format.empty() ? args.format : settings.format.given() ? settings.format.text() : "table";
  plan.format = find_audit_format(name);
  if (plan.format) return;
  std::vector<std::string_view> names;
  for (const auto& format : audit_formats()) names.push_back(format.name);
  errors.push_back(check_choice("--format", name, names).error());
}

void take_listed(const AuditArgs& args, Plan& plan, Errors& errors) {
  if (args.rows.empty()) return;
  std::size_t rows = 0;
  for (const char c : args.rows) rows = c >= '0' && c <= '9' && rows <= kMostListed ? rows * 10 + static_cast<std::size_t>(c - '0') : kMostListed + 1;
  if (rows > kMostListed)
    return errors.push_back({Code::out_of_range, {}, fmt::format("--rows takes a number from 0 to {}", kMostListed), {}, {}});
  plan.options.notable = rows;
}

Checked<Plan> make_plan(const AuditArgs& args, const Settings& settings) {
  Plan plan;
  Errors errors;
  if (args.input.empty())
    errors.push_back({Code::missing_argument, {}, "no table of times was given", "roofline audit times.csv", {}});
  take_format(args, settings, plan, errors);
  take_listed(args, plan, errors);
  if (chosen("--timing", args.timing, kTimings, errors)) plan.options.timing = find_timing(args.timing);
  plan.options.ceilings.sparsity_two_four = chosen("--sparsity", args.sparsity, kSparsities, errors);
  plan.options.ceilings.mma_sync = chosen("--path", args.path, kPaths, errors);
  if (chosen("--fail-on", args.fail_on, kFailOn, errors)) plan.fail_on = args.fail_on;
  if (!args.gpu.empty()) plan.options.gpu = args.gpu;
  else if (settings.gpu.given()) plan.options.gpu = settings.gpu.text();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return plan;
}

/// A gate that judged nothing did not pass.
bool fails(const Plan& plan, const AuditSummary& summary) {
  if (plan.fail_on.empty()) return false;
  const bool skipped = summary.judged() < summary.rows;
  if (summary.judged() == 0 || (plan.fail_on != "skipped" && summary.impossible() > 0)) return true;
  return plan.fail_on != "impossible" && skipped;
}

}  // namespace

int run_audit(Words words) {
  const auto style = style_of(words);
  const auto args = parse<AuditArgs>(words);
  if (!args) return report_error(args.error(), style);
  const auto common = common_style(*args);
  if (!common) return report_error(common.error(), style);
  const auto settings = read_settings(*args);
  if (!settings) return report_errors(settings.error(), style);
  const auto plan = make_plan(*args, *settings);
  if (!plan) return report_errors(plan.error(), style);

  if (args->input == "-" && ::isatty(STDIN_FILENO) != 0) write_error("reading a table from the terminal, end with Ctrl-D\n");
  auto stream = ByteStream::open(args->input);
  if (!stream) return report_error(stream.error(), style);
  auto output = Output::open(args->output);
  if (!output) return report_error(output.error(), style);
  CsvReader table(std::move(*stream));
  const bool to_stdout = args->output.empty() || args->output == "-";
  const auto writer = plan->format->make([&](std::string_view text) { output->write(text); },
                                         {.width = common->width,
                                          .colour = to_stdout && wants_colour(Stream::out, common->errors.colour),
                                          .tool_version = version_number(),
                                          .source = args->input});
  const auto summary = audit(table, plan->options, *writer, [&] { return output->good(); });
  if (!summary) {
    output->discard();
    return report_errors(summary.error(), style);
  }
  if (const auto written = output->finish(); !written) return report_error(written.error(), style);
  return fails(*plan, *summary) ? 1 : 0;
}

}  // namespace roofline::cli
