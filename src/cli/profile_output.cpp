#include "cli/profile_output.hpp"

#include "cli/output.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kNames[] = {"table", "markdown", "json", "csv"};

/// The result goes to its file first: whatever happens to the text, what was measured is kept.
Result<void> save(const Measurement& measurement, const std::string& path) {
  auto output = Output::open(path);
  if (!output) return tl::unexpected(std::move(output.error()));
  output->write(measurement.json());
  return output->finish();
}

}  // namespace

ProfileFormat profile_format(const std::string& chosen, bool json, const Settings& settings,
                             Errors& errors) {
  if (json && !chosen.empty() && chosen != "json")
    errors.push_back(
        {Code::contradiction, {}, "--json and --format " + chosen + " exclude each other", {}, {}});
  const auto name = json                      ? "json"
                    : !chosen.empty()         ? chosen
                    : settings.format.given() ? settings.format.text()
                                              : "table";
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<ProfileFormat>(i);
  if (!chosen.empty()) errors.push_back(check_choice("--format", name, kNames).error());
  return ProfileFormat::table;  // a setting for other commands: jsonl
}

int write_measurement(const Measurement& measurement, const Frame& frame, ProfileFormat format,
                      const std::string& result_file, ProfilePageOptions options) {
  const bool to_stdout = result_file == "-";
  if (!result_file.empty() && !to_stdout) {
    if (const auto saved = save(measurement, result_file); !saved)
      return report_error(saved.error(), frame.style);
    options.saved = result_file;
  }
  const bool silent =
      options.verbosity < -1 || (measurement.report.profile.empty() && measurement.failure);
  if (!silent || format == ProfileFormat::json || to_stdout) {
    const int written = write_report(frame, {}, [&](Output& output, bool colour) -> Errors {
      const TextSink sink = [&](std::string_view text) { output.write(text); };
      if (format == ProfileFormat::json || to_stdout)
        output.write(measurement.json());
      else if (format == ProfileFormat::csv)
        output.write(profile_csv(measurement.report));
      else
        write_profile_page(*small_page(format == ProfileFormat::markdown ? SmallFormat::markdown
                                                                         : SmallFormat::table,
                                       sink, colour, frame.width),
                           measurement.report, options);
      return {};
    });
    if (written != 0) return written;
  }
  return measurement.failure ? report_error(*measurement.failure, frame.style) : 0;
}

}  // namespace roofline::cli
