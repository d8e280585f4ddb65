#include "cli/analyze_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/gpu_choice.hpp"
#include "cli/input_kind.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

Checked<KernelFile> read_file(const std::string& path) {
  if (path == "-" && ::isatty(STDIN_FILENO) != 0)
    write_error("reading a description from the terminal, end with Ctrl-D\n");
  auto content = read_input(path, YamlLimits{}.bytes);
  if (!content) return tl::unexpected(Errors{std::move(content.error())});
  const auto name = path == "-" ? std::string("stdin") : path;
  if (const auto kind = foreign_kind(*content); !kind.empty())
    return tl::unexpected(
        Errors{{Code::wrong_type,
                {name, 0, 0, 1, {}, 0},
                fmt::format("this is {}", kind),
                "analyze reads kernel descriptions: roofline schema kernel, roofline ops list",
                {}}});
  auto document = read_yaml(std::move(*content), name);
  if (!document) return tl::unexpected(std::move(document.error()));
  return KernelFile::read(*document);
}

/// Where no option names a GPU: the file's, else a variable's, else that of a settings file.
Checked<std::vector<Gpu>> own_gpus(const KernelFile& file, const Setting& setting) {
  const bool by_file = !file.gpus().empty();
  if (!by_file && !setting.given())
    return tl::unexpected(
        Errors{{Code::no_gpu,
                {file.file(), 0, 0, 1, {}, 0},
                "no GPU to hold the kernels against",
                "give --gpu NAME, or gpu: in the file; roofline gpus list prints the names",
                {}}});
  auto gpus = find_gpus(by_file ? file.gpus() : setting.values);
  if (gpus) return gpus;
  for (auto& error : gpus.error()) {
    if (!error.where.file.empty()) continue;  // inside a file of the user's own
    if (!by_file)
      error = at_setting(std::move(error), setting);
    else if (const auto place = file.gpu_place())
      error.where = *place;
  }
  return gpus;
}

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void take_launch_cost(const AnalyzeArgs& args, const Settings& settings, AnalyzeOptions& options,
                      Errors& errors) {
  if (!args.launch_cost.empty() && !args.launch_us.empty())
    return errors.push_back({Code::contradiction,
                             {},
                             "--launch-cost and --launch-us are the same thing: give one of them",
                             {},
                             {}});
  const bool own = !args.launch_cost.empty() || !args.launch_us.empty();
  if (!own && !settings.launch_cost.given()) return;
  auto cost =
      !args.launch_us.empty()
          ? parse_number(args.launch_us)
          : parse_quantity(own ? args.launch_cost : settings.launch_cost.text(), Dimension::time);
  if (cost && !args.launch_us.empty()) *cost *= 1e-6;
  if (cost && *cost < 0)
    cost = fail(Code::out_of_range, {}, "a launch cannot take less than no time");
  if (cost) {
    options.launch_cost = Seconds(*cost);
  } else if (own) {
    cost.error().what = fmt::format(
        "{}: {}", args.launch_us.empty() ? "--launch-cost" : "--launch-us", cost.error().what);
    errors.push_back(std::move(cost.error()));
  } else {
    errors.push_back(at_setting(std::move(cost.error()), settings.launch_cost));
  }
}

void take_choices(const AnalyzeArgs& args, AnalyzeOptions& options, Errors& errors) {
  constexpr std::string_view kTimings[] = {"stream", "kernel", "event", "graph", "e2e"};
  constexpr std::string_view kSparsities[] = {"2:4"};
  constexpr std::string_view kPaths[] = {"mma_sync"};
  const auto check = [&](std::string_view option, const std::string& value,
                         std::span<const std::string_view> choices) {
    if (value.empty()) return false;
    if (auto known = check_choice(option, value, choices); !known) {
      errors.push_back(std::move(known.error()));
      return false;
    }
    return true;
  };
  if (check("--timing", args.timing, kTimings)) options.timing = find_timing(args.timing);
  options.ceilings.sparsity_two_four = check("--sparsity", args.sparsity, kSparsities);
  options.ceilings.mma_sync = check("--path", args.path, kPaths);
}

void take_format(const AnalyzeArgs& args, const Settings& settings, AnalyzePlan& plan,
                 Errors& errors) {
  if (args.json && !args.format.empty() && args.format != "json")
    return errors.push_back(
        {Code::contradiction,
         {},
         "--json and --format " + printable(args.format) + " exclude each other",
         {},
         {}});
  const bool by_setting = args.format.empty() && !args.json && settings.format.given();
  const auto name = args.json              ? "json"
                    : !args.format.empty() ? args.format
                    : by_setting           ? settings.format.text()
                                           : "table";
  plan.format = find_output_format(name);
  if (plan.format) return;
  std::vector<std::string_view> names;
  for (const auto& format : output_formats()) names.push_back(format.name);
  auto error = check_choice("--format", name, names).error();
  errors.push_back(by_setting ? at_setting(std::move(error), settings.format) : std::move(error));
}

}  // namespace

Checked<AnalyzePlan> plan_analyze(const AnalyzeArgs& args, const Settings& settings,
                                  std::size_t width) {
  AnalyzePlan plan;
  Errors errors;
  if (args.inputs.empty())
    errors.push_back({Code::missing_argument,
                      {},
                      "no INPUT was given",
                      "roofline analyze kernels.yaml --gpu h100",
                      {}});
  take_format(args, settings, plan, errors);
  take_launch_cost(args, settings, plan.options, errors);
  take_choices(args, plan.options, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (std::count(args.inputs.begin(), args.inputs.end(), "-") > 1)
    return tl::unexpected(
        Errors{{Code::contradiction, {}, "standard input can be read only once", {}, {}}});

  auto named = find_gpus(args.gpus);
  if (!named) append(errors, std::move(named.error()));
  for (const auto& input : args.inputs) {
    auto file = read_file(input);
    if (!file) {
      append(errors, std::move(file.error()));
      continue;
    }
    auto gpus = args.gpus.empty() ? own_gpus(*file, settings.gpu) : named;
    if (gpus)
      plan.jobs.push_back({std::move(*file), std::move(*gpus)});
    else if (args.gpus.empty())
      append(errors, std::move(gpus.error()));  // an option's GPU is not missing once per file
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));

  plan.silent = args.quiet > 1;
  plan.options.remarks = plan.format->wants_remarks && !plan.silent;
  plan.report = {.explain = args.explain,
                 .verbosity = args.quiet > 0 ? -args.quiet : args.verbose,
                 .colour = false,
                 .width = width,
                 .gpu_count = 0,
                 .tool_version = version_number()};
  for (const auto& job : plan.jobs) plan.report.gpu_count += job.gpus.size();
  return plan;
}

}  // namespace roofline::cli
