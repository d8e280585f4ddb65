#include "cli/gate_measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/errors.hpp"
#include "cli/gate_results.hpp"
#include "cli/measure.hpp"
#include "cli/terminal.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"
#include "roofline/report/gate.hpp"

namespace roofline::cli {
namespace {

constexpr int kFirstRounds = 5, kMostRounds = 11, kRoundsPerStep = 2, kSelfTestRounds = 5;
constexpr int kMostRuns = 1000;

bool asks_for_counters(const GateFile& gate) {
  return std::any_of(gate.entries.begin(), gate.entries.end(), [](const GateEntry& entry) {
    return std::any_of(entry.assertions.begin(), entry.assertions.end(), [](const Assertion& a) {
      return describe(a.kind).needs == GateNeeds::counters;
    });
  });
}

/// "./bench --size 4096" as words, split at blanks; quotes keep blanks together.
std::vector<std::string> split_command(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool open = false;
  for (const char c : text) {
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote == '\0' ? c : '\0';
      open = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

class Measuring {
 public:
  Measuring(const GateArgs& args, std::string gpu) : quiet_(args.quiet > 0), gpu_(std::move(gpu)) {}

  /// The runs of one call as one result.
  Checked<ResultRecord> run(const std::vector<std::string>& command, int runs, bool counters) {
    MeasureRequest request;
    request.command = command;
    request.runs = static_cast<std::uint64_t>(runs);
    request.counters = counters;
    request.gpu = gpu_;
    if (!quiet_)
      request.progress = [](const std::string& text) { write_error("roofline: " + text + "\n"); };
    request.on_interrupt = [] { write_error("roofline: stopping, Ctrl-C again to kill\n"); };
    const auto measurement = measure(request);
    if (!measurement) return tl::unexpected(measurement.error());
    if (measurement->failure && !answers(*measurement->failure))
      return tl::unexpected(Errors{*measurement->failure});
    const auto document = read_yaml(measurement->json(), "the measurement", result_limits());
    if (!document) return tl::unexpected(document.error());
    auto records = read_results(*document);
    if (!records) return tl::unexpected(std::move(records.error()));
    return choose_results(std::move(*records), gpu_).result;
  }

 private:
  /// What the gate itself says of a result is no reason to stop here.
  static bool answers(const Error& error) {
    constexpr Code kSaid[] = {Code::program_failed, Code::counters_not_permitted, Code::no_kernels};
    return std::find(std::begin(kSaid), std::end(kSaid), error.code) != std::end(kSaid);
  }

  bool quiet_;
  std::string gpu_;
};

/// A copy whose runs after the first results' are dropped is never needed: results only grow.
void add(std::optional<ResultRecord>& all, ResultRecord more) {
  if (!all) {
    all = merged(std::span<const ResultRecord>(&more, 1));
    return;
  }
  const ResultRecord both[] = {std::move(*all), std::move(more)};
  all = merged(both);
}

int more_runs(const GateResult& result) {
  int most = 0;
  for (const auto& row : result.results) most = std::max(most, row.more_runs);
  return most;
}

Result<int> runs_of(const GateArgs& args, int usual) {
  if (args.runs.empty()) return usual;
  const auto number = parse_number(args.runs);
  if (number && *number >= 1 && *number <= kMostRuns && *number == static_cast<int>(*number))
    return static_cast<int>(*number);
  return fail(Code::out_of_range, {},
              fmt::format("--runs takes a whole number from 1 to {}", kMostRuns));
}

Checked<GateResult> check_alone(Measuring& measuring, const std::vector<std::string>& command,
                                int runs, bool counters, int most, const GateCheck& check) {
  std::optional<ResultRecord> all;
  for (int done = 0;;) {
    auto fresh = measuring.run(command, runs, counters && done == 0);
    if (!fresh) return tl::unexpected(std::move(fresh.error()));
    add(all, std::move(*fresh));
    done += runs;
    auto result = check(*all, nullptr);
    if (!result) return result;
    runs = std::min(more_runs(*result), most - done);
    if (runs <= 0 || result->exit_code == 4) return result;
  }
}

/// One round of an A/B: old first in even rounds, new first in odd ones.
Checked<void> run_round(Measuring& measuring, int round,
                        const std::vector<std::string>& old_command,
                        const std::vector<std::string>& new_command, bool counters,
                        std::optional<ResultRecord>& old_all,
                        std::optional<ResultRecord>& new_all) {
  for (int turn = 0; turn < 2; ++turn) {
    const bool old = (round + turn) % 2 == 0;
    auto fresh = measuring.run(old ? old_command : new_command, 1, counters && round == 0);
    if (!fresh) return tl::unexpected(std::move(fresh.error()));
    add(old ? old_all : new_all, std::move(*fresh));
  }
  return {};
}

Checked<GateResult> check_against(Measuring& measuring, const std::vector<std::string>& old_command,
                                  const std::vector<std::string>& new_command, int rounds,
                                  bool counters, const GateCheck& check) {
  std::optional<ResultRecord> old_all, new_all;
  for (int round = 0;;) {
    for (; round < rounds; ++round)
      if (auto done =
              run_round(measuring, round, old_command, new_command, counters, old_all, new_all);
          !done)
        return tl::unexpected(std::move(done.error()));
    auto result = check(*new_all, &*old_all);
    if (!result || more_runs(*result) == 0 || rounds >= kMostRounds || result->exit_code == 4)
      return result;
    rounds = std::min(kMostRounds, rounds + kRoundsPerStep);
  }
}

}  // namespace

Checked<GateResult> measure_and_check(const GateArgs& args, const GateFile& gate,
                                      const std::string& gpu, Words command,
                                      const GateCheck& check) {
  Measuring measuring(args, gpu);
  const bool against = !args.against.empty();
  const auto runs = runs_of(args, against ? kFirstRounds : std::max(1, gate.policy.min_runs));
  if (!runs) return tl::unexpected(Errors{runs.error()});
  const std::vector<std::string> program(command.begin(), command.end());
  const bool counters = asks_for_counters(gate);
  if (!against)
    return check_alone(measuring, program, *runs, counters, std::max(*runs, gate.policy.max_runs),
                       check);
  const auto old_program = split_command(args.against);
  if (old_program.empty())
    return tl::unexpected(Errors{{Code::bad_option, {}, "--against names no program", {}, {}}});
  return check_against(measuring, old_program, program, *runs, counters, check);
}

int run_self_test(const GateArgs& args, Words command, const Frame& frame) {
  if (args.inputs.empty())
    return report_error({Code::missing_argument,
                         {},
                         "--self-test takes a gate",
                         "roofline gate --self-test roofline.gate.yml -- ./bench",
                         {}},
                        frame.style);
  const auto gate = read_gate_file(args.inputs.front());
  if (!gate) return report_errors(gate.error(), frame.style);
  const std::string gpu = args.gpu.empty() ? gate->gpu : args.gpu;
  std::optional<ResultRecord> result;
  if (command.empty()) {
    auto records = read_result_files({args.inputs.begin() + 1, args.inputs.end()});
    if (!records) return report_errors(records.error(), frame.style);
    if (records->empty())
      return report_error({Code::missing_argument,
                           {},
                           "--self-test takes a program after --, or a result with several runs",
                           {},
                           {}},
                          frame.style);
    result = choose_results(std::move(*records), gpu).result;
  } else {
    const auto rounds = runs_of(args, kSelfTestRounds);
    if (!rounds) return report_error(rounds.error(), frame.style);
    Measuring measuring(args, gpu);
    auto fresh = measuring.run({command.begin(), command.end()}, 2 * *rounds, false);
    if (!fresh) return report_errors(fresh.error(), frame.style);
    result = std::move(*fresh);
  }
  const auto test = self_test(*gate, *result);
  return write_report(frame, args.output, [&](Output& output, bool) {
    write_self_test(test, [&](std::string_view text) { output.write(text); });
    return Errors{};
  });
}

}  // namespace roofline::cli
