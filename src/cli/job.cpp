#include "cli/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/gpu_choice.hpp"
#include "cli/input_kind.hpp"
#include "cli/version.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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

void take_launch_cost(const KernelArgs& args, const Settings& settings, AnalyzeOptions& options, Errors& errors) {
  if (!args.launch_cost.empty() && !args.launch_us.empty())
    return errors.push_back({Code::contradiction, {}, "--launch-cost and --launch-us are the same thing: give one of them", {}, {}});
  const bool own = !args.launch_cost.empty() || !args.launch_us.empty();
  if (!own && !settings.launch_cost.given()) return;
  auto cost = !args.launch_us.empty() ? parse_number(args.launch_us)
                                      : parse_quantity(own ? args.launch_cost : settings.launch_cost.text(), Dimension::time);
  if (cost && !args.launch_us.empty()) *cost *= 1e-6;
  if (cost && *cost < 0) cost = fail(Code::out_of_range, {}, "a launch cannot take less than no time");
  if (cost) {
    options.launch_cost = Seconds(*cost);
  } else if (own) {
    cost.error().what = fmt::format("{}: {}", args.launch_us.empty() ? "--launch-cost" : "--launch-us", cost.error().what);
    errors.push_back(std::move(cost.error()));
  } else {
    errors.push_back(at_setting(std::move(cost.error()), settings.launch_cost));
  }
}

Result<ColourChoice> colour_choice(const CommonStyle& style, const Settings& settings) {
  if (style.errors.colour != ColourChoice::automatic || !settings.color.given()) return style.errors.colour;
  if (auto choice = find_colour_choice(settings.color.text())) return *choice;
  constexpr std::string_view kChoices[] = {"auto", "always", "never"};
  return tl::unexpected(at_setting(check_choice("color", settings.color.text(), kChoices).error(), settings.color));
}

void name_files(const Settings& settings) {
  for (const auto& file : settings.files) write_error("settings from " + printable(file) + "\n");
}

}  // namespace

Checked<YamlDocument> read_document(const std::string& path) {
  if (path == "-" && ::isatty(STDIN_FILENO) != 0)
    write_error("reading a description from the terminal, end with Ctrl-D\n");
  auto content = read_input(path, YamlLimits{}.bytes);
  if (!content) return tl::unexpected(Errors{std::move(content.error())});
  const auto name = path == "-" ? std::string("stdin") : path;
  if (const auto kind = foreign_kind(*content); !kind.empty())
    return tl::unexpected(Errors{{Code::wrong_type, {name, 0, 0, 1, {}, 0}, fmt::format("this is {}", kind),
                                  "kernel descriptions are read here: roofline schema kernel, roofline ops list", {}}});
  return read_yaml(std::move(*content), name);
}

Checked<std::vector<Job>> read_jobs(const KernelArgs& args, const Settings& settings, const std::vector<Rewrite>& rewrites) {
  if (args.inputs.empty())
    return tl::unexpected(Errors{{Code::missing_argument, {}, "no INPUT was given", "roofline analyze kernels.yaml --gpu h100", {}}});
  if (std::count(args.inputs.begin(), args.inputs.end(), "-") > 1)
    return tl::unexpected(Errors{{Code::contradiction, {}, "standard input can be read only once", {}, {}}});
  std::vector<Job> jobs;
  Errors errors;
  auto named = find_gpus(args.gpus);
  if (!named) append(errors, std::move(named.error()));
  const auto add = [&](const YamlDocument& document) {
    auto file = KernelFile::read(document);
    if (!file) return append(errors, std::move(file.error()));
    auto gpus = args.gpus.empty() ? own_gpus(*file, settings.gpu) : named;
    if (gpus) jobs.push_back({std::move(*file), std::move(*gpus)});
    else if (args.gpus.empty()) append(errors, std::move(gpus.error()));  // an option's GPU is not missing once per file
  };
  for (const auto& input : args.inputs) {
    const auto document = read_document(input);
    if (!document) {
      append(errors, Errors(document.error()));
      continue;
    }
    if (rewrites.empty()) add(*document);
    for (const auto& rewrite : rewrites) {
      auto changed = rewrite(*document);
      if (changed) add(*changed);
      else append(errors, std::move(changed.error()));
      if (!errors.empty()) break;  // the same fault is not found once per rewriting
    }
  }
  if (wants_calibrated(args.ceilings, errors))
    for (auto& job : jobs)
      for (auto& gpu : job.gpus)
        if (errors.empty()) append(errors, use_calibration(gpu));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return jobs;
}

std::vector<std::optional<std::string>> dtype_variants(const std::vector<std::string>& option) {
  std::vector<std::optional<std::string>> variants;
  for (auto& name : split_names(option)) variants.emplace_back(std::move(name));
  if (variants.empty()) variants.emplace_back();
  return variants;
}

AnalyzeOptions model_options(const KernelArgs& args, const Settings& settings, Errors& errors) {
  constexpr std::string_view kTimings[] = {"stream", "kernel", "event", "graph", "e2e"};
  constexpr std::string_view kSparsities[] = {"2:4"};
  constexpr std::string_view kPaths[] = {"mma_sync"};
  AnalyzeOptions options;
  take_launch_cost(args, settings, options, errors);
  const auto check = [&](std::string_view option, const std::string& value, std::span<const std::string_view> choices) {
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
  return options;
}

std::string format_name(const KernelArgs& args, const Settings& settings, std::span<const std::string_view> known, Errors& errors) {
  if (args.json && !args.format.empty() && args.format != "json") {
    errors.push_back({Code::contradiction, {}, "--json and --format " + printable(args.format) + " exclude each other", {}, {}});
    return "json";
  }
  const bool by_setting = args.format.empty() && !args.json && settings.format.given();
  auto name = args.json ? "json" : !args.format.empty() ? args.format : by_setting ? settings.format.text() : "table";
  if (auto checked = check_choice("--format", name, known); !checked)
    errors.push_back(by_setting ? at_setting(std::move(checked.error()), settings.format) : std::move(checked.error()));
  return name;
}

SmallFormat small_format(const KernelArgs& args, const Settings& settings, Errors& errors) {
  constexpr std::string_view kNames[] = {"table", "markdown", "json"};
  const auto name = format_name(args, settings, kNames, errors);
  return name == "json" ? SmallFormat::json : name == "markdown" ? SmallFormat::markdown : SmallFormat::table;
}

std::unique_ptr<Page> small_page(SmallFormat format, TextSink sink, bool colour, std::size_t width, int quiet) {
  const ReportOptions options{.colour = colour, .width = width, .tool_version = version_number()};
  auto page = format == SmallFormat::markdown ? markdown_page(std::move(sink)) : text_page(std::move(sink), options);
  return quiet > 0 ? verdicts_page(std::move(page), quiet > 1) : std::move(page);
}

Checked<Frame> frame_of(Words words, const KernelArgs& args) { return frame_of(words, args, args.format); }

Checked<Frame> frame_of(Words words, const CommonArgs& args, const std::string& format) {
  Frame frame{.style = style_of(words)};
  const auto common = common_style(args);
  if (!common) return tl::unexpected(Errors{common.error()});
  auto settings = read_settings(args);
  if (!settings) return tl::unexpected(std::move(settings.error()));
  frame.settings = std::move(*settings);
  const auto colour = colour_choice(*common, frame.settings);
  if (!colour) return tl::unexpected(Errors{colour.error()});
  frame.style.colour = *colour;
  if (format.empty()) frame.style.json = frame.style.json || frame.settings.format.text().starts_with("json");
  frame.width = common->width;
  if (args.verbose > 0) name_files(frame.settings);
  return frame;
}

int write_report(const Frame& frame, const std::string& path, const std::function<Errors(Output&, bool colour)>& body) {
  const bool to_stdout = path.empty() || path == "-";
  const bool colour = to_stdout ? wants_colour(Stream::out, frame.style.colour) : frame.style.colour == ColourChoice::always;
  auto output = Output::open(path);
  if (!output) return report_error(output.error(), frame.style);
  if (const auto errors = body(*output, colour); !errors.empty()) {
    output->discard();
    return report_errors(errors, frame.style);
  }
  const auto written = output->finish();
  return written ? 0 : report_error(written.error(), frame.style);
}

}  // namespace roofline::cli
