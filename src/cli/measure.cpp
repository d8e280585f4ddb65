#include "cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/capture_folder.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/job.hpp"
#include "cli/operations.hpp"
#include "cli/plugin_place.hpp"
#include "cli/profile_gpu.hpp"
#include "cli/profile_outcome.hpp"
#include "cli/version.hpp"
#include "roofline/base/pattern.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/machine/embedded.hpp"
#include "roofline/profile/collect.hpp"
#include "roofline/profile/gpu_watch.hpp"
#include "roofline/profile/host.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;
namespace plugin = profile::plugin;

tl::unexpected<Errors> refuse(Error error) { return tl::unexpected(Errors{std::move(error)}); }

/// What a report is held against, read before anything runs.
struct Background {
  std::string spec_file;
  std::vector<Kernel> entries;
  std::unique_ptr<Gpu> gpu;
  std::string preferred;  ///< the one GPU that the description names
  KernelKinds kinds;
  std::optional<Pattern> filter, range;
};

Checked<std::vector<Kernel>> read_entries(const std::string& spec, Background& background) {
  auto& file = background.spec_file;
  const auto hash = spec.rfind('#');
  file = spec.substr(0, hash);
  const auto wanted = hash == std::string::npos ? std::string() : spec.substr(hash + 1);
  auto document = read_document(file);
  if (!document) return tl::unexpected(std::move(document.error()));
  const auto kernels = KernelFile::read(*document);
  if (!kernels) return tl::unexpected(kernels.error());
  if (kernels->gpus().size() == 1) background.preferred = kernels->gpus().front();
  if (kernels->points() > Count(1))
    return refuse(
        {Code::contradiction,
         {file, 0, 0, 1, {}, 0},
         fmt::format(
             "{} takes several values in this description; a run is held against one of them",
             joined(std::vector<std::string>(kernels->swept().begin(), kernels->swept().end()))),
         "give it the value that the program runs with",
         {}});
  Workload workload;
  if (auto errors = kernels->evaluate(0, workload); !errors.empty())
    return tl::unexpected(std::move(errors));
  if (wanted.empty()) return std::move(workload.kernels);
  std::vector<Kernel> chosen;
  std::vector<std::string_view> names;
  for (auto& kernel : workload.kernels) {
    names.push_back(kernel.name);
    if (kernel.name == wanted) chosen.push_back(kernel);
  }
  if (chosen.empty())
    return refuse({Code::unknown_name,
                   {file, 0, 0, 1, {}, 0},
                   fmt::format("no kernel \"{}\" in this description", printable(wanted)),
                   did_you_mean(wanted, names),
                   {}});
  return chosen;
}

Result<std::optional<Pattern>> read_pattern(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<Pattern>();
  const bool regex = text.size() > 1 && text.starts_with('/') && text.ends_with('/');
  auto pattern = regex ? Pattern::regex(std::string_view(text).substr(1, text.size() - 2))
                       : Pattern::glob(text);
  if (!pattern) {
    pattern.error().what = std::string(option) + ": " + pattern.error().what;
    return tl::unexpected(std::move(pattern.error()));
  }
  return std::optional<Pattern>(std::move(*pattern));
}

/// The labels that the program carries.
Checked<KernelKinds> kernel_kinds() {
  const auto document = read_yaml(std::string(embedded_file("names.yaml")), "names.yaml");
  if (!document) return tl::unexpected(document.error());
  return KernelKinds::read(*document);
}

Checked<Background> read_background(const MeasureRequest& request) {
  Background background;
  Errors errors;
  if (!request.spec.empty()) {
    auto entries = read_entries(request.spec, background);
    if (entries)
      background.entries = std::move(*entries);
    else
      errors = std::move(entries.error());
  }
  if (!request.gpu.empty()) {
    auto gpu = find_gpu(request.gpu);
    if (gpu)
      background.gpu = std::make_unique<Gpu>(std::move(*gpu));
    else
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
  }
  const auto take = [&](std::string_view option, const std::string& text,
                        std::optional<Pattern>& into) {
    if (auto pattern = read_pattern(option, text))
      into = std::move(*pattern);
    else
      errors.push_back(std::move(pattern.error()));
  };
  take("--filter", request.filter, background.filter);
  take("--range", request.range, background.range);
  auto kinds = kernel_kinds();
  if (kinds)
    background.kinds = std::move(*kinds);
  else
    errors.insert(errors.end(), kinds.error().begin(), kinds.error().end());
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return background;
}

// ---------------------------------------------------------------- running

/// Variables of one run. The program's children inherit them.
std::vector<std::pair<std::string, std::string>> variables(const MeasureRequest& request,
                                                           const std::string& library,
                                                           const std::string& folder,
                                                           std::string_view mode,
                                                           std::uint64_t run) {
  std::vector<std::pair<std::string, std::string>> list = {{plugin::kInjectionVariable, library},
                                                           {plugin::kOut, folder},
                                                           {plugin::kMode, std::string(mode)},
                                                           {plugin::kRun, std::to_string(run)}};
  if (!request.cupti.empty())
    list.emplace_back(plugin::kCupti, fs::absolute(request.cupti).string());
  if (!request.graphs.empty()) list.emplace_back(plugin::kGraphs, request.graphs);
  if (request.launches) list.emplace_back(plugin::kLaunches, std::to_string(*request.launches));
  if (request.skip) list.emplace_back(plugin::kSkipLaunches, std::to_string(*request.skip));
  if (!request.exclude.empty()) list.emplace_back(plugin::kExclude, request.exclude);
  if (request.warmups) list.emplace_back(plugin::kWarmups, std::to_string(*request.warmups));
  if (request.no_sass) list.emplace_back(plugin::kNoSass, "1");
  return list;
}

/// Of two ends the one that is worse news.
void keep_worst(std::optional<ProgramEnd>& worst, ProgramEnd end) {
  const bool worse = !worst || end.interrupted || (worst->good() && !end.good());
  if (worse) worst = std::move(end);
}

Result<std::optional<ProgramEnd>> run_all(const MeasureRequest& request, const std::string& library,
                                          const std::string& folder) {
  std::optional<ProgramEnd> worst;
  const std::uint64_t timed = request.times ? request.runs : 0,
                      all = timed + (request.counters ? 1 : 0);
  for (std::uint64_t run = 0; run < all; ++run) {
    const bool counting = run >= timed;
    const std::string_view mode = counting ? (request.sample ? "sample" : "counters") : "trace";
    if (request.progress && all > 1)
      request.progress(
          fmt::format("run {} of {}{}", run + 1, all, counting ? ", under counters" : ""));
    const ProgramCommand command{request.command, variables(request, library, folder, mode, run),
                                 request.timeout};
    auto end = run_program_to_end(command, request.on_interrupt);
    if (!end) return tl::unexpected(std::move(end.error()));
    const bool go_on = end->good() && !end->interrupted;
    keep_worst(worst, std::move(*end));
    if (!go_on) break;  // the next run would fail in the same way
  }
  return worst;
}

std::optional<Error> other_injector() {
  for (const auto& injector : profile::find_injectors(profile::HostView::of_this_machine())) {
    if (injector.variable != plugin::kInjectionVariable) continue;
    return Error{Code::injection_taken,
                 {},
                 fmt::format("{} is set already: {}", injector.variable,
                             injector.tool.empty() ? printable(injector.value)
                                                   : injector.tool + " holds the profiler's place"),
                 "profile outside of that tool, or unset the variable",
                 {}};
  }
  return std::nullopt;
}

// ---------------------------------------------------------------- reading

/// Keeps the kernels whose own name, or whose operator, is asked for. Fails where none is.
std::optional<Error> apply_filter(Profiled& profiled, const std::optional<Pattern>& filter,
                                  const std::string& text) {
  if (!filter || profiled.kernels.empty()) return std::nullopt;
  const bool regex = text.starts_with('/');
  constexpr std::size_t kShown = 4, kLength = 48;
  std::vector<std::string> heaviest;
  for (const auto& kernel : profiled.kernels) {
    if (heaviest.size() == kShown) break;
    const auto name = kernel.operation ? kernel.operation->name : instance_name(kernel.full_name);
    if (auto shown = shortened_middle(printable(name), kLength);
        std::find(heaviest.begin(), heaviest.end(), shown) == heaviest.end())
      heaviest.push_back(std::move(shown));
  }
  std::erase_if(profiled.kernels, [&](const ProfiledKernel& kernel) {
    return !filter->matches(regex ? kernel.full_name : kernel.name) &&
           !(!regex && filter->matches(instance_name(kernel.full_name))) &&
           !(kernel.operation && filter->matches(kernel.operation->name));
  });
  if (!profiled.kernels.empty()) return std::nullopt;
  return Error{
      Code::unknown_name,
      {},
      fmt::format("no kernel matches --filter '{}'", printable(text)),
      "a glob covers the whole name (*silu*), /REGEX/ is searched in it; the heaviest are " +
          joined(heaviest, ", "),
      {}};
}

void describe_environment(ProfileReport& report) {
  auto& environment = report.environment;
  for (const auto& process : report.profile.processes) {
    if (process.driver_version == 0) continue;
    environment.cuda =
        fmt::format("{}.{}", process.driver_version / 1000, process.driver_version % 1000 / 10);
    break;
  }
  if (report.profile.devices.empty()) return;
  const auto& device = report.profile.devices.front();
  if (device.facts.ecc != 0) environment.ecc = true;
  // The driver names an instance "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
  constexpr std::string_view kMig = " MIG ";
  if (const auto at = device.name.find(kMig); at != std::string::npos)
    environment.mig = device.name.substr(at + kMig.size());
  else if (device.facts.mig != 0)
    environment.mig = "yes";
}

void describe_load(ProfileReport& report, profile::GpuWatch& watch) {
  const auto load = watch.stop(
      report.profile.devices.empty() ? std::string() : report.profile.devices.front().uuid);
  if (report.profile.simulated) return;  // what it saw is another GPU
  auto& environment = report.environment;
  environment.driver = load.driver;
  environment.power_limit_w = load.power_limit_w;
  environment.clock_min_mhz = load.clock_min_mhz;
  environment.clock_median_mhz = load.clock_median_mhz;
  environment.clock_max_mhz = load.clock_max_mhz;
  environment.throttled_share = load.throttled_share;
  environment.other_processes = load.other_processes;
}

/// Joins what was read with the description and the GPU; a GPU that is not known leaves the times.
Errors finish(Measurement& measurement, Background&& background, const MeasureRequest& request) {
  auto& report = measurement.report;
  report.spec_file = std::move(background.spec_file);
  report.entries = std::move(background.entries);
  report.gpu = std::move(background.gpu);
  if (report.gpu) {
    const auto differs = contradiction(report.profile.devices, *report.gpu);
    if (!differs) return differs.error();
    if (!differs->empty())
      report.warnings.push_back(
          {"gpu_differs",
           fmt::format("it ran on another GPU{} than {}, which --gpu names: {}",
                       report.profile.devices.front().name.empty()
                           ? ""
                           : " (" + printable(report.profile.devices.front().name) + ")",
                       report.gpu->id, *differs)});
  }
  if (auto none = apply_filter(report.profile, background.filter, request.filter))
    if (!measurement.failure) measurement.failure = std::move(none);
  if (!report.gpu && !report.profile.empty()) {
    const auto& processes = report.profile.processes;
    const bool from_result =
        !processes.empty() && processes.front().imported_from.starts_with(kOwnTool);
    auto found =
        gpu_of(report.profile.devices, from_result,
               background.preferred.empty() ? request.meant_gpu
                                            : MeantGpu{background.preferred, "the description"});
    if (!found) return std::move(found.error());
    report.gpu = std::move(found->gpu);
    report.gpu_note = std::move(found->note);
    if (found->unknown && !measurement.failure) measurement.failure = std::move(found->unknown);
  }
  if (report.gpu && request.calibrated)
    // What was measured is reported all the same.
    if (auto errors = use_calibration(*report.gpu); !errors.empty() && !measurement.failure)
      measurement.failure = std::move(errors.front());
  if (report.gpu) report.ceilings = std::make_unique<Ceilings>(*report.gpu, request.ceilings);
  describe_environment(report);
  for (auto& warning : outcome_warnings(report.profile, request.counters))
    report.warnings.push_back({std::move(warning.code), std::move(warning.text)});
  map_operations(report);
  return complete(report, background.kinds);
}

/// As it was given, without the folders of the program.
std::string shown_command(std::vector<std::string> words) {
  const auto slash = words.front().rfind('/');
  if (slash != std::string::npos && slash + 1 < words.front().size())
    words.front().erase(0, slash + 1);
  std::string text;
  for (const auto& word : words) {
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return shortened(printable(text), 80);
}

}  // namespace

namespace {

/// Captures without a launch. What kept the launches out, where a file tells it, is among the
/// losses, which are said beside.
Error nothing_ran(const std::string& path, const Profiled& profile) {
  const auto& processes = profile.processes;
  const bool cut = std::any_of(processes.begin(), processes.end(), [](const auto& process) {
    return !process.ended || !process.cut.empty();
  });
  const bool counted = std::any_of(profile.kernels.begin(), profile.kernels.end(),
                                   [](const auto& kernel) { return !kernel.counters.empty(); });
  std::vector<std::string> reasons;
  for (const auto& loss : profile.losses)
    if (loss.reason != "capture_not_closed" && loss.reason != "file_cut")
      reasons.push_back(fmt::format("{}: {}", loss_text(loss.reason), loss.count));
  const bool foreign = profile.imported();
  return {Code::no_kernels,
          {path, 0, 0, 1, {}, 0},
          cut       ? fmt::format("this {} was cut off before the first kernel in it",
                            foreign ? "file" : "capture")
          : counted ? "no kernel has a time: there are counters alone"
          : foreign ? "there is no kernel of a GPU in this file"
                    : "no kernel was launched in this capture",
          cut       ? "the program was killed, or the file was not copied whole"
          : counted ? "a time is what verdicts are about: record it beside the counters"
          : foreign ? "was the GPU traced? docs/import.md says how to record each format"
                    : "",
          joined(reasons, "; ")};
}

}  // namespace

std::string Measurement::json() const {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; }, {.indented_levels = 3});
  write_profile_json(json, report, version_number());
  return text;
}

Checked<Measurement> measure(const MeasureRequest& request) {
  auto background = read_background(request);
  if (!background) return tl::unexpected(std::move(background.error()));
  const auto library = find_plugin();
  if (!library) return refuse(library.error());
  if (auto taken = other_injector()) return refuse(std::move(*taken));
  auto made = CaptureFolder::make(request.keep);
  if (!made) return refuse(made.error());
  const auto folder = std::make_shared<CaptureFolder>(std::move(*made));

  profile::GpuWatch watch;
  const auto end = run_all(request, *library, folder->path());
  if (!end) return refuse(end.error());
  Measurement measurement;
  measurement.end = **end;
  auto& program = measurement.report.program;
  program.command = request.label.empty() ? shown_command(request.command) : request.label;
  program.by_us = true;
  if (measurement.end->signal != 0)
    program.signal = measurement.end->signal;
  else
    program.exit_code = measurement.end->exit_code;
  program.interrupted = measurement.end->interrupted;
  program.timed_out = measurement.end->timed_out;
  // A description that does not fit is no reason to run an hour again.
  const auto with_captures_kept = [&](Errors errors) {
    auto& note = errors.back().note;
    if (const auto kept = folder->keep(); !kept.empty())
      note += fmt::format("{}what was recorded is kept: roofline analyze {}",
                          note.empty() ? "" : "; ", kept);
    return tl::unexpected(std::move(errors));
  };
  if (const auto files = capture_files(folder->path())) {
    auto profiled = read_profile(*files, &background->kinds);
    if (!profiled) return with_captures_kept(std::move(profiled.error()));
    measurement.report.profile = std::move(*profiled);
    measurement.captures = folder;
  }
  program.runs = measurement.report.profile.runs;
  describe_load(measurement.report, watch);
  measurement.failure =
      outcome_of(measurement.report.profile, *measurement.end,
                 request.label.empty() ? request.command : std::vector{request.label});
  if (auto errors = finish(measurement, std::move(*background), request); !errors.empty())
    return with_captures_kept(std::move(errors));
  return measurement;
}

Checked<Measurement> read_launches(const std::vector<std::string>& paths,
                                   const MeasureRequest& request) {
  auto background = read_background(request);
  if (!background) return tl::unexpected(std::move(background.error()));
  const auto sources = capture_sources(paths, request.foreign);
  if (!sources) return tl::unexpected(sources.error());
  auto profiled = read_profile(*sources, background->range ? &*background->range : nullptr,
                               &background->kinds, request.range);
  if (!profiled) return tl::unexpected(std::move(profiled.error()));
  Measurement measurement;
  measurement.report.profile = std::move(*profiled);
  auto& program = measurement.report.program;
  program.command = measurement.report.profile.processes.front().command;
  program.runs = measurement.report.profile.runs;
  if (measurement.report.profile.launches() == 0)
    measurement.failure = nothing_ran(paths.front(), measurement.report.profile);
  if (auto errors = finish(measurement, std::move(*background), request); !errors.empty())
    return tl::unexpected(std::move(errors));
  return measurement;
}

}  // namespace roofline::cli
