#include "roofline/analysis/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

/// What one side's results say of one kernel.
struct Side {
  std::vector<double> runs;  ///< medians in seconds
  double launches = 0, counted_runs = 0;  ///< sum over the runs that say how many
  std::optional<double> dram_bytes;
  std::string code_hash;
  std::optional<Extent> grid, block;
  std::optional<double> launches_a_run() const { return counted_runs > 0 ? std::optional(launches / counted_runs) : std::nullopt; }
};
using Sides = std::map<std::string, Side>;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Runs of one kernel of one result; its time where single runs are not told apart.
std::vector<double> runs_of(const ResultMeasurement& measured) {
  std::vector<double> runs;
  for (const auto& run : measured.runs)
    if (run.median) runs.push_back(run.median->value());
  if (runs.empty() && measured.time) runs.push_back(measured.time->value());
  return runs;
}

void take_record(Sides& sides, const ResultRecord& record) {
  const auto labels = kernel_labels(record);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto& kernel = record.kernels[i];
    if (!kernel.measured) continue;
    const auto runs = runs_of(*kernel.measured);
    if (runs.empty()) continue;
    auto& side = sides[labels[i]];
    side.runs.insert(side.runs.end(), runs.begin(), runs.end());
    for (const auto& run : kernel.measured->runs) {
      if (!run.launches) continue;
      side.launches += static_cast<double>(*run.launches);
      side.counted_runs += 1;
    }
    side.code_hash = kernel.code_hash;
    side.grid = kernel.grid;
    side.block = kernel.block;
    if (kernel.measured->dram_bytes) side.dram_bytes = kernel.measured->dram_bytes->value();
  }
}

CodeChange code_change(const Side& old, const Side& fresh) {
  if (old.code_hash.empty() || fresh.code_hash.empty()) return CodeChange::unknown;
  return old.code_hash == fresh.code_hash ? CodeChange::same : CodeChange::changed;
}

/// The same work on the same code: what differs then is the environment.
bool is_same_work(const Side& old, const Side& fresh) {
  const bool more_bytes = old.dram_bytes && fresh.dram_bytes && *fresh.dram_bytes > *old.dram_bytes * 1.02;
  return code_change(old, fresh) == CodeChange::same && old.grid == fresh.grid && old.block == fresh.block && !more_bytes;
}

std::string why_undecided(const TimeTest& test) {
  switch (test.reason) {
    case TimeReason::bad_value: return "a time is zero or no number";
    case TimeReason::few_runs: return "too few runs";
    case TimeReason::few_rounds: return "slower so far, needs more rounds";
    case TimeReason::noisy:
      return fmt::format("runs differ by {:.1f} %{}", test.spread * 100,
                         test.workable_limit ? fmt::format("; {:.0f} % could be told", *test.workable_limit * 100) : "");
    case TimeReason::few_sessions:
    case TimeReason::near_limit:
    case TimeReason::weak:
    case TimeReason::none: break;
  }
  return "too near the limit to tell";
}

ChangeVerdict verdict_of(const TimeTest& test, double limit) {
  using enum ChangeVerdict;
  if (test.outcome == TimeOutcome::fail) return slower;
  if (test.reason == TimeReason::bad_value || test.reason == TimeReason::few_runs) return undecided;
  const double faster_limit = 1 / (1 + limit) - 1;  // the same distance in the other direction
  if (test.estimate < faster_limit && test.hi < 0) return faster;
  if (test.outcome != TimeOutcome::pass) return undecided;
  if (test.lo <= faster_limit) return not_slower;
  return test.lo > 0 ? bit_slower : test.hi < 0 ? bit_faster : same;
}

/// What lost most first, what gained most last; where nothing changed, what takes most first.
void sort_by_loss(Comparison& comparison) {
  std::stable_sort(comparison.kernels.begin(), comparison.kernels.end(), [](const KernelChange& a, const KernelChange& b) {
    if (a.lost_s() != b.lost_s()) return a.lost_s() > b.lost_s();
    return a.old_total_s() > b.old_total_s();
  });
}

void add_total(Comparison& comparison) {
  double old = 0, fresh = 0;
  for (const auto& kernel : comparison.kernels) {
    old += kernel.old_total_s();
    fresh += kernel.new_total_s();
  }
  if (old > 0 && fresh > 0) comparison.total_change = fresh / old - 1;
}

/// Both sides of one kernel, without what a test says.
KernelChange sides_of(const std::string& id, const Side* old, const Side* fresh) {
  KernelChange change{.id = id};
  if (old) {
    change.old_s = median_of(old->runs);
    change.old_launches = old->launches_a_run();
    change.old_dram_bytes = old->dram_bytes;
  }
  if (fresh) {
    change.new_s = median_of(fresh->runs);
    change.new_launches = fresh->launches_a_run();
    change.new_dram_bytes = fresh->dram_bytes;
  }
  if (!old) change.verdict = ChangeVerdict::added;
  if (!fresh) change.verdict = ChangeVerdict::gone;
  if (old && fresh) change.code = code_change(*old, *fresh);
  return change;
}

/// Every kernel of either side; `judge` is asked about those that both have.
template <class Judge>
void add_kernels(Comparison& comparison, const Sides& old, const Sides& fresh, Judge judge) {
  for (const auto& [id, side] : old) {
    const auto other = fresh.find(id);
    comparison.kernels.push_back(sides_of(id, &side, other == fresh.end() ? nullptr : &other->second));
    if (other != fresh.end()) judge(comparison.kernels.back(), side, other->second);
  }
  for (const auto& [id, side] : fresh)
    if (!old.contains(id)) comparison.kernels.push_back(sides_of(id, nullptr, &side));
  sort_by_loss(comparison);
}

Location whole(const ResultRecord& record) { return {record.file, 0, 0, 1, {}, 0}; }

/// What keeps a result from being compared at all.
void check_record(const ResultRecord& record, Errors& errors) {
  const auto refuse = [&](std::string what) { errors.push_back({Code::wrong_type, whole(record), std::move(what), {}, {}}); };
  const bool measured = std::any_of(record.kernels.begin(), record.kernels.end(), [](const ResultKernel& kernel) {
    return kernel.measured && !runs_of(*kernel.measured).empty();
  });
  if (!measured) refuse("this result has no measured kernel");
  else if (!record.complete) refuse("this result is not complete: its trace was cut off, or records were lost");
  else if (record.program && (record.program->signal || record.program->exit_code.value_or(0) != 0))
    refuse("the program of this result failed");
}

void add_notes(Comparison& comparison, const ResultRecord& record, const std::string& name) {
  if (!record.environment) return;
  const auto& environment = *record.environment;
  const auto add = [&](std::string note) {
    if (std::find(comparison.notes.begin(), comparison.notes.end(), note) == comparison.notes.end())
      comparison.notes.push_back(std::move(note));
  };
  if (environment.throttled_share.value_or(0) > 0.05)
    add(fmt::format("{}: throttled in {:.0f} % of the samples", name, *environment.throttled_share * 100));
  if (environment.other_processes.value_or(0) > 0) add(name + ": another process used the GPU");
}

std::string driver_note(const ResultRecord& old, const ResultRecord& fresh) {
  if (!old.environment || !fresh.environment) return {};
  const auto& a = old.environment->driver;
  const auto& b = fresh.environment->driver;
  return a.empty() || b.empty() || a == b ? std::string() : fmt::format("drivers differ: {} and {}", printable(a), printable(b));
}

Checked<Comparison> begin(const ResultRecord& old, const ResultRecord& fresh, const CompareOptions& options) {
  Errors errors;
  check_record(old, errors);
  check_record(fresh, errors);
  Comparison comparison{.limit = options.limit, .old_machine = machine_of(old), .new_machine = machine_of(fresh)};
  comparison.simulated = old.simulated || fresh.simulated;
  const bool other_machine = comparison.old_machine != comparison.new_machine;
  if (other_machine && !options.cross_gpu)
    errors.push_back({Code::not_comparable, whole(fresh),
                      fmt::format("measured on {}, the other on {}", describe(comparison.new_machine), describe(comparison.old_machine)),
                      "--cross-gpu prints both beside each other, without a verdict", {}});
  else if (!other_machine && method_of(old) != method_of(fresh))
    errors.push_back({Code::not_comparable, whole(fresh),
                      fmt::format("times were taken by {}, in the other by {}", method_of(fresh).empty() ? "no known method" : method_of(fresh),
                                  method_of(old).empty() ? "no known method" : method_of(old)),
                      "measure both with one version of roofline", {}});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return comparison;
}

}  // namespace

std::string_view name_of(ChangeVerdict verdict) {
  constexpr std::string_view kNames[] = {"slower", "gone",         "undecided", "not slower", "a bit slower",
                                         "same",   "a bit faster", "faster",    "new",        "-"};
  return kNames[static_cast<std::size_t>(verdict)];
}

double KernelChange::lost_s() const {
  const bool estimated = old_s && new_s && test && test->runs > 0 && test->reason != TimeReason::bad_value;
  const double fresh = estimated ? *old_s * (1 + test->estimate) * new_launches.value_or(1) : new_total_s();
  return fresh - old_total_s();
}

std::size_t Comparison::count(ChangeVerdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(kernels.begin(), kernels.end(), [&](const KernelChange& kernel) { return kernel.verdict == verdict; }));
}

Checked<Comparison> compare_results(const ResultRecord& old, const ResultRecord& fresh, const CompareOptions& options) {
  auto comparison = begin(old, fresh, options);
  if (!comparison) return comparison;
  comparison->old_name = old.file;
  comparison->new_name = fresh.file;
  const bool other_machine = comparison->old_machine != comparison->new_machine;
  Sides old_sides, new_sides;
  take_record(old_sides, old);
  take_record(new_sides, fresh);
  add_kernels(*comparison, old_sides, new_sides, [&](KernelChange& change, const Side& a, const Side& b) {
    if (other_machine) {
      change.verdict = ChangeVerdict::other_gpu;
      return;
    }
    change.test = pooled_regression(a.runs, b.runs, options.limit, options.policy);
    change.verdict = verdict_of(*change.test, options.limit);
    if (change.verdict == ChangeVerdict::undecided) change.why = why_undecided(*change.test);
    if (change.verdict == ChangeVerdict::slower && is_same_work(a, b)) {
      change.verdict = ChangeVerdict::undecided;
      change.why = "same machine code: the environment changed";
    }
  });
  add_notes(*comparison, old, printable(old.file));
  add_notes(*comparison, fresh, printable(fresh.file));
  if (auto note = driver_note(old, fresh); !note.empty()) comparison->notes.push_back(std::move(note));
  if (!other_machine) add_total(*comparison);
  return comparison;
}

Checked<Comparison> compare_rounds(std::span<const ResultRecord> old, std::span<const ResultRecord> fresh, const CompareOptions& options) {
  const auto rounds = std::min(old.size(), fresh.size());
  if (rounds == 0) return tl::unexpected(Errors{{Code::missing_argument, {}, "no round was measured", {}, {}}});
  auto comparison = begin(old.back(), fresh.back(), options);
  if (!comparison) return comparison;
  comparison->interleaved = true;
  comparison->rounds = static_cast<int>(rounds);
  Sides old_sides, new_sides;
  std::vector<double> old_totals, new_totals;
  for (std::size_t round = 0; round < rounds; ++round) {
    take_record(old_sides, old[round]);
    take_record(new_sides, fresh[round]);
    add_notes(*comparison, old[round], "old");
    add_notes(*comparison, fresh[round], "new");
  }
  add_kernels(*comparison, old_sides, new_sides, [&](KernelChange& change, const Side& a, const Side& b) {
    if (a.runs.size() != rounds || b.runs.size() != rounds) {
      change.why = "not in every run";
      return;
    }
    change.test = paired_regression(a.runs, b.runs, options.limit, options.policy);
    change.verdict = verdict_of(*change.test, options.limit);
    if (change.verdict == ChangeVerdict::undecided) change.why = why_undecided(*change.test);
  });
  // The drift of the machine shows best in all that it ran.
  for (std::size_t round = 0; round < rounds; ++round) {
    double a = 0, b = 0;
    for (const auto& kernel : comparison->kernels) {
      if (!kernel.test) continue;
      a += old_sides.at(kernel.id).runs[round] * kernel.old_launches.value_or(1);
      b += new_sides.at(kernel.id).runs[round] * kernel.new_launches.value_or(1);
    }
    old_totals.push_back(a);
    new_totals.push_back(b);
  }
  comparison->drift = paired_regression(old_totals, new_totals, options.limit, options.policy).drift;
  add_total(*comparison);
  return comparison;
}

int more_rounds(const Comparison& comparison) {
  int most = 0;
  for (const auto& kernel : comparison.kernels)
    if (kernel.test) most = std::max(most, kernel.test->more_runs);
  return most;
}

}  // namespace roofline
