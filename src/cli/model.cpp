#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>

#include "cli/command.hpp"
#include "cli/gpu_choice.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "cli/style.hpp"
#include "cli/version.hpp"
#include "kernel/number_text.hpp"
#include "report/model_report.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{16}
                                   << 20;  ///< of a config; the largest published ones have 100 kB
constexpr Count kUsualTokens = 4096;  ///< context or prompt where the command line says nothing
constexpr std::string_view kLatentRows = "fp8_rows_656";

/// How the report is printed; the first is the default.
constexpr std::string_view kFormats[] = {"table", "json", "csv", "markdown", "jsonl"};

/// Everything that the words and the settings decide.
struct Plan {
  ModelConfig model;
  StepOptions step;
  ModelReportOptions report;
  std::vector<Gpu> gpus;
  std::string format;
  ReportOptions print;
  std::vector<std::string> said;  ///< defaults that were taken
};

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Error for_option(std::string_view option, Error error) {
  error.what = fmt::format("{}: {}", option, error.what);
  return error;
}

// ---------------------------------------------------------------- the config
/// "config.json" says nothing: then the folder's name does.
std::string model_name(const std::string& path) {
  if (path == "-") return "stdin";
  const fs::path file(path);
  const auto stem = file.stem().string();
  const auto folder = file.parent_path().filename().string();
  return stem == "config" && !folder.empty() && folder != "." && folder != ".." ? folder : stem;
}

/// The file that says how a checkpoint is quantised, where it lies beside the config.
std::optional<std::string> quantization_beside(const std::string& path) {
  if (path == "-") return std::nullopt;
  const fs::path file(path);
  for (const auto& name :
       {file.stem().string() + ".hf_quant_config.json", std::string("hf_quant_config.json")}) {
    const auto beside = file.parent_path() / name;
    std::error_code error;
    if (fs::is_regular_file(beside, error)) return beside.string();
  }
  return std::nullopt;
}

Checked<YamlDocument> read_document(const std::string& path) {
  auto content = read_input(path, kMostBytes);
  if (!content) return tl::unexpected(Errors{std::move(content.error())});
  return read_yaml(std::move(*content), path == "-" ? "stdin" : path);
}

Checked<ModelConfig> read_model(const ModelArgs& args) {
  auto config = read_document(args.input);
  if (!config) return tl::unexpected(std::move(config.error()));
  std::optional<YamlDocument> quantization;
  if (const auto beside = args.weights.empty() ? quantization_beside(args.input) : std::nullopt) {
    auto document = read_document(*beside);
    if (!document) return tl::unexpected(std::move(document.error()));
    quantization = std::move(*document);
  }
  const ModelConfigOptions options{.family = args.as, .ignore_quantization = !args.weights.empty()};
  auto model = read_model_config(*config, quantization ? &*quantization : nullptr, options);
  if (model) model->name = model_name(args.input);
  return model;
}

// ---------------------------------------------------------------- options
void take_count(std::string_view option, const std::string& text, Count& value, Count minimum,
                Errors& errors) {
  if (text.empty()) return;
  auto count = parse_count(text);
  if (!count) return errors.push_back(for_option(option, std::move(count.error())));
  if (*count < minimum || *count > Count(1LL << 40))
    return errors.push_back({Code::out_of_range,
                             {},
                             fmt::format("{} is {}", option, text),
                             fmt::format("from {} to 2^40", minimum.to_string()),
                             {}});
  value = *count;
}

void take_formats(const ModelArgs& args, StepOptions& step, Errors& errors) {
  if (!args.weights.empty()) {
    auto format = find_weight_format(args.weights);
    if (format)
      step.weights = std::move(*format);
    else
      errors.push_back(for_option("--weights", std::move(format.error())));
  }
  const auto dtype = [&](std::string_view option, const std::string& text,
                         std::optional<DType>& value) {
    if (text.empty()) return;
    value = find_dtype(text);
    if (!value)
      errors.push_back(
          {Code::unknown_dtype,
           {},
           fmt::format("{}: unknown dtype \"{}\"", option, shortened(printable(text), 60)),
           did_you_mean(text, dtype_names()),
           {}});
  };
  dtype("--activations", args.activations, step.activations);
  step.latent_rows_656 = args.kv_dtype == kLatentRows;
  if (step.latent_rows_656)
    step.kv_dtype = DType::fp8_e4m3;
  else
    dtype("--kv-dtype", args.kv_dtype, step.kv_dtype);
}

void take_sizes(const ModelArgs& args, StepOptions& step, Errors& errors) {
  take_count("--batch", args.batch, step.batch, 1, errors);
  take_count("--context", args.context, step.context, 0, errors);
  take_count("--tokens", args.tokens, step.tokens, 1, errors);
  take_count("--prefix", args.prefix, step.prefix, 0, errors);
  take_count("--tp", args.tp, step.tensor_parallel, 1, errors);
  take_count("--ep", args.ep, step.expert_parallel, 1, errors);
  take_count("--pp", args.pp, step.pipeline_parallel, 1, errors);
}

void take_choices(const ModelArgs& args, StepOptions& step, Errors& errors) {
  constexpr std::string_view kPhases[] = {"prefill", "decode", "train"};
  constexpr std::string_view kLogits[] = {"last", "all"};
  const auto check = [&](std::string_view option, const std::string& value,
                         std::span<const std::string_view> choices) {
    if (value.empty()) return false;
    if (auto known = check_choice(option, value, choices); !known) {
      errors.push_back(std::move(known.error()));
      return false;
    }
    return true;
  };
  if (check("--phase", args.phase, kPhases)) step.phase = *find_phase(args.phase);
  if (check("--logits", args.logits, kLogits)) step.all_logits = args.logits == "all";
}

void take_time(std::string_view option, const std::string& text, std::optional<Seconds>& value,
               Errors& errors) {
  if (text.empty()) return;
  auto time = parse_quantity(text, Dimension::time);
  if (!time) return errors.push_back(for_option(option, std::move(time.error())));
  if (*time < 0)
    return errors.push_back(
        {Code::out_of_range, {}, fmt::format("{} cannot be less than no time", option), {}, {}});
  value = Seconds(*time);
}

/// Sizes that only make sense in one phase.
void check_phase(const ModelArgs& args, const StepOptions& step, Errors& errors) {
  const auto refuse = [&](std::string_view option, std::string_view instead) {
    errors.push_back({Code::contradiction,
                      {},
                      fmt::format("{} has no meaning in {}", option, phase_name(step.phase)),
                      std::string(instead),
                      {}});
  };
  if (step.phase == Phase::decode) {
    if (!args.tokens.empty())
      refuse("--tokens",
             "a decode step makes one token of each sequence; --context says how many it sees");
    if (!args.prefix.empty()) refuse("--prefix", "--context says how many keys lie in the cache");
  } else if (!args.context.empty()) {
    refuse(
        "--context",
        "--tokens says how many tokens a sequence has, --prefix how many lie in the cache already");
  }
}

/// The usual length where none was given, and the sentence that says so.
void take_defaults(const ModelArgs& args, Plan& plan) {
  auto& step = plan.step;
  if (args.phase.empty() && plan.model.kind != ModelKind::decoder) step.phase = Phase::prefill;
  const Count usual = plan.model.max_positions > Count(0)
                          ? min(kUsualTokens, plan.model.max_positions)
                          : kUsualTokens;
  if (step.phase == Phase::decode && args.context.empty()) {
    step.context = usual;
    plan.said.push_back(
        fmt::format("a context of {} tokens is taken (--context says another)", usual.to_string()));
  }
  if (step.phase != Phase::decode && args.tokens.empty() && plan.model.kind != ModelKind::vision) {
    step.tokens = usual;
    plan.said.push_back(
        fmt::format("sequences of {} tokens are taken (--tokens says another)", usual.to_string()));
  }
}

// ---------------------------------------------------------------- GPUs and format
void take_gpus(const ModelArgs& args, const Settings& settings, Plan& plan, Errors& errors) {
  auto gpus = find_gpus(args.gpus.empty() ? settings.gpu.values : args.gpus);
  if (gpus) plan.gpus = std::move(*gpus);
  else append(errors, std::move(gpus.error()));
}

void take_format(const ModelArgs& args, const Settings& settings, Plan& plan, Errors& errors) {
  if (args.json && !args.format.empty() && args.format != "json")
    return errors.push_back(
        {Code::contradiction,
         {},
         "--json and --format " + printable(args.format) + " exclude each other",
         {},
         {}});
  plan.format = args.json                 ? "json"
                : !args.format.empty()    ? args.format
                : settings.format.given() ? settings.format.text()
                                          : std::string(kFormats[0]);
  if (auto known = check_choice("--format", plan.format, kFormats); !known)
    errors.push_back(std::move(known.error()));
}

Checked<Plan> make_plan(const ModelArgs& args, const Settings& settings, std::size_t width) {
  Plan plan;
  Errors errors;
  if (args.input.empty())
    errors.push_back({Code::missing_argument,
                      {},
                      "no CONFIG was given",
                      "roofline model config.json --gpu h100",
                      {}});
  take_format(args, settings, plan, errors);
  take_choices(args, plan.step, errors);
  take_sizes(args, plan.step, errors);
  take_formats(args, plan.step, errors);
  check_phase(args, plan.step, errors);
  take_time("--time", args.time, plan.report.time, errors);
  take_time("--launch-cost",
            args.launch_cost.empty() ? settings.launch_cost.text() : args.launch_cost,
            plan.report.launch_cost, errors);
  plan.report.graph = args.graph;
  if (plan.report.time && *plan.report.time == Seconds(0))
    errors.push_back({Code::out_of_range, {}, "--time cannot be zero", {}, {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  auto model = read_model(args);
  if (model)
    plan.model = std::move(*model);
  else
    append(errors, std::move(model.error()));
  take_gpus(args, settings, plan, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  take_defaults(args, plan);
  plan.print = {.explain = false,
                .verbosity = args.quiet > 0 ? -args.quiet : args.verbose,
                .colour = false,
                .width = width,
                .gpu_count = plan.gpus.size(),
                .tool_version = version_number()};
  return plan;
}

// ---------------------------------------------------------------- reports
/// Everything computed, on every GPU: nothing is printed before all of it holds.
struct Results {
  std::unique_ptr<ModelStep> step;  // the reports point to it, wherever the results go
  std::vector<std::unique_ptr<Ceilings>> ceilings;
  std::vector<ModelReport> reports;
};

Checked<Results> compute(const Plan& plan) {
  Results results;
  auto step = plan_step(plan.model, plan.step);
  if (!step) return tl::unexpected(std::move(step.error()));
  results.step = std::make_unique<ModelStep>(std::move(*step));
  auto& statements = results.step->statements;
  statements.insert(statements.begin(), plan.said.begin(), plan.said.end());
  for (const auto& gpu : plan.gpus) {
    results.ceilings.push_back(std::make_unique<Ceilings>(gpu));
    auto report = report_model(plan.model, *results.step, *results.ceilings.back(), plan.report);
    if (!report) return tl::unexpected(std::move(report.error()));
    results.reports.push_back(std::move(*report));
  }
  return results;
}

void print_page(Page& page, const Plan& plan, const Results& results) {
  ModelReport alone{
      .model = &plan.model, .step = results.step.get(), .parameters = count_parameters(plan.model)};
  if (plan.print.verbosity >= 0)
    write_model_heading(page, results.reports.empty() ? alone : results.reports.front());
  for (const auto& report : results.reports) write_model_page(page, report, plan.print);
  if (!results.reports.empty()) return;
  write_model_notes(page, alone);
  page.remark("next", "--gpu NAME says how long a step takes: roofline gpus list", Tone::plain, 0);
}

void print_json(JsonWriter& json, const Plan& plan, const Results& results) {
  if (results.reports.size() == 1) {
    json.begin_object();
    write_model_json(json, results.reports.front(), plan.print);
  } else if (results.reports.empty()) {
    json.begin_object();
    write_model_json(json,
                     {.model = &plan.model,
                      .step = results.step.get(),
                      .parameters = count_parameters(plan.model)},
                     plan.print);
  } else {
    json.begin_object();
    write_model_list(json, results.reports, plan.print);
  }
  json.end_object();
  json.end_line();
  json.flush();
}

void print_report(const Plan& plan, const Results& results, Output& output) {
  const TextSink sink = [&](std::string_view text) { output.write(text); };
  if (plan.format == "json") {
    JsonWriter json(sink, {.indented_levels = results.reports.size() > 1 ? 5U : 3U});
    return print_json(json, plan, results);
  }
  if (plan.format == "table") return print_page(*text_page(sink, plan.print), plan, results);
  if (plan.format == "markdown") return print_page(*markdown_page(sink), plan, results);
  const auto writer = find_output_format(plan.format)->make(sink, plan.print);
  writer->begin();
  for (const auto& report : results.reports) write_model_rows(*writer, report, plan.model.name);
  writer->end();
}

}  // namespace

int run_model(Words words) {
  auto style = style_of(words);
  const auto args = parse<ModelArgs>(words);
  if (!args) return report_error(args.error(), style);
  const auto common = common_style(*args);
  if (!common) return report_error(common.error(), style);
  const auto settings = read_settings(*args);
  if (!settings) return report_errors(settings.error(), style);
  if (common->errors.colour == ColourChoice::automatic && settings->color.given())
    style.colour = find_colour_choice(settings->color.text()).value_or(ColourChoice::automatic);

  auto plan = make_plan(*args, *settings, common->width);
  if (!plan) return report_errors(plan.error(), style);
  const auto results = compute(*plan);
  if (!results) return report_errors(results.error(), style);
  const bool to_stdout = args->output.empty() || args->output == "-";
  plan->print.colour =
      to_stdout ? wants_colour(Stream::out, style.colour) : style.colour == ColourChoice::always;
  auto output = Output::open(args->output);
  if (!output) return report_error(output.error(), style);
  if (args->quiet < 2) print_report(*plan, *results, *output);
  const auto written = output->finish();
  return written ? 0 : report_error(written.error(), style);
}

}  // namespace roofline::cli
