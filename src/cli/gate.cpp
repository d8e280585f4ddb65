#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "cli/command.hpp"
#include "cli/gate_measure.hpp"
#include "cli/gate_output.hpp"
#include "cli/gate_references.hpp"
#include "cli/gate_results.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/sha256.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

/// Everything that is read before anything is measured: a mistake in a file costs no run.
struct Plan {
  std::optional<YamlDocument> places;  ///< the gate's text, for messages
  GateFile gate;
  std::optional<Gpu> gpu;
  std::optional<Ceilings> ceilings;
  std::vector<GateSource> sources;
  GateReferences references;
  std::string today;
};

std::string today_utc() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

Error missing_gate() {
  return {
      Code::missing_argument,
      {},
      "no gate file was given",
      "roofline gate roofline.gate.yml run.json; roofline gate --init run.json writes a first one",
      {}};
}

/// The gate, and its text for messages that come later.
Checked<GateFile> read_gate_with_places(const std::string& path,
                                        std::optional<YamlDocument>& places) {
  auto text = read_input(path, kMostResultBytes);
  if (!text) return tl::unexpected(Errors{std::move(text.error())});
  auto digest = sha256(*text);
  const auto document = read_yaml(std::move(*text), path == "-" ? "stdin" : path);
  if (!document) return tl::unexpected(document.error());
  auto gate = read_gate(*document);
  if (gate) gate->sha256 = std::move(digest);
  places = document->without_tree();
  return gate;
}

std::optional<Error> take_gpu(const GateArgs& args, const Settings& settings,
                              std::vector<ResultRecord>& records, Plan& plan) {
  std::string name = !args.gpu.empty() ? args.gpu : plan.gate.gpu;
  if (name.empty() && !records.empty()) name = records.front().gpu.id;
  if (name.empty() && settings.gpu.values.size() == 1) name = settings.gpu.text();
  if (name.empty()) return std::nullopt;
  auto gpu = find_gpu(name);
  if (!gpu) {
    auto error = std::move(gpu.error().front());
    const auto& place = plan.gate.gpu_place;
    if (args.gpu.empty() && place.line > 0)
      error.where = plan.places->where(place.line, place.column, place.length);
    return error;
  }
  plan.gpu = std::move(*gpu);
  plan.ceilings.emplace(*plan.gpu);
  return std::nullopt;
}

bool needs_results(const GateFile& gate) {
  return std::any_of(gate.entries.begin(), gate.entries.end(), [](const GateEntry& entry) {
    return entry.section == GateSection::kernel || entry.section == GateSection::range;
  });
}

bool is_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         text.find_first_not_of("0123456789-") == std::string_view::npos;
}

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Reads the gate, what it names, and the results. Errors of all of them together.
Errors make_plan(const GateArgs& args, const Settings& settings, bool measures, Plan& plan,
                 std::vector<ResultRecord>& records) {
  Errors errors;
  auto gate = read_gate_with_places(args.inputs.front(), plan.places);
  if (gate)
    plan.gate = std::move(*gate);
  else
    append(errors, std::move(gate.error()));
  const std::vector<std::string> files(args.inputs.begin() + 1, args.inputs.end());
  if (measures && !files.empty())
    errors.push_back({Code::contradiction,
                      {},
                      "results and a program to measure exclude each other",
                      "give one of them",
                      {}});
  if (auto read = read_result_files(files))
    records = std::move(*read);
  else
    append(errors, std::move(read.error()));
  plan.today = args.today.empty() ? today_utc() : args.today;
  if (!is_date(plan.today))
    errors.push_back({Code::bad_option, {}, "--today takes a day, as in 2026-12-01", {}, {}});
  if (!errors.empty()) return errors;
  if (files.empty() && !measures && needs_results(plan.gate))
    return {{Code::missing_argument,
             {},
             "this gate is about kernels that ran, and no result was given",
             fmt::format("roofline gate {} run.json, or -- ./bench to measure first",
                         printable(args.inputs.front())),
             {}}};
  if (auto error = take_gpu(args, settings, records, plan)) return {std::move(*error)};
  auto sources = read_gate_sources(plan.gate, plan.places ? &*plan.places : nullptr,
                                   plan.ceilings ? &*plan.ceilings : nullptr);
  if (sources)
    plan.sources = std::move(*sources);
  else
    append(errors, std::move(sources.error()));
  return errors;
}

GateInputs inputs_of(const GateArgs& args, const Plan& plan) {
  GateInputs inputs;
  inputs.gate = &plan.gate;
  inputs.sources = plan.sources;
  inputs.ceilings = plan.ceilings ? &*plan.ceilings : nullptr;
  inputs.require_baseline = args.require_baseline;
  inputs.cross_gpu = args.cross_gpu;
  inputs.today = plan.today;
  return inputs;
}

std::string gpu_id(const Plan& plan) { return plan.gpu ? plan.gpu->id : std::string(); }

/// The gate's answer for results that are there.
Checked<GateResult> check_results(const GateArgs& args, Plan& plan,
                                  std::vector<ResultRecord> records) {
  auto inputs = inputs_of(args, plan);
  if (records.empty()) return evaluate_gate(inputs);
  const auto chosen = choose_results(std::move(records), gpu_id(plan));
  if (auto errors = read_references(args, plan.gate, chosen.result, plan.today, plan.references);
      !errors.empty())
    return tl::unexpected(std::move(errors));
  refer(plan.references, inputs);
  inputs.result = &chosen.result;
  auto result = evaluate_gate(inputs);
  if (!chosen.left_out.empty())
    result.notes.push_back("results of " + printable(joined(chosen.left_out)) +
                           " were passed over");
  return result;
}

int run_check(const GateArgs& args, Words command, const Frame& frame) {
  Errors errors;
  const auto outputs = gate_outputs(args, frame.settings, errors);
  if (args.inputs.empty()) errors.push_back(missing_gate());
  if (!errors.empty()) return report_errors(errors, frame.style);
  Plan plan;
  std::vector<ResultRecord> records;
  errors = make_plan(args, frame.settings, !command.empty(), plan, records);
  if (!errors.empty()) {
    const int code = report_errors(errors, frame.style);
    if (!command.empty()) write_error("nothing was measured\n");
    return code;
  }
  if (command.empty()) {
    const auto result = check_results(args, plan, std::move(records));
    return result ? write_gate(*result, outputs, frame)
                  : report_errors(result.error(), frame.style);
  }
  const auto evaluate = [&](const ResultRecord& result,
                            const ResultRecord* against) -> Checked<GateResult> {
    auto inputs = inputs_of(args, plan);
    if (auto wrong = read_references(args, plan.gate, result, plan.today, plan.references);
        !wrong.empty())
      return tl::unexpected(std::move(wrong));
    refer(plan.references, inputs);
    inputs.result = &result;
    inputs.against = against;
    return evaluate_gate(inputs);
  };
  const auto result = measure_and_check(args, plan.gate, gpu_id(plan), command, evaluate);
  return result ? write_gate(*result, outputs, frame) : report_errors(result.error(), frame.style);
}

int run_diff_limits(const GateArgs& args, const Frame& frame) {
  if (args.inputs.size() != 2)
    return report_error({Code::missing_argument,
                         {},
                         "--diff-limits takes two gate files",
                         "roofline gate --diff-limits OLD.yml NEW.yml",
                         {}},
                        frame.style);
  const auto before = read_gate_file(args.inputs[0]), after = read_gate_file(args.inputs[1]);
  Errors errors;
  for (const auto* gate : {&before, &after})
    if (!*gate) errors.insert(errors.end(), gate->error().begin(), gate->error().end());
  if (!errors.empty()) return report_errors(errors, frame.style);
  const auto changes = compare_limits(*before, *after);
  const int code = write_report(frame, args.output, [&](Output& output, bool) {
    write_limit_changes(changes, [&](std::string_view text) { output.write(text); });
    return Errors{};
  });
  return code == 0 && args.exit_code && loosens(changes) ? 1 : code;
}

int run_init(const GateArgs& args, const Frame& frame) {
  Errors errors;
  double margin = GateDraftOptions{}.margin;
  if (!args.margin.empty()) {
    const auto share = parse_quantity(args.margin, Dimension::ratio);
    if (share && *share >= 0 && *share <= 10)
      margin = *share;
    else
      errors.push_back({Code::bad_option, {}, "--margin takes a share, as in \"10 %\"", {}, {}});
  }
  if (args.inputs.empty())
    errors.push_back({Code::missing_argument,
                      {},
                      "--init takes a result",
                      "roofline gate --init run.json > roofline.gate.yml",
                      {}});
  if (!errors.empty()) return report_errors(errors, frame.style);
  auto records = read_result_files(args.inputs);
  if (!records) return report_errors(records.error(), frame.style);
  const auto chosen = choose_results(std::move(*records), args.gpu);
  if (chosen.result.kernels.empty())
    return report_error({Code::empty_input, {}, "this result holds no kernel", {}, {}},
                        frame.style);
  return write_report(frame, args.output, [&](Output& output, bool) {
    output.write(draft_gate(chosen.result, {.source = args.inputs.front(), .margin = margin}));
    return Errors{};
  });
}

}  // namespace

int run_gate(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const Words own(words.begin(), dashes);
  const Words command = dashes == words.end() ? Words() : Words(dashes + 1, words.end());
  const auto args = parse<GateArgs>(own);
  if (!args) return report_error(args.error(), style_of(own));
  const auto frame = frame_of(own, *args, args->format);
  if (!frame) return report_errors(frame.error(), style_of(own));
  if (args->diff_limits) return run_diff_limits(*args, *frame);
  if (args->init) return run_init(*args, *frame);
  if (args->self_test) return run_self_test(*args, command, *frame);
  return run_check(*args, command, *frame);
}

}  // namespace roofline::cli
