#include <fmt/format.h>

#include "cli/capture_lines.hpp"
#include "cli/command.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/measure.hpp"
#include "cli/output.hpp"
#include "cli/profile_output.hpp"
#include "cli/terminal.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kFormats[] = {"json", "capture", "jsonl", "table", "markdown", "csv"};

int list_formats(const Frame& frame) {
  return write_report(frame, {}, [&](Output& output, bool colour) -> Errors {
    const auto page = small_page(
        SmallFormat::table, [&](std::string_view text) { output.write(text); }, colour,
        frame.width);
    page->begin_table({{"format", Align::left, 0, 0}, {"what", Align::left, 40, 0}});
    for (const auto& importer : importers())
      page->row({std::string(importer.name), std::string(importer.doc)});
    page->end_table();
    page->gap();
    page->sentence("docs/import.md says how to record each and what it can tell.");
    return {};
  });
}

/// What is asked for: the option, else what the name of the file that is written says.
Result<std::string> format_of(const ImportArgs& args) {
  if (args.json && !args.format.empty() && args.format != "json")
    return fail(Code::contradiction, {},
                "--json and --format " + printable(args.format) + " exclude each other");
  if (!args.format.empty()) {
    if (auto known = check_choice("--format", args.format, kFormats); !known)
      return tl::unexpected(std::move(known.error()));
    return args.format;
  }
  return std::string(args.output.ends_with(".rlf") ? "capture" : "json");
}

/// Captures and their records are of one process: of one file.
int write_capture(const ImportArgs& args, const Frame& frame, const ForeignOptions& foreign,
                  bool as_lines) {
  const auto sources = capture_sources(args.inputs, foreign);
  if (!sources) return report_errors(sources.error(), frame.style);
  if (sources->size() != 1)
    return report_error({Code::contradiction,
                         {},
                         fmt::format("a capture is made of one file, not of {}", sources->size()),
                         "import them one by one, or into one result: --format json",
                         {}},
                        frame.style);
  const auto& source = sources->front();
  return write_report(frame, args.output, [&](Output& output, bool) -> Errors {
    const TextSink sink = [&](std::string_view text) { output.write(text); };
    if (as_lines) {
      const auto written = write_capture_lines(source, sink);
      return written ? Errors{} : written.error();
    }
    if (source.content) {
      sink(*source.content);
      return {};
    }
    return {{Code::contradiction,
             {source.name, 0, 0, 1, {}, 0},
             "this file is a capture already",
             "copy it; --format jsonl prints its records, --format json makes a result of it",
             {}}};
  });
}

/// What a result that nobody sees holds and what it lacks; on a page it stands anyway.
void tell_losses(const Profiled& profile) {
  std::string text;
  for (const auto& process : profile.processes)
    if (!process.cut.empty())
      text += fmt::format("note: {} ends too early: {}\n", printable(process.file),
                          printable(process.cut));
  for (const auto& loss : profile.losses)
    if (loss.reason != "file_cut")  // said above, with the place
      text += fmt::format("note: lost: {}: {}\n", loss_text(loss.reason), loss.count);
  if (!text.empty()) write_error(text);
}

int write_result(const ImportArgs& args, const Frame& frame, const ForeignOptions& foreign,
                 const std::string& format) {
  MeasureRequest request;
  request.spec = args.spec;
  request.filter = args.filter;
  request.range = args.range;
  request.foreign = foreign;
  const auto gpus = split_names(args.gpus);
  if (gpus.size() > 1)
    return report_error({Code::contradiction,
                         {},
                         "what was measured is held against one GPU: the one it was measured on",
                         "give one --gpu",
                         {}},
                        frame.style);
  if (!gpus.empty()) request.gpu = gpus.front();
  request.meant_gpu = meant_gpu(frame.settings);
  const auto measurement = read_launches(args.inputs, request);
  if (!measurement) return report_errors(measurement.error(), frame.style);
  const auto& m = *measurement;
  if (m.report.profile.empty() && m.failure) return report_error(*m.failure, frame.style);
  const int written = write_report(frame, args.output, [&](Output& output, bool colour) -> Errors {
    const TextSink sink = [&](std::string_view text) { output.write(text); };
    if (format == "json")
      output.write(m.json());
    else if (format == "csv")
      output.write(profile_csv(m.report));
    else
      write_profile_page(
          *small_page(format == "markdown" ? SmallFormat::markdown : SmallFormat::table, sink,
                      colour, frame.width),
          m.report,
          {.verbosity = args.quiet > 0 ? -args.quiet : args.verbose,
           .saved = {},
           .counters_asked = false});
    return {};
  });
  const bool page = format == "table" || format == "markdown";
  if (written == 0 && !page && args.quiet < 2) tell_losses(m.report.profile);
  // A GPU that is not known is no failure of an import: the result says so itself.
  return written;
}

}  // namespace

int run_import(Words words) {
  const auto args = parse<ImportArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto frame = frame_of(words, *args, args->format);
  if (!frame) return report_errors(frame.error(), style_of(words));
  if (args->list) return list_formats(*frame);
  if (args->inputs.empty())
    return report_error({Code::missing_argument,
                         {},
                         "no FILE was given",
                         "roofline import trace.json.gz -o run.json; --list names the formats",
                         {}},
                        frame->style);
  const auto format = format_of(*args);
  if (!format) return report_error(format.error(), frame->style);
  const auto foreign = foreign_options(args->from, args->decimal, args->dtype);
  if (!foreign) return report_errors(foreign.error(), frame->style);
  if (*format == "capture" || *format == "jsonl")
    return write_capture(*args, *frame, *foreign, *format == "jsonl");
  return write_result(*args, *frame, *foreign, *format);
}

}  // namespace roofline::cli
