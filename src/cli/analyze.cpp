#include "cli/analyze_plan.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "roofline/base/text.hpp"

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

class Silent final : public ReportWriter {
 public:
  void kernel(const KernelReport&) override {}
};

Errors carry_out(const AnalyzePlan& plan, Output& output) {
  Silent silent;
  const auto writer =
      plan.silent
          ? nullptr
          : plan.format->make([&](std::string_view text) { output.write(text); }, plan.report);
  ReportWriter& report = writer ? *writer : silent;
  OneDocument document(report);
  report.begin();
  for (const auto& job : plan.jobs) {
    auto errors =
        analyze(job.file, job.gpus, plan.options, document, [&] { return output.good(); });
    if (!errors.empty()) return errors;
    if (!output.good()) return {};
  }
  report.end();
  return {};
}

Result<ColourChoice> colour_choice(const CommonStyle& style, const Settings& settings) {
  if (style.errors.colour != ColourChoice::automatic || !settings.color.given())
    return style.errors.colour;
  if (auto choice = find_colour_choice(settings.color.text())) return *choice;
  constexpr std::string_view kChoices[] = {"auto", "always", "never"};
  return tl::unexpected(
      at_setting(check_choice("color", settings.color.text(), kChoices).error(), settings.color));
}

void name_files(const Settings& settings) {
  for (const auto& file : settings.files) write_error("settings from " + printable(file) + "\n");
}

}  // namespace

int run_analyze(Words words) {
  auto style = style_of(words);
  const auto args = parse<AnalyzeArgs>(words);
  if (!args) return report_error(args.error(), style);
  const auto common = common_style(*args);
  if (!common) return report_error(common.error(), style);
  const auto settings = read_settings(*args);
  if (!settings) return report_errors(settings.error(), style);
  const auto colour = colour_choice(*common, *settings);
  if (!colour) return report_error(colour.error(), style);
  style.colour = *colour;
  if (args->format.empty()) style.json = style.json || settings->format.text().starts_with("json");
  if (args->verbose > 0) name_files(*settings);

  auto plan = plan_analyze(*args, *settings, common->width);
  if (!plan) return report_errors(plan.error(), style);
  const bool to_stdout = args->output.empty() || args->output == "-";
  plan->report.colour =
      to_stdout ? wants_colour(Stream::out, *colour) : *colour == ColourChoice::always;
  auto output = Output::open(args->output);
  if (!output) return report_error(output.error(), style);
  if (const auto errors = carry_out(*plan, *output); !errors.empty()) {
    output->discard();
    return report_errors(errors, style);
  }
  const auto written = output->finish();
  return written ? 0 : report_error(written.error(), style);
}

}  // namespace roofline::cli
