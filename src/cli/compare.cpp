#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/gate_results.hpp"
#include "cli/measure.hpp"
#include "cli/style.hpp"
#include "cli/terminal.hpp"
#include "report/compare/page.hpp"
#include "roofline/analysis/compare.hpp"
#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::cli {
namespace {

constexpr int kMostRounds = 99;

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// ---------------------------------------------------------------- options

void take_limit(const CompareArgs& args, CompareOptions& options, Errors& errors) {
  if (args.limit.empty()) return;
  auto limit = parse_quantity(args.limit, Dimension::ratio);
  if (limit && *limit > 0 && *limit < 1) {
    options.limit = *limit;
    return;
  }
  errors.push_back({Code::out_of_range, {}, "--limit takes a share of the time between 0 and 100 %, as in 5%",
                    limit ? "" : limit.error().hint, {}});
}

void take_rounds(const CompareArgs& args, CompareOptions& options, Errors& errors) {
  if (args.rounds.empty()) return;
  auto& policy = options.policy;
  const auto rounds = parse_number(args.rounds);
  const bool good = rounds && *rounds == static_cast<int>(std::clamp(*rounds, 0.0, 1e6)) && *rounds >= policy.min_rounds && *rounds <= kMostRounds;
  if (!good)
    return errors.push_back({Code::out_of_range, {}, fmt::format("--rounds takes a whole number from {} to {}", policy.min_rounds, kMostRounds),
                             "fewer rounds decide nothing", {}});
  policy.max_rounds = static_cast<int>(*rounds);
  policy.fail_rounds = std::min(policy.fail_rounds, policy.max_rounds);
}

void take_timeout(const CompareArgs& args, std::optional<std::chrono::seconds>& timeout, Errors& errors) {
  if (args.timeout.empty()) return;
  auto seconds = parse_quantity(args.timeout, Dimension::time);
  if (seconds && *seconds >= 1 && *seconds <= 1e7) timeout = std::chrono::seconds(static_cast<long long>(*seconds));
  else errors.push_back({Code::out_of_range, {}, "--timeout takes a time of at least a second, as in \"90 s\"", seconds ? "" : seconds.error().hint, {}});
}

void check_inputs(const CompareArgs& args, Errors& errors) {
  const bool commands = !args.base_cmd.empty() || !args.cand_cmd.empty();
  if (commands && !args.ab)
    errors.push_back({Code::contradiction, {}, "--base-cmd and --cand-cmd are measured with --ab", "add --ab", {}});
  if (args.ab && !args.inputs.empty())
    errors.push_back({Code::contradiction, {}, "--ab measures both programs itself: it takes no result files", {}, {}});
  if (args.ab && (args.base_cmd.empty() || args.cand_cmd.empty()))
    errors.push_back({Code::missing_argument, {}, "--ab needs both programs",
                      "roofline compare --ab --base-cmd ./bench_old --cand-cmd ./bench", {}});
  if (!args.ab && args.inputs.size() != 2)
    errors.push_back({Code::missing_argument, {}, "two results are compared: the old one, then the new one", "roofline compare old.json new.json", {}});
  if (std::count(args.inputs.begin(), args.inputs.end(), "-") > 1)
    errors.push_back({Code::contradiction, {}, "standard input can be read only once", {}, {}});
}

// ---------------------------------------------------------------- two files

/// The one result of a file. Errors: several, which GPU is not said.
Checked<ResultRecord> read_one(const std::string& path) {
  auto records = read_result_or_launches(path);
  if (!records) return tl::unexpected(std::move(records.error()));
  if (records->size() != 1)
    return tl::unexpected(Errors{{Code::wrong_type, {path, 0, 0, 1, {}, 0}, fmt::format("this file holds {} results; one is compared with one", records->size()), {}, {}}});
  return std::move(records->front());
}

Checked<Comparison> compare_files(const CompareArgs& args, const CompareOptions& options) {
  const auto old = read_one(args.inputs[0]), fresh = read_one(args.inputs[1]);
  Errors errors;
  if (!old) append(errors, Errors(old.error()));
  if (!fresh) append(errors, Errors(fresh.error()));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return compare_results(*old, *fresh, options);
}

// ---------------------------------------------------------------- by turns

/// The command for a shell, its stdout joined to stderr: ours holds the comparison alone. A plain command replaces the
/// shell, so that a signal reaches the program itself.
std::vector<std::string> shell_words(const std::string& command) {
  const bool plain = command.find_first_of(";&|()<>\n{}") == std::string::npos;
  return {"/bin/sh", "-c", "exec 1>&2; " + std::string(plain ? "exec env " : "") + command};
}

/// One run of one program as a result.
Checked<ResultRecord> measure_once(const std::string& command, const std::string& label, std::optional<std::chrono::seconds> timeout) {
  MeasureRequest request;
  request.command = shell_words(command);
  request.label = command;
  request.timeout = timeout;
  request.on_interrupt = [] { write_error("roofline: stopping, Ctrl-C again to kill\n"); };
  auto measurement = measure(request);
  if (!measurement) return tl::unexpected(std::move(measurement.error()));
  if (measurement->failure) {
    auto failure = *measurement->failure;
    failure.what = label + " program: " + failure.what;
    if (failure.code == Code::program_failed) failure.hint.clear();  // which speaks of a profile
    return tl::unexpected(Errors{std::move(failure)});
  }
  const auto document = read_yaml(measurement->json(), label, result_limits());
  if (!document) return tl::unexpected(document.error());
  auto records = read_results(*document);
  if (!records) return tl::unexpected(std::move(records.error()));
  if (records->size() != 1)
    return tl::unexpected(Errors{{Code::contradiction, {}, fmt::format("the {} program used {} GPUs: an A/B takes programs of one", label, records->size()),
                                  "CUDA_VISIBLE_DEVICES=0 chooses one", {}}});
  return std::move(records->front());
}

class Turns {
 public:
  Turns(const CompareArgs& args, const CompareOptions& options, std::optional<std::chrono::seconds> timeout)
      : args_(args), options_(options), timeout_(timeout) {}

  Checked<Comparison> run() {
    for (int wanted = options_.policy.min_rounds;;) {
      while (static_cast<int>(old_.size()) < wanted)
        if (auto errors = round(wanted); !errors.empty()) return tl::unexpected(std::move(errors));
      auto comparison = compare_rounds(old_, new_, options_);
      if (!comparison) return comparison;
      comparison->old_name = args_.base_cmd;
      comparison->new_name = args_.cand_cmd;
      const int more = more_rounds(*comparison);
      if (more == 0) return comparison;
      wanted += more;
    }
  }

 private:
  /// Old first in even rounds, new first in odd ones: what drifts in the session hits both alike.
  Errors round(int wanted) {
    const bool swapped = old_.size() % 2 == 1;
    if (is_terminal(Stream::err)) write_error(fmt::format("roofline: round {} of {}\n", old_.size() + 1, wanted));
    for (const bool is_new : {swapped, !swapped}) {
      auto record = measure_once(is_new ? args_.cand_cmd : args_.base_cmd, is_new ? "new" : "old", timeout_);
      if (!record) return std::move(record.error());
      (is_new ? new_ : old_).push_back(std::move(*record));
    }
    return {};
  }

  const CompareArgs& args_;
  const CompareOptions& options_;
  std::optional<std::chrono::seconds> timeout_;
  std::vector<ResultRecord> old_, new_;
};

}  // namespace

int run_compare(Words words) {
  const auto args = parse<CompareArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  CompareOptions options{.limit = 0.05, .cross_gpu = args->cross_gpu, .policy = {}};
  std::optional<std::chrono::seconds> timeout;
  Errors errors;
  check_inputs(*args, errors);
  take_limit(*args, options, errors);
  take_rounds(*args, options, errors);
  take_timeout(*args, timeout, errors);
  if (!errors.empty()) return report_errors(errors, style->errors);
  const auto comparison = args->ab ? Turns(*args, options, timeout).run() : compare_files(*args, options);
  if (!comparison) return report_errors(comparison.error(), style->errors);
  const int failed = write_answer(*style, *args,
                                  {.schema = "roofline.compare/1",
                                   .page = [&](Page& page) { write_comparison_page(page, *comparison); },
                                   .json = [&](JsonWriter& json) { write_comparison_json(json, *comparison); }});
  if (failed != 0) return failed;
  return args->exit_code && comparison->is_worse() ? 1 : 0;
}

}  // namespace roofline::cli
