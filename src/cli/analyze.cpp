#include <algorithm>

#include "cli/analyze_captures.hpp"
#include "cli/command.hpp"
#include "cli/job.hpp"
#include "cli/launch_inputs.hpp"
#include "cli/picture.hpp"
#include "cli/version.hpp"
#include "roofline/kernel/overrides.hpp"

namespace roofline::cli {
namespace {

/// Several files become one document: only what lies between begin and end is passed on.
class OneDocument final : public ReportWriter {
 public:
  explicit OneDocument(ReportWriter& inner) : inner_(inner) {}
  void begin_gpu(const GpuReport& report) override { inner_.begin_gpu(report); }
  void kernel(const KernelReport& report) override { inner_.kernel(report); }
  void point(const PointReport& report) override { inner_.point(report); }
  void end_gpu() override { inner_.end_gpu(); }

 private:
  ReportWriter& inner_;
};

/// The same report twice: printed, and collected for pictures.
class Both final : public ReportWriter {
 public:
  Both(ReportWriter& first, ReportWriter& second) : first_(first), second_(second) {}
  void begin_gpu(const GpuReport& report) override {
    first_.begin_gpu(report);
    second_.begin_gpu(report);
  }
  void kernel(const KernelReport& report) override {
    first_.kernel(report);
    second_.kernel(report);
  }
  void point(const PointReport& report) override {
    first_.point(report);
    second_.point(report);
  }
  void end_gpu() override {
    first_.end_gpu();
    second_.end_gpu();
  }

 private:
  ReportWriter &first_, &second_;
};

class Silent final : public ReportWriter {
 public:
  void kernel(const KernelReport&) override {}
};

/// Everything that the words and the settings decide.
struct Plan {
  std::vector<Job> jobs;
  AnalyzeOptions options;
  const OutputFormat* format = nullptr;
  ReportOptions report;
  Pictures pictures;
  bool silent = false;
};

Checked<Pictures> make_pictures(const PictureArgs& args, const KernelArgs& kernel_args, const Frame& frame) {
  auto pictures = pictures_of(args, frame.width);
  auto misplaced = misplaced_plot(args, kernel_args.format, kernel_args.json);
  if (!misplaced) return pictures;
  auto errors = pictures ? Errors{} : std::move(pictures.error());
  errors.push_back(std::move(*misplaced));
  return tl::unexpected(std::move(errors));
}

Checked<Plan> make_plan(const KernelArgs& args, const Frame& frame, const std::vector<Rewrite>& rewrites) {
  Plan plan;
  Errors errors;
  std::vector<std::string_view> names;
  for (const auto& format : output_formats()) names.push_back(format.name);
  const auto name = format_name(args, frame.settings, names, errors);
  plan.options = model_options(args, frame.settings, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  plan.format = find_output_format(name);
  auto jobs = read_jobs(args, frame.settings, rewrites);
  if (!jobs) return tl::unexpected(std::move(jobs.error()));
  plan.jobs = std::move(*jobs);
  plan.silent = args.quiet > 1;
  plan.options.remarks = plan.format->wants_remarks && !plan.silent;
  plan.report = {.explain = args.explain, .verbosity = args.quiet > 0 ? -args.quiet : args.verbose, .colour = false,
                 .width = frame.width, .gpu_count = 0, .tool_version = version_number()};
  for (const auto& job : plan.jobs) plan.report.gpu_count += job.gpus.size();
  return plan;
}

/// The report, then the plot below it; `charts` are for the pictures beside it.
Errors carry_out(const Plan& plan, Output& output, std::vector<Chart>& charts) {
  Silent silent;
  const auto sink = [&](std::string_view text) { output.write(text); };
  const auto writer = plan.silent ? nullptr : plan.format->make(sink, plan.report);
  ReportWriter& report = writer ? *writer : silent;
  ChartCollector collector(std::string(plan.report.tool_version));
  Both both(report, collector);
  OneDocument document(plan.pictures.wanted() ? static_cast<ReportWriter&>(both) : report);
  report.begin();
  for (const auto& job : plan.jobs) {
    auto errors = analyze(job.file, job.gpus, plan.options, document, [&] { return output.good(); });
    if (!errors.empty()) return errors;
    if (!output.good()) return {};
  }
  report.end();
  charts = collector.take();
  if (!plan.pictures.plot) return {};
  sink("\n");
  write_picture(PictureKind::plot, charts, plan.pictures.options, {}, sink);
  return {};
}

int run_verdicts(const Frame& frame, const KernelArgs& args, const std::vector<Rewrite>& rewrites, Pictures pictures) {
  auto plan = make_plan(args, frame, rewrites);
  if (!plan) return report_errors(plan.error(), frame.style);
  plan->pictures = std::move(pictures);
  if (plan->pictures.wanted()) plan->options.remarks = true;  // pictures say what would move a kernel
  std::vector<Chart> charts;
  const int code = write_report(frame, args.output, [&](Output& output, bool colour) {
    plan->report.colour = plan->pictures.options.colour = colour;
    return carry_out(*plan, output, charts);
  });
  if (code != 0) return code;
  const auto sides = write_side_reports(plan->pictures.sides, charts, plan->pictures.options);
  return sides ? 0 : report_error(sides.error(), frame.style);
}

/// "M=1:4096:x2" as a name and what it takes.
Result<Override> override_of(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
    return fail(Code::bad_option, {}, "--vary takes NAME=VALUES, not \"" + word + '"',
                "as in --vary M=1:4096:x2 (a range), --vary B=1,8,64 (a list) or --vary K=8192");
  return Override{word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

int run_analyze(Words words) {
  const auto args = parse<AnalyzeArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto frame = frame_of(words, *args);
  if (!frame) return report_errors(frame.error(), style_of(words));
  auto pictures = make_pictures(args->pictures, *args, *frame);
  if (!pictures) return report_errors(pictures.error(), frame->style);
  const auto launches = args->from.empty() ? hold_launches(args->inputs) : Result<bool>(true);
  if (!launches) return report_error(launches.error(), frame->style);
  if (*launches) return analyze_captures(*args, *frame, *pictures);
  return run_verdicts(*frame, *args, {}, std::move(*pictures));
}

int run_sweep(Words words) {
  const auto args = parse<SweepArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  std::vector<Override> overrides;
  Errors errors;
  for (const auto& word : args->vary) {
    if (auto item = override_of(word)) overrides.push_back(std::move(*item));
    else errors.push_back(std::move(item.error()));
  }
  if (!errors.empty()) return report_errors(errors, style_of(words));
  std::vector<Rewrite> rewrites;
  for (const auto& dtype : dtype_variants(args->dtypes))
    rewrites.push_back([&overrides, dtype](const YamlDocument& document) { return with_overrides(document, overrides, dtype); });
  const auto frame = frame_of(words, *args);
  if (!frame) return report_errors(frame.error(), style_of(words));
  auto pictures = make_pictures(args->pictures, *args, *frame);
  if (!pictures) return report_errors(pictures.error(), frame->style);
  return run_verdicts(*frame, *args, rewrites, std::move(*pictures));
}

}  // namespace roofline::cli
