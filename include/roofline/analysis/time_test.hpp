#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace roofline {

/// How much evidence a decision about times takes; the defaults are those of a gate file's
/// `policy:`.
struct TimePolicy {
  int min_runs = 3,
      max_runs = 9;  ///< processes: fewer decide no regression, more are not asked for
  int min_rounds = 5, fail_rounds = 9,
      max_rounds = 11;   ///< of an A/B: to begin with, to fail, to give up
  int min_sessions = 5;  ///< that a recorded baseline spans before it may fail a build
  double max_noise =
      0.6;  ///< spread between runs, as a share of the limit, above which it decides little
  double min_delta_s = 2e-7;  ///< a change below this is no regression, whatever its share
};

enum class TimeOutcome : std::uint8_t { pass, fail, undecided };

/// Why a test did not decide, or what kept it from failing.
enum class TimeReason : std::uint8_t {
  none,
  bad_value,     ///< a time is zero, negative or not a number: nothing was computed
  few_runs,      ///< fewer than min_runs (min_rounds) on a side
  few_rounds,    ///< slower so far, but an A/B fails only from fail_rounds on
  few_sessions,  ///< slower, but against a baseline whose drift was not seen
  noisy,         ///< the runs differ by more than the limit allows for
  near_limit,    ///< the interval holds the limit
  weak,          ///< slower than the limit by the estimate, but not surely slower at all
};
std::string_view name_of(TimeReason reason);

/// Two groups of runs further apart than four times the spread inside them: no mean describes
/// them.
struct TwoClusters {
  double low_s = 0, high_s = 0;  ///< geometric means
  int low_runs = 0, high_runs = 0;
};

/// What the runs say about one kernel.
struct TimeTest {
  TimeOutcome outcome = TimeOutcome::undecided;
  TimeReason reason = TimeReason::none;
  double estimate = 0, lo = 0, hi = 0;  ///< relative change (0.05: 5 % slower), or the value
                                        ///< itself; each bound one-sided 95 %
  double limit = 0;                     ///< as applied: min_delta may have widened a regression's
  double spread = 0;  ///< between runs (of a recorded baseline: between its sessions), relative
  int runs = 0,
      sessions = 0;   ///< of the candidate (rounds of an A/B); of the baseline, 0 of an A/B
  int more_runs = 0;  ///< fresh ones that the stop rule asks for before this is final; 0: it is
  bool confirmed = false;  ///< a failure that as many runs as are ever asked for agree on
  double drift = 0;  ///< of an A/B: relative, from its first process to its last, both sides alike
  std::optional<double>
      workable_limit;  ///< when noisy: the smallest relative limit that such runs can decide
  std::optional<TwoClusters> clusters;
};

/// One session of a baseline: the run medians of one job on one machine.
struct SessionTime {
  double log_time = 0;  ///< mean of the logs of its run medians in seconds
  int runs = 0;
  double run_spread = 0;  ///< standard deviation of those logs; 0 with one run: not known
};

/// The session that these run medians (seconds) make. nullopt: none, or one is not a positive
/// finite number.
std::optional<SessionTime> session_time(std::span<const double> run_medians_s);

/// An A/B: round j measured `old_s[j]` and `new_s[j]`, in fresh processes, old first in even rounds
/// and new first in odd ones. Differences of logs, one per round, so that a drift of the machine
/// cancels. `limit`: relative, > 0. With est their mean and s their standard deviation, at least
/// 0.5 %, over R rounds: PASS hi < limit; FAIL est > limit, the lower bound at 99 % > 0 and R >=
/// fail_rounds; else undecided.
TimeTest paired_regression(std::span<const double> old_s, std::span<const double> new_s,
                           double limit, const TimePolicy& policy = {});

/// This session's run medians against a recorded baseline. From min_sessions sessions on by a
/// prediction interval over the sessions, which holds the drift between them; below that by the
/// runs of both sides pooled, which cannot fail. `limit`: relative, > 0.
TimeTest recorded_regression(std::span<const SessionTime> baseline,
                             std::span<const double> run_medians_s, double limit,
                             const TimePolicy& policy = {});

/// Two sets of runs, each of one session: runs pooled. Can fail; drift between the two is not seen.
TimeTest pooled_regression(std::span<const double> old_s, std::span<const double> new_s,
                           double limit, const TimePolicy& policy = {});

enum class LimitKind : std::uint8_t { at_most, at_least };

/// A value per run (a time, a ratio, a utilization: all > 0) against an absolute limit. FAIL: the
/// whole interval is on the wrong side; PASS: the whole interval is on the right side, the limit
/// included; else undecided. The interval is that of the runs' logs around their median; of a
/// single run it is the value alone.
TimeTest absolute_test(std::span<const double> run_values, double limit, LimitKind kind,
                       const TimePolicy& policy = {});

/// The same where one run is all there is: against the quartiles of its launches.
TimeTest quartile_test(double median, double q1, double q3, double limit, LimitKind kind);

/// A failure stands when fresh runs, pooled with those before, fail too.
TimeTest confirmed(const TimeTest& first, const TimeTest& pooled);

/// Two groups of at least two values each, the gap between them above four times the spread inside
/// (at least 0.5 %). Fewer than six values, or no such gap: nullopt.
std::optional<TwoClusters> two_clusters(std::span<const double> run_medians_s);

}  // namespace roofline
