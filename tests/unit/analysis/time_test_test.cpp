#include "roofline/analysis/time_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace roofline {
namespace {

using Runs = std::vector<double>;
using enum TimeOutcome;

/// Times around `centre` seconds whose logs have the standard deviation `spread` exactly (over
/// `count - 1`) and the mean of log(centre): alternately above and below, so that nothing here is
/// chance.
Runs runs(double centre, double spread, int count) {
  Runs made;
  const double step = spread * std::sqrt((count - 1.0) / (count - count % 2));
  for (int i = 0; i < count; ++i)
    made.push_back(centre * std::exp(i == count - 1 && count % 2 == 1 ? 0
                                     : i % 2 == 0                     ? step
                                                                      : -step));
  return made;
}

/// Rounds whose differences have the mean log(1 + change) and the standard deviation `spread`.
std::pair<Runs, Runs> rounds(double change, double spread, int count) {
  return {Runs(static_cast<std::size_t>(count), 1e-4), runs(1e-4 * (1 + change), spread, count)};
}

std::vector<SessionTime> sessions(double centre, double spread, int count, int runs_each = 5,
                                  double run_spread = 0.01) {
  std::vector<SessionTime> made;
  for (const double time : runs(centre, spread, count))
    made.push_back({std::log(time), runs_each, run_spread});
  return made;
}

// h = t(0.95, R - 1) s / sqrt(R); a pass takes est + h < 5 %, a failure est > 5 % and est - t(0.99,
// R - 1) s / sqrt(R) > 0.
struct PairedRow {
  const char* name;
  double change, spread;
  int count;
  TimeOutcome outcome;
  TimeReason reason;
  int more;
};
constexpr PairedRow kPaired[] = {
    {"quiet_and_same_passes_at_once", 0, 0.01, 5, pass, TimeReason::none, 0},
    {"four_rounds_are_too_few", 0, 0.01, 4, undecided, TimeReason::few_runs, 1},
    {"one_round_is_too_few", 0.3, 0.0, 1, undecided, TimeReason::few_runs, 4},
    {"eight_percent_at_1_percent_noise_waits", 0.08, 0.014, 5, undecided, TimeReason::few_rounds,
     2},
    {"eight_percent_at_1_percent_noise_fails", 0.08, 0.014, 9, fail, TimeReason::none, 0},
    // s of a run 8 %, of a difference 11.3 %: h = 1.860 x 11.3 / 3 = 7.0 %
    {"same_at_8_percent_noise_is_undecided", 0, 0.113, 9, undecided, TimeReason::noisy, 2},
    {"same_at_8_percent_noise_stays_undecided", 0, 0.113, 11, undecided, TimeReason::noisy, 0},
    {"improvement_of_30_percent_passes", -0.3, 0.02, 5, pass, TimeReason::none, 0},
    // log 1.0495 + 1.833 x 0.5 % / sqrt(10) > log 1.05
    {"just_under_the_limit_is_undecided", 0.0495, 0.001, 9, undecided, TimeReason::near_limit, 2},
    // Twice as slow through noise of 8 % a run: the lower bound at 99.9 % is above the limit
    // itself.
    {"twice_as_slow_fails_through_noise", 1.0, 0.113, 9, fail, TimeReason::none, 0},
    {"ten_percent_is_lost_in_noise", 0.10, 0.113, 9, undecided, TimeReason::noisy, 2},
};
class PairedTest : public ::testing::TestWithParam<PairedRow> {};
TEST_P(PairedTest, Decides) {
  const auto& row = GetParam();
  const auto [old_s, new_s] = rounds(row.change, row.spread, row.count);
  const auto test = paired_regression(old_s, new_s, 0.05);
  EXPECT_EQ(test.outcome, row.outcome);
  EXPECT_EQ(name_of(test.reason), name_of(row.reason));
  EXPECT_EQ(test.more_runs, row.more);
  EXPECT_EQ(test.runs, row.count);
  if (row.count > 1) {
    EXPECT_NEAR(test.estimate, row.change, 1e-9);
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, PairedTest, ::testing::ValuesIn(kPaired),
                         [](auto& i) { return i.param.name; });

TEST(PairedTest, IntervalIsByHand) {
  const auto [old_s, new_s] = rounds(0.08, 0.03, 9);
  const auto test = paired_regression(old_s, new_s, 0.05);
  const double h = 1.8595480375 * 0.03 / 3;  // t(0.95, 8)
  EXPECT_NEAR(test.lo, 1.08 * std::exp(-h) - 1, 1e-9);
  EXPECT_NEAR(test.hi, 1.08 * std::exp(h) - 1, 1e-9);
  EXPECT_NEAR(test.spread, 0.03 / std::sqrt(2.0), 1e-12);
}

TEST(PairedTest, DriftCancelsAndIsShown) {
  Runs old_s, new_s;  // times grow by 0.5 % a process, old first in even rounds
  for (int round = 0; round < 9; ++round) {
    const bool swapped = round % 2 == 1;
    old_s.push_back(1e-4 * std::exp(0.005 * (2 * round + (swapped ? 1 : 0))));
    new_s.push_back(1e-4 * std::exp(0.005 * (2 * round + (swapped ? 0 : 1))));
  }
  const auto test = paired_regression(old_s, new_s, 0.05);
  EXPECT_EQ(test.outcome, pass);
  EXPECT_NEAR(test.drift, std::exp(0.005 * 17) - 1, 2e-3);
  EXPECT_LT(std::fabs(test.estimate), 0.001);
}

TEST(PairedTest, NoiseNamesALimitThatWouldDo) {
  const auto [old_s, new_s] = rounds(0.0, 0.061 * std::sqrt(2.0), 9);
  const auto test = paired_regression(old_s, new_s, 0.05);
  ASSERT_TRUE(test.workable_limit);
  EXPECT_DOUBLE_EQ(*test.workable_limit, 0.11);  // 6.1 % / 0.6 = 10.2 %
}

// With S sessions: est -/+ t(0.95, S - 1) s sqrt(1 + 1/S).
struct RecordedRow {
  const char* name;
  double session_spread;
  int session_count;
  double change, run_spread;
  int run_count;
  TimeOutcome outcome;
  TimeReason reason;
  int more;
};
constexpr RecordedRow kRecorded[] = {
    {"same", 0.01, 10, 0, 0.01, 3, pass, TimeReason::none, 0},
    {"two_runs_decide_nothing", 0.01, 10, 0.5, 0.01, 2, undecided, TimeReason::few_runs, 1},
    {"one_run_decides_nothing", 0.01, 10, 0, 0, 1, undecided, TimeReason::few_runs, 2},
    {"slower_wants_to_be_confirmed", 0.01, 10, 0.08, 0.01, 3, fail, TimeReason::none, 3},
    {"slower_and_confirmed", 0.01, 10, 0.08, 0.01, 9, fail, TimeReason::none, 0},
    {"one_session_cannot_fail", 0.01, 1, 0.20, 0.01, 9, undecided, TimeReason::few_sessions, 0},
    {"four_sessions_cannot_fail", 0.01, 4, 0.20, 0.01, 9, undecided, TimeReason::few_sessions, 0},
    {"five_sessions_can", 0.01, 5, 0.20, 0.01, 9, fail, TimeReason::none, 0},
    {"one_session_can_pass", 0.01, 1, 0, 0.005, 5, pass, TimeReason::none, 0},
    // t(0.99, 9) x 4 % x sqrt(1.1) = 11.8 %
    {"sessions_that_drift_do_not_fail_8_percent", 0.04, 10, 0.08, 0.01, 9, undecided,
     TimeReason::noisy, 0},
    {"improvement", 0.01, 10, -0.3, 0.01, 3, pass, TimeReason::none, 0},
    // 3 runs at 8 %: 4.6 % of standard error that the sessions, at 1 % / sqrt(5), do not hold
    {"noisy_today_is_no_regression", 0.005, 10, 0.08, 0.08, 3, undecided, TimeReason::weak, 3},
};
class RecordedTest : public ::testing::TestWithParam<RecordedRow> {};
TEST_P(RecordedTest, Decides) {
  const auto& row = GetParam();
  const auto test =
      recorded_regression(sessions(1e-4, row.session_spread, row.session_count),
                          runs(1e-4 * (1 + row.change), row.run_spread, row.run_count), 0.05);
  EXPECT_EQ(test.outcome, row.outcome);
  EXPECT_EQ(name_of(test.reason), name_of(row.reason));
  EXPECT_EQ(test.more_runs, row.more);
  EXPECT_EQ(test.confirmed, row.outcome == fail && row.more == 0);
  EXPECT_EQ(test.sessions, row.session_count);
}
INSTANTIATE_TEST_SUITE_P(Rows, RecordedTest, ::testing::ValuesIn(kRecorded),
                         [](auto& i) { return i.param.name; });

TEST(RecordedTest, IntervalIsByHand) {
  const auto test =
      recorded_regression(sessions(1e-4, 0.02, 10, 5, 0.01), runs(1.03e-4, 0.01, 9), 0.05);
  const double h = 1.8331129327 * 0.02 * std::sqrt(1.1);  // t(0.95, 9)
  EXPECT_NEAR(test.lo, 1.03 * std::exp(-h) - 1, 1e-9);
  EXPECT_NEAR(test.hi, 1.03 * std::exp(h) - 1, 1e-9);
}

TEST(RecordedTest, SmallChangesOfSmallTimesAreNone) {
  // 20 % of 0.9 us is 0.18 us, below the 0.2 us of min_delta.
  const auto small =
      recorded_regression(sessions(0.9e-6, 0.005, 10), runs(0.9e-6 * 1.2, 0.002, 9), 0.05);
  EXPECT_NE(small.outcome, fail);
  EXPECT_NEAR(small.limit, 0.2 / 0.9, 1e-3);
  const auto large =
      recorded_regression(sessions(9e-6, 0.005, 10), runs(9e-6 * 1.2, 0.002, 9), 0.05);
  EXPECT_EQ(large.outcome, fail);
}

TEST(PooledTest, TwoResultsByHand) {
  const auto test = pooled_regression(runs(1e-4, 0.01, 5), runs(1.02e-4, 0.01, 5), 0.05);
  const double h = 1.8595480375 * 0.01 * std::sqrt(0.4);  // t(0.95, 8)
  EXPECT_NEAR(test.lo, 1.02 * std::exp(-h) - 1, 1e-9);
  EXPECT_EQ(test.outcome, pass);
  EXPECT_EQ(pooled_regression(runs(1e-4, 0.01, 5), runs(1.2e-4, 0.01, 5), 0.05).outcome, fail);
  EXPECT_EQ(pooled_regression(runs(1e-4, 0.01, 1), runs(1.2e-4, 0.01, 5), 0.05).reason,
            TimeReason::few_runs);
}

struct AbsoluteRow {
  const char* name;
  double centre, spread;
  int count;
  double limit;
  LimitKind kind;
  TimeOutcome outcome;
};
constexpr AbsoluteRow kAbsolute[] = {
    {"under", 1.1, 0.01, 5, 1.25, LimitKind::at_most, pass},
    {"over", 3.33, 0.01, 5, 1.25, LimitKind::at_most, fail},
    {"at_the_edge_of_many_runs", 1.25, 0.01, 5, 1.25, LimitKind::at_most, undecided},
    {"exactly_at_the_limit_of_one", 1.25, 0, 1, 1.25, LimitKind::at_most, pass},
    {"share_high_enough", 80, 0.01, 5, 75, LimitKind::at_least, pass},
    {"share_too_low", 60, 0.01, 5, 75, LimitKind::at_least, fail},
    {"share_exactly_at_the_limit", 75, 0, 1, 75, LimitKind::at_least, pass},
};
class AbsoluteTest : public ::testing::TestWithParam<AbsoluteRow> {};
TEST_P(AbsoluteTest, Decides) {
  const auto& row = GetParam();
  EXPECT_EQ(absolute_test(runs(row.centre, row.spread, row.count), row.limit, row.kind).outcome,
            row.outcome);
}
INSTANTIATE_TEST_SUITE_P(Rows, AbsoluteTest, ::testing::ValuesIn(kAbsolute),
                         [](auto& i) { return i.param.name; });

TEST(AbsoluteTest, OneRunIsHeldByItsQuartiles) {
  EXPECT_EQ(quartile_test(1.2, 1.1, 1.25, 1.25, LimitKind::at_most).outcome, pass);
  EXPECT_EQ(quartile_test(1.2, 1.1, 1.3, 1.25, LimitKind::at_most).outcome, undecided);
  EXPECT_EQ(quartile_test(1.4, 1.3, 1.5, 1.25, LimitKind::at_most).outcome, fail);
  EXPECT_EQ(quartile_test(1.4, 1.5, 1.3, 1.25, LimitKind::at_most).reason, TimeReason::bad_value);
}

TEST(TimeTest, ImpossibleTimesAreNeverCompared) {
  const Runs good = runs(1e-4, 0.01, 5);
  for (const double bad : {0.0, -1e-4, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Runs broken = good;
    broken[2] = bad;
    for (const auto& test :
         {paired_regression(good, broken, 0.05), paired_regression(broken, good, 0.05),
          pooled_regression(good, broken, 0.05), absolute_test(broken, 1, LimitKind::at_most),
          recorded_regression(sessions(1e-4, 0.01, 10), broken, 0.05)}) {
      EXPECT_EQ(test.outcome, undecided);
      EXPECT_EQ(test.reason, TimeReason::bad_value);
      EXPECT_EQ(test.more_runs, 0);
    }
    EXPECT_FALSE(session_time(broken));
  }
  EXPECT_EQ(paired_regression(good, runs(1e-4, 0.01, 4), 0.05).reason, TimeReason::bad_value);
  EXPECT_EQ(recorded_regression({}, good, 0.05).reason, TimeReason::bad_value);
  EXPECT_FALSE(session_time({}));
}

TEST(TimeTest, ConfirmationTakesBoth) {
  const TimeTest failed{.outcome = fail}, passed{.outcome = pass};
  EXPECT_TRUE(confirmed(failed, failed).confirmed);
  EXPECT_FALSE(confirmed(failed, passed).confirmed);
  EXPECT_EQ(confirmed(failed, passed).outcome, pass);
}

TEST(TimeTest, TwoClustersAreFoundAndOneIsNot) {
  const Runs bistable = {1.00e-4, 1.13e-4, 1.002e-4, 1.131e-4, 1.001e-4, 1.129e-4, 0.999e-4};
  const auto clusters = two_clusters(bistable);
  ASSERT_TRUE(clusters);
  EXPECT_EQ(clusters->low_runs, 4);
  EXPECT_EQ(clusters->high_runs, 3);
  EXPECT_NEAR(clusters->low_s, 1.0005e-4, 1e-7);
  EXPECT_NEAR(clusters->high_s, 1.13e-4, 1e-7);
  EXPECT_FALSE(two_clusters(Runs{1.00e-4, 1.01e-4, 1.02e-4, 1.03e-4, 1.04e-4, 1.05e-4, 1.06e-4}));
  EXPECT_FALSE(two_clusters(
      Runs{1.0e-4, 1.0e-4, 1.0e-4, 1.0e-4, 1.0e-4, 1.5e-4}));        // one outlier is no group
  EXPECT_FALSE(two_clusters(Runs{1.0e-4, 1.0e-4, 1.5e-4, 1.5e-4}));  // too few to say
}

}  // namespace
}  // namespace roofline
