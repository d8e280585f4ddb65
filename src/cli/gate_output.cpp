#include "cli/gate_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/version.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kSummaryFormat = "markdown";

const GateFormat* format_of(std::string_view option, const std::string& name, Errors& errors) {
  if (const auto* format = find_gate_format(name)) return format;
  std::vector<std::string_view> names;
  for (const auto& format : gate_formats()) names.push_back(format.name);
  errors.push_back(check_choice(option, name, names).error());
  return nullptr;
}

void take_report(const std::string& text, GateOutputs& outputs, Errors& errors) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return errors.push_back(
        {Code::bad_option,
         {},
         "--report takes KIND=FILE, not \"" + shortened(printable(text), 60) + '"',
         "for example --report junit=gate.xml",
         {}});
  if (const auto* format = format_of("--report", text.substr(0, equals), errors))
    outputs.reports.push_back({format, text.substr(equals + 1)});
}

std::string written(const GateResult& result, const GateFormat& format,
                    const GateWriteOptions& options) {
  std::string text;
  format.write(result, options, [&](std::string_view piece) { text += piece; });
  return text;
}

/// The runner's file belongs to the whole job: it is appended to, never replaced.
std::optional<Error> append_summary(const std::string& text) {
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  if (!path || !*path)
    return Error{Code::bad_option,
                 {},
                 "--summary needs GITHUB_STEP_SUMMARY, which GitHub's runner sets",
                 "--report markdown=FILE writes the same anywhere",
                 {}};
  std::FILE* file = std::fopen(path, "a");
  const bool whole = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file && std::fclose(file) == 0;
  if (whole && closed) return std::nullopt;
  return Error{Code::cannot_write, {}, fmt::format("cannot append to {}", printable(path)), {}, {}};
}

std::optional<Error> write_to(const std::string& path, std::string_view text) {
  auto output = Output::open(path);
  if (!output) return output.error();
  output->write(text);
  if (const auto done = output->finish(); !done) return done.error();
  return std::nullopt;
}

}  // namespace

GateOutputs gate_outputs(const GateArgs& args, const Settings& settings, Errors& errors) {
  GateOutputs outputs{.path = args.output,
                      .summary = args.summary,
                      .verbosity = args.quiet > 0 ? -args.quiet : args.verbose};
  if (args.json && !args.format.empty() && args.format != "json")
    errors.push_back({Code::contradiction,
                      {},
                      "--json and --format " + printable(args.format) + " exclude each other",
                      {},
                      {}});
  const std::string name = args.json                 ? "json"
                           : !args.format.empty()    ? args.format
                           : settings.format.given() ? settings.format.text()
                                                     : "table";
  outputs.format = format_of("--format", name, errors);
  for (const auto& report : args.reports) take_report(report, outputs, errors);
  return outputs;
}

int write_gate(const GateResult& result, const GateOutputs& outputs, const Frame& frame) {
  const bool to_stdout = outputs.path.empty() || outputs.path == "-";
  GateWriteOptions options{.width = frame.width,
                           .verbosity = outputs.verbosity,
                           .tool_version = std::string(version_number())};
  Errors errors;
  const auto take = [&](std::optional<Error> error) {
    if (error) errors.push_back(std::move(*error));
  };
  // Reports first: what is printed at the end is what a reader of the log sees. Quiet is what is
  // printed, not they.
  options.verbosity = std::max(0, outputs.verbosity);
  for (const auto& report : outputs.reports)
    take(write_to(report.path, written(result, *report.format, options)));
  if (outputs.summary)
    if (const auto* format = find_gate_format(kSummaryFormat))
      take(append_summary(written(result, *format, options)));
  options.verbosity = outputs.verbosity;
  options.colour = to_stdout ? wants_colour(Stream::out, frame.style.colour)
                             : frame.style.colour == ColourChoice::always;
  if (outputs.verbosity > -2)
    take(write_to(outputs.path, written(result, *outputs.format, options)));
  if (!errors.empty()) return report_errors(errors, frame.style);
  return result.exit_code;
}

}  // namespace roofline::cli
