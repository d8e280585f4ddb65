#include "roofline/analysis/time_test.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "roofline/analysis/student_t.hpp"

namespace roofline {
namespace {

constexpr double kShown = 0.95;  // the bounds that are printed, and what a pass takes
// What a failure takes beside its estimate: that the kernel is slower at all. At up to 3 % between
// runs this costs no detection of 8 % against a bound at 95 %, and at 5 % it halves the false
// failures (docs/gate.md, "The time test").
constexpr double kFailure = 0.99;
constexpr double kNoisyFailure =
    0.999;  // of runs too noisy for the limit: slower than the limit, almost surely
constexpr double kGuard = 0.999;        // that noise above the guard is no accident of few runs
constexpr double kLeastSpread = 0.005;  // few runs may agree by chance; clocks do not
constexpr double kExact = 1e-9;  // a change that is the limit, to what logs keep, is not above it
constexpr int kRunsPerStep = 3, kRoundsPerStep = 2;
// Three times, as one might expect, calls 5 % of samples of one normal group bimodal; four times 1
// %.
constexpr double kClusterGap = 4;
constexpr std::size_t kLeastClustered = 6;

struct Sample {
  double mean = 0, spread = 0;
  int size = 0;
};

Sample sample_of(std::span<const double> values) {
  Sample sample{.size = static_cast<int>(values.size())};
  for (const double value : values) sample.mean += value;
  sample.mean /= sample.size;
  for (const double value : values) sample.spread += (value - sample.mean) * (value - sample.mean);
  sample.spread = sample.size > 1 ? std::sqrt(sample.spread / (sample.size - 1)) : 0;
  return sample;
}

/// Logs of positive finite numbers; nullopt when one is not.
std::optional<std::vector<double>> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  return logs;
}

TimeTest undecided(TimeReason reason, double limit) {
  TimeTest test;
  test.reason = reason;
  test.limit = limit;
  return test;
}

/// A change of logs with its standard error, and what is needed to decide about it.
struct Change {
  double estimate = 0, error = 0, degrees = 1;  ///< of the log ratio new / old
  double spread = 0, spread_degrees = 1;        ///< what the noise guard looks at
  double old_log_time = 0;
};

double share_of(double log_ratio) { return std::expm1(log_ratio); }

/// Rounded up to a whole percent, which is how limits are written.
double workable(double spread, const TimePolicy& policy) {
  return std::ceil(spread / policy.max_noise * 100 - 1e-9) / 100;
}

/// The decision of every regression: see paired_regression for the rule.
TimeTest decide(const Change& change, double limit, const TimePolicy& policy) {
  TimeTest test;
  // A limit of 5 % of 2 us is 0.1 us, below what a timer resolves: the absolute limit is the wider
  // one then.
  test.limit = std::max(limit, policy.min_delta_s / std::exp(change.old_log_time));
  const double log_limit = std::log1p(test.limit);
  const auto bound = [&](double confidence) {
    return student_t_quantile(confidence, change.degrees) * change.error;
  };
  const double shown = bound(kShown);
  test.estimate = share_of(change.estimate);
  test.lo = share_of(change.estimate - shown);
  test.hi = share_of(change.estimate + shown);
  test.spread = change.spread;
  const double guard = policy.max_noise * test.limit;
  const bool noisy = change.spread > guard;
  if (noisy) test.workable_limit = workable(change.spread, policy);
  if (change.estimate + shown < log_limit) {
    test.outcome = TimeOutcome::pass;
    return test;
  }
  const bool surely_noisy =
      change.spread > guard * std::sqrt(chi_squared_quantile(kGuard, change.spread_degrees) /
                                        change.spread_degrees);
  const bool over = change.estimate > log_limit + kExact;
  const bool slower = surely_noisy ? change.estimate - bound(kNoisyFailure) > log_limit
                                   : change.estimate - bound(kFailure) > 0;
  if (over && slower) {
    test.outcome = TimeOutcome::fail;
  } else {
    test.reason = noisy ? TimeReason::noisy : over ? TimeReason::weak : TimeReason::near_limit;
  }
  return test;
}

/// How many fresh runs the stop rule of recorded and absolute tests asks for: all of them before a
/// failure is final.
void ask_for_runs(TimeTest& test, const TimePolicy& policy) {
  if (test.outcome == TimeOutcome::pass) return;
  if (test.runs < policy.min_runs)
    test.more_runs = policy.min_runs - test.runs;
  else
    test.more_runs = std::clamp(policy.max_runs - test.runs, 0, kRunsPerStep);
  test.confirmed = test.outcome == TimeOutcome::fail && test.more_runs == 0;
}

void hold_back(TimeTest& test, TimeReason reason) {
  if (test.outcome != TimeOutcome::fail) return;
  test.outcome = TimeOutcome::undecided;
  test.reason = reason;
}

/// Change between two pooled samples: one spread for both sides.
Change pooled(const Sample& old, const Sample& fresh) {
  const double degrees = old.size + fresh.size - 2;
  const double squares =
      old.spread * old.spread * (old.size - 1) + fresh.spread * fresh.spread * (fresh.size - 1);
  const double spread =
      degrees > 0 ? std::max(kLeastSpread, std::sqrt(squares / degrees)) : kLeastSpread;
  return {.estimate = fresh.mean - old.mean,
          .error = spread * std::sqrt(1.0 / old.size + 1.0 / fresh.size),
          .degrees = std::max(1.0, degrees),
          .spread = spread,
          .spread_degrees = std::max(1.0, degrees),
          .old_log_time = old.mean};
}

/// The runs of all sessions as one sample: between sessions is spread too.
Sample pooled_sessions(std::span<const SessionTime> sessions) {
  Sample all;
  for (const auto& session : sessions) {
    all.size += session.runs;
    all.mean += session.log_time * session.runs;
  }
  all.mean /= all.size;
  for (const auto& session : sessions) {
    const double off = session.log_time - all.mean;
    all.spread +=
        off * off * session.runs + session.run_spread * session.run_spread * (session.runs - 1);
  }
  all.spread = all.size > 1 ? std::sqrt(all.spread / (all.size - 1)) : 0;
  return all;
}

/// Change against a prediction interval: how far a new session of the same kernel may be from the
/// mean of the old ones.
Change predicted(std::span<const SessionTime> sessions, const Sample& fresh) {
  std::vector<double> values;
  double within = 0;  // variance that the runs of one session leave in its mean
  for (const auto& session : sessions) {
    values.push_back(session.log_time);
    within += session.run_spread * session.run_spread / std::max(1, session.runs);
  }
  const auto old = sample_of(values);
  const double spread = std::max(kLeastSpread, old.spread);
  // A session's mean holds the noise of its own runs already; where the fresh ones are fewer or
  // noisier, theirs is added.
  within = within > 0 ? within / old.size : spread * spread;
  const double fresh_noise = fresh.spread * fresh.spread / fresh.size;
  return {.estimate = fresh.mean - old.mean,
          .error = std::sqrt(spread * spread * (1 + 1.0 / old.size) +
                             std::max(0.0, fresh_noise - within)),
          .degrees = old.size - 1.0,
          .spread = spread,
          .spread_degrees = old.size - 1.0,
          .old_log_time = old.mean};
}

/// Slope of the times over the order of the processes, as a relative change from the first to the
/// last: each side's own mean taken off, then least squares.
double drift_of(std::span<const double> old_logs, std::span<const double> new_logs) {
  const auto old = sample_of(old_logs), fresh = sample_of(new_logs);
  const double last = 2.0 * static_cast<double>(old_logs.size()) - 1, middle = last / 2;
  double products = 0, squares = 0;
  for (std::size_t round = 0; round < old_logs.size(); ++round) {
    const double first = 2.0 * static_cast<double>(round);
    const bool swapped = round % 2 == 1;
    const double old_at = first + (swapped ? 1 : 0) - middle,
                 new_at = first + (swapped ? 0 : 1) - middle;
    products += old_at * (old_logs[round] - old.mean) + new_at * (new_logs[round] - fresh.mean);
    squares += old_at * old_at + new_at * new_at;
  }
  return squares > 0 ? share_of(products / squares * last) : 0;
}

bool is_inside(double value, double limit, LimitKind kind) {
  return kind == LimitKind::at_most ? value <= limit : value >= limit;
}

void decide_absolute(TimeTest& test, LimitKind kind) {
  const bool lo_inside = is_inside(test.lo, test.limit, kind),
             hi_inside = is_inside(test.hi, test.limit, kind);
  if (lo_inside && hi_inside)
    test.outcome = TimeOutcome::pass;
  else if (!lo_inside && !hi_inside)
    test.outcome = TimeOutcome::fail;
  else
    test.reason = TimeReason::near_limit;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::string_view name_of(TimeReason reason) {
  constexpr std::string_view kNames[] = {"none",         "bad_value", "few_runs",   "few_rounds",
                                         "few_sessions", "noisy",     "near_limit", "weak"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::optional<SessionTime> session_time(std::span<const double> run_medians_s) {
  const auto logs = logs_of(run_medians_s);
  if (!logs || logs->empty()) return std::nullopt;
  const auto sample = sample_of(*logs);
  return SessionTime{sample.mean, sample.size, sample.spread};
}

TimeTest paired_regression(std::span<const double> old_s, std::span<const double> new_s,
                           double limit, const TimePolicy& policy) {
  const auto old_logs = logs_of(old_s), new_logs = logs_of(new_s);
  if (!old_logs || !new_logs || old_logs->size() != new_logs->size())
    return undecided(TimeReason::bad_value, limit);
  const int rounds = static_cast<int>(old_logs->size());
  if (rounds < 2) {
    auto test = undecided(TimeReason::few_runs, limit);
    test.runs = rounds;
    test.more_runs = policy.min_rounds - rounds;
    return test;
  }
  std::vector<double> differences;
  for (int round = 0; round < rounds; ++round) {
    const auto at = static_cast<std::size_t>(round);
    differences.push_back((*new_logs)[at] - (*old_logs)[at]);
  }
  const auto sample = sample_of(differences);
  const double spread = std::max(kLeastSpread, sample.spread);
  auto test =
      decide({.estimate = sample.mean,
              .error = spread / std::sqrt(rounds),
              .degrees = rounds - 1.0,
              .spread = spread / std::sqrt(2.0),  // of one run: a difference holds the noise of two
              .spread_degrees = rounds - 1.0,
              .old_log_time = sample_of(*old_logs).mean},
             limit, policy);
  test.runs = rounds;
  test.drift = drift_of(*old_logs, *new_logs);
  test.clusters = two_clusters(new_s);
  if (rounds < policy.min_rounds) {
    test.outcome = TimeOutcome::undecided;
    test.reason = TimeReason::few_runs;
    test.more_runs = policy.min_rounds - rounds;
    return test;
  }
  if (rounds < policy.fail_rounds) hold_back(test, TimeReason::few_rounds);
  if (test.outcome == TimeOutcome::undecided)
    test.more_runs = std::clamp(policy.max_rounds - rounds, 0, kRoundsPerStep);
  test.confirmed = test.outcome == TimeOutcome::fail;
  return test;
}

TimeTest recorded_regression(std::span<const SessionTime> baseline,
                             std::span<const double> run_medians_s, double limit,
                             const TimePolicy& policy) {
  const auto logs = logs_of(run_medians_s);
  const bool usable = std::all_of(baseline.begin(), baseline.end(), [](const SessionTime& session) {
    return session.runs > 0 && std::isfinite(session.log_time) && session.run_spread >= 0 &&
           std::isfinite(session.run_spread);
  });
  if (!logs || !usable || baseline.empty()) return undecided(TimeReason::bad_value, limit);
  const int sessions = static_cast<int>(baseline.size());
  TimeTest test = undecided(TimeReason::few_runs, limit);
  const bool enough_sessions = sessions >= std::max(2, policy.min_sessions);
  const int runs = static_cast<int>(logs->size());
  if (runs > 0) {
    const auto fresh = sample_of(*logs);
    test = decide(
        enough_sessions ? predicted(baseline, fresh) : pooled(pooled_sessions(baseline), fresh),
        limit, policy);
  }
  test.runs = runs;
  test.sessions = sessions;
  test.clusters = two_clusters(run_medians_s);
  if (runs < policy.min_runs) {
    test.outcome = TimeOutcome::undecided;
    test.reason = TimeReason::few_runs;
  }
  ask_for_runs(test, policy);
  if (!enough_sessions && test.outcome == TimeOutcome::fail) {
    hold_back(test, TimeReason::few_sessions);  // more runs of today do not show how days differ
    test.more_runs = 0;
    test.confirmed = false;
  }
  return test;
}

TimeTest pooled_regression(std::span<const double> old_s, std::span<const double> new_s,
                           double limit, const TimePolicy& policy) {
  const auto old_logs = logs_of(old_s), new_logs = logs_of(new_s);
  if (!old_logs || !new_logs) return undecided(TimeReason::bad_value, limit);
  const int least = static_cast<int>(std::min(old_logs->size(), new_logs->size()));
  TimeTest test = undecided(TimeReason::few_runs, limit);
  if (least > 0) test = decide(pooled(sample_of(*old_logs), sample_of(*new_logs)), limit, policy);
  test.runs = static_cast<int>(new_logs->size());
  test.sessions = 1;
  test.clusters = two_clusters(new_s);
  if (least < policy.min_runs) {
    test.outcome = TimeOutcome::undecided;
    test.reason = TimeReason::few_runs;
  }
  ask_for_runs(test, policy);
  return test;
}

TimeTest absolute_test(std::span<const double> run_values, double limit, LimitKind kind,
                       const TimePolicy& policy) {
  const auto logs = logs_of(run_values);
  if (!logs || logs->empty()) return undecided(TimeReason::bad_value, limit);
  const auto sample = sample_of(*logs);
  const double middle = median_of(*logs);
  TimeTest test;
  test.limit = limit;
  test.runs = sample.size;
  test.estimate = test.lo = test.hi = std::exp(middle);
  if (sample.size > 1) {
    test.spread = std::max(kLeastSpread, sample.spread);
    const double h =
        student_t_quantile(kShown, sample.size - 1.0) * test.spread / std::sqrt(sample.size);
    test.lo = std::exp(middle - h);
    test.hi = std::exp(middle + h);
    test.clusters = two_clusters(run_values);
  } else {
    // exp(log(x)) is not always x, and a value exactly at its limit holds it.
    test.estimate = test.lo = test.hi = run_values.front();
  }
  decide_absolute(test, kind);
  ask_for_runs(test, policy);
  return test;
}

TimeTest quartile_test(double median, double q1, double q3, double limit, LimitKind kind) {
  const auto usable = [](double value) { return value > 0 && std::isfinite(value); };
  if (!usable(median) || !usable(q1) || !usable(q3) || q1 > median || median > q3)
    return undecided(TimeReason::bad_value, limit);
  TimeTest test;
  test.limit = limit;
  test.runs = 1;
  test.estimate = median;
  test.lo = q1;
  test.hi = q3;
  decide_absolute(test, kind);
  return test;
}

TimeTest confirmed(const TimeTest& first, const TimeTest& pooled) {
  TimeTest test = pooled;
  test.confirmed = first.outcome == TimeOutcome::fail && pooled.outcome == TimeOutcome::fail;
  return test;
}

std::optional<TwoClusters> two_clusters(std::span<const double> run_medians_s) {
  auto logs = logs_of(run_medians_s);
  if (!logs || logs->size() < kLeastClustered) return std::nullopt;
  std::sort(logs->begin(), logs->end());
  std::size_t cut =
      2;  // the first of the upper group: at the widest gap that leaves two on either side
  for (std::size_t at = 2; at + 2 <= logs->size(); ++at)
    if ((*logs)[at] - (*logs)[at - 1] > (*logs)[cut] - (*logs)[cut - 1]) cut = at;
  const std::span<const double> all = *logs;
  const auto low = sample_of(all.first(cut)), high = sample_of(all.subspan(cut));
  const double inside = std::max(kLeastSpread, pooled(low, high).spread);
  if (all[cut] - all[cut - 1] <= kClusterGap * inside) return std::nullopt;
  return TwoClusters{std::exp(low.mean), std::exp(high.mean), low.size, high.size};
}

}  // namespace roofline
