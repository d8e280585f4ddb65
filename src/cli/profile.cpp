#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/command.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/launch_spec.hpp"
#include "cli/picture.hpp"
#include "cli/profile_output.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr std::uint64_t kMostRuns = 1000;
constexpr std::uint64_t kMostLaunches = 1'000'000;

/// A whole number between two bounds; absent where the option was not given.
std::optional<std::uint64_t> whole(std::string_view option, const std::string& text,
                                   std::uint64_t least, std::uint64_t most, Errors& errors) {
  if (text.empty()) return std::nullopt;
  const auto number = parse_number(text);
  const bool good =
      number &&
      *number ==
          static_cast<double>(static_cast<std::uint64_t>(std::max(0.0, std::min(*number, 1e15)))) &&
      *number >= static_cast<double>(least) && *number <= static_cast<double>(most);
  if (good) return static_cast<std::uint64_t>(*number);
  errors.push_back({Code::out_of_range,
                    {},
                    fmt::format("{} takes a whole number from {} to {}", option, least, most),
                    {},
                    {}});
  return std::nullopt;
}

std::optional<std::chrono::seconds> duration(std::string_view option, const std::string& text,
                                             Errors& errors) {
  if (text.empty()) return std::nullopt;
  auto seconds = parse_quantity(text, Dimension::time);
  if (seconds && *seconds >= 1 && *seconds <= 1e7)
    return std::chrono::seconds(static_cast<long long>(*seconds));
  errors.push_back({Code::out_of_range,
                    {},
                    fmt::format("{} takes a time of at least a second, as in \"90 s\"", option),
                    seconds ? "" : seconds.error().hint,
                    {}});
  return std::nullopt;
}

void check(std::string_view option, const std::string& value,
           std::span<const std::string_view> choices, Errors& errors) {
  if (value.empty()) return;
  if (auto known = check_choice(option, value, choices); !known)
    errors.push_back(std::move(known.error()));
}

MeasureRequest request_of(const ProfileArgs& args, Words command, const Settings& settings,
                          Errors& errors) {
  constexpr std::string_view kGraphs[] = {"node", "graph"};
  MeasureRequest request;
  request.command.assign(command.begin(), command.end());
  request.runs = whole("--runs", args.runs, 1, kMostRuns, errors).value_or(1);
  request.counters = args.counters || args.counters_only || args.sample;
  request.times = !args.counters_only;
  request.sample = args.sample;
  request.no_sass = args.no_sass;
  request.launches = whole("--launches", args.launches, 1, kMostLaunches, errors);
  request.skip = whole("--skip", args.skip, 0, kMostLaunches, errors);
  check("--graph-level", args.graph_level, kGraphs, errors);
  request.graphs = args.graph_level;
  request.exclude = args.exclude;
  request.cupti = args.cupti;
  request.keep = args.keep;
  request.timeout = duration("--timeout", args.timeout, errors);
  request.spec = args.spec;
  request.filter = args.filter;
  request.calibrated = wants_calibrated(args.ceilings, errors);
  const auto gpus = split_names(args.gpus);
  if (gpus.size() > 1)
    errors.push_back({Code::contradiction,
                      {},
                      "a run is held against one GPU: the one it ran on",
                      "give one --gpu",
                      {}});
  if (!gpus.empty()) request.gpu = gpus.front();
  request.meant_gpu = meant_gpu(settings);
  if (args.no_sass && !request.counters)
    errors.push_back({Code::contradiction,
                      {},
                      "--no-sass is about counters, and none are asked for",
                      "add --counters",
                      {}});
  return request;
}

/// A description without a program launches the kernel that it describes.
bool is_description(const std::string& word) {
  const auto file = word.substr(0, word.rfind('#'));
  return file.ends_with(".yaml") || file.ends_with(".yml") || file.ends_with(".json");
}

/// What is neither a program after -- nor a description is refused.
std::optional<Error> misplaced(const ProfileArgs& args, bool has_program) {
  if (args.inputs.empty() && has_program) return std::nullopt;
  if (args.inputs.size() == 1 && !has_program && is_description(args.inputs.front())) {
    if (args.spec.empty()) return std::nullopt;
    return Error{Code::contradiction,
                 {},
                 "--spec and a description to launch exclude each other",
                 "the kernel that is launched is held against its own description",
                 {}};
  }
  if (args.inputs.empty())
    return Error{Code::missing_argument,
                 {},
                 "no program was given",
                 "it stands after --: roofline profile --runs 5 -- ./bench --size 4096",
                 {}};
  const auto& word = args.inputs.front();
  return Error{
      Code::bad_option,
      {},
      fmt::format("\"{}\" stands before --", word),
      fmt::format("the program and its arguments stand after it: roofline profile -- {}", word),
      {}};
}

/// A run may take hours: files that cannot be written are found before it.
Errors check_outputs(const std::string& output, const Checked<Pictures>& pictures) {
  Errors errors;
  const auto check_file = [&](const std::string& file) {
    if (auto opened = Output::open(file); !opened) errors.push_back(std::move(opened.error()));
  };
  check_file(output);
  if (pictures)
    for (const auto& side : pictures->sides) check_file(side.file);
  return errors;
}

/// What was recorded outlives a report that could not be made.
void keep_captures(const Measurement& measurement) {
  if (!measurement.captures) return;
  if (const auto kept = measurement.captures->keep(); !kept.empty())
    write_error("roofline: what was recorded is kept: roofline analyze " + kept + "\n");
}

}  // namespace

int run_profile(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const Words own(words.begin(), dashes);
  const Words command = dashes == words.end() ? Words() : Words(dashes + 1, words.end());
  const auto args = parse<ProfileArgs>(own);
  if (!args) return report_error(args.error(), style_of(own));
  const auto frame = frame_of(own, *args);
  if (!frame) return report_errors(frame.error(), style_of(own));
  if (auto error = misplaced(*args, !command.empty())) return report_error(*error, frame->style);
  Errors errors;
  auto request = request_of(*args, command, frame->settings, errors);
  const auto format = profile_format(args->format, args->json, frame->settings, errors);
  const auto pictures = pictures_of(args->pictures, frame->width);
  if (!pictures) errors.insert(errors.end(), pictures.error().begin(), pictures.error().end());
  if (auto error = misplaced_plot(args->pictures, args->format, args->json || args->output == "-"))
    errors.push_back(std::move(*error));
  if (auto unwritable = check_outputs(args->output, pictures); !unwritable.empty())
    errors.insert(errors.end(), unwritable.begin(), unwritable.end());
  if (!errors.empty()) return report_errors(errors, frame->style);
  if (args->quiet == 0)
    request.progress = [](const std::string& text) { write_error("roofline: " + text + "\n"); };
  request.on_interrupt = [] { write_error("roofline: stopping, Ctrl-C again to kill\n"); };

  std::optional<PreparedLaunch> launch;
  if (!args->inputs.empty()) {
    auto prepared = prepare_launch(args->inputs.front(), request);
    if (!prepared) return report_errors(prepared.error(), frame->style);
    launch.emplace(std::move(*prepared));
    request = launch->request;
  }
  const auto measurement = measure(request);
  if (!measurement) return report_errors(measurement.error(), frame->style);
  // A child that could not launch the kernel has said why; nothing was measured.
  if (launch && measurement->end && measurement->end->signal == 0 &&
      measurement->end->exit_code != 0)
    return measurement->end->exit_code;
  int code = write_measurement(*measurement, *frame, format, args->output,
                               {.verbosity = args->quiet > 0 ? -args->quiet : args->verbose,
                                .saved = {},
                                .counters_asked = request.counters});
  // What was measured before the program failed is drawn too; its own status stands.
  if (pictures->wanted() && !measurement->report.profile.empty()) {
    const int drawn = draw_document(measurement->json(), "profile", *frame, *pictures);
    if (code == 0) code = drawn;
  }
  if (code == 2) keep_captures(*measurement);
  return args->propagate_exit && measurement->end && !measurement->end->good()
             ? measurement->end->shell_status()
             : code;
}

}  // namespace roofline::cli
