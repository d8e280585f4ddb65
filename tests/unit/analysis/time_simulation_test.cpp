// The decision rules under a two-level noise model, with fixed seeds: log t = log m + B_run +
// W_launch, B ~ N(0, run spread), W ~ N(0, launch spread), three launches in a hundred up to 30 %
// longer, 50 launches a run. The rates are those that docs/gate.md, "The time test", promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "roofline/analysis/time_test.hpp"

namespace roofline {
namespace {

constexpr double kTime = 1e-4;
constexpr int kTrials = 8'000;

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}
  /// The library's normal distribution differs between libraries; this one does not.
  double normal(double spread) {
    const double u = 1 - uniform(), v = uniform();
    return spread * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// Median of one run's launches.
  double run(double log_time, double run_spread, double launch_spread) {
    const double run = log_time + normal(run_spread);
    for (double& launch : launches_) {
      launch = normal(launch_spread);
      if (uniform() < 0.03) launch += std::log(1 + 0.3 * uniform());
    }
    std::nth_element(launches_.begin(), launches_.begin() + 25, launches_.end());
    return std::exp(run + launches_[25]);
  }

 private:
  std::mt19937_64 engine_;
  std::vector<double> launches_ = std::vector<double>(50);
};

struct Rates {
  double fail = 0, undecided = 0, pass = 0,
         runs = 0;  ///< in percent of the trials; mean runs of a trial
};

template <class Trial>
Rates rates_of(Trial trial, int trials = kTrials) {
  Rates rates;
  for (int i = 0; i < trials; ++i) {
    const TimeTest test = trial();
    (test.outcome == TimeOutcome::fail   ? rates.fail
     : test.outcome == TimeOutcome::pass ? rates.pass
                                         : rates.undecided) += 1;
    rates.runs += test.runs;
  }
  for (double* count : {&rates.fail, &rates.undecided, &rates.pass}) *count *= 100.0 / trials;
  rates.runs /= trials;
  return rates;
}

/// An A/B to its end. The machine slows by `drift` from the first process to the last of 11 rounds.
TimeTest interleaved(Noise& noise, double change, double run_spread, double drift) {
  std::vector<double> old_s, new_s;
  TimeTest test{.more_runs = 5};
  while (test.more_runs > 0) {
    for (int added = 0; added < test.more_runs; ++added) {
      const auto round = static_cast<double>(old_s.size());
      const bool swapped = old_s.size() % 2 == 1;
      const auto at = [&](bool second) {
        return std::log(kTime) + drift * (2 * round + (second ? 1 : 0)) / 21;
      };
      old_s.push_back(noise.run(at(swapped), run_spread, 0.02));
      new_s.push_back(noise.run(at(!swapped) + std::log1p(change), run_spread, 0.02));
    }
    test = paired_regression(old_s, new_s, 0.05);
  }
  return test;
}

/// Ten sessions of five runs, then a session of its own: 3 runs, and 3 more until the stop rule is
/// content.
TimeTest recorded(Noise& noise, double change, double run_spread, double session_spread) {
  std::vector<SessionTime> baseline;
  for (int session = 0; session < 10; ++session) {
    const double centre = std::log(kTime) + noise.normal(session_spread);
    std::vector<double> runs;
    for (int run = 0; run < 5; ++run) runs.push_back(noise.run(centre, run_spread, 0.02));
    baseline.push_back(*session_time(runs));
  }
  const double centre = std::log(kTime) + noise.normal(session_spread) + std::log1p(change);
  std::vector<double> runs;
  TimeTest test{.more_runs = 3};
  while (test.more_runs > 0) {
    for (int added = 0; added < test.more_runs; ++added)
      runs.push_back(noise.run(centre, run_spread, 0.02));
    test = recorded_regression(baseline, runs, 0.05);
  }
  return test;
}

/// Ten runs of the old program against 3, 6, 9 of the new one, one session.
TimeTest one_session(Noise& noise, double change, double run_spread) {
  std::vector<double> old_s, runs;
  for (int run = 0; run < 10; ++run) old_s.push_back(noise.run(std::log(kTime), run_spread, 0.02));
  TimeTest test{.more_runs = 3};
  while (test.more_runs > 0) {
    for (int added = 0; added < test.more_runs; ++added)
      runs.push_back(noise.run(std::log(kTime) + std::log1p(change), run_spread, 0.02));
    test = pooled_regression(old_s, runs, 0.05);
  }
  return test;
}

struct Row {
  const char* name;
  double change, run_spread,
      drift;  ///< drift: within the session of an A/B, between sessions of a baseline
  double most_fail, least_fail, least_pass;
};
std::string row_name(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

void expect_rates(const Rates& rates, const Row& row) {
  EXPECT_LE(rates.fail, row.most_fail);
  EXPECT_GE(rates.fail, row.least_fail);
  EXPECT_GE(rates.pass, row.least_pass);
  ::testing::Test::RecordProperty("fail_percent", std::to_string(rates.fail));
  ::testing::Test::RecordProperty("undecided_percent", std::to_string(rates.undecided));
  ::testing::Test::RecordProperty("runs", std::to_string(rates.runs));
  std::printf("%-28s FAIL %.2f %%, undecided %.2f %%, PASS %.2f %%; %.1f runs\n", row.name,
              rates.fail, rates.undecided, rates.pass, rates.runs);
}

// 6 % of drift in the session throughout.
constexpr Row kInterleaved[] = {
    {"same_at_1_percent", 0, 0.01, 0.06, 0, 0, 99.9},
    {"same_at_2_percent", 0, 0.02, 0.06, 0, 0, 99.5},
    {"same_at_3_percent", 0, 0.03, 0.06, 0.1, 0, 97},
    {"slower_at_1_percent", 0.08, 0.01, 0.06, 100, 99.9, 0},
    {"slower_at_2_percent", 0.08, 0.02, 0.06, 100, 99.5, 0},
    {"slower_at_3_percent", 0.08, 0.03, 0.06, 100, 98, 0},
    {"same_at_5_percent", 0, 0.05, 0.06, 1.0, 0, 70},
    {"same_at_8_percent", 0, 0.08, 0.06, 1.2, 0, 40},
};
class InterleavedRates : public ::testing::TestWithParam<Row> {};
TEST_P(InterleavedRates, Hold) {
  const auto& row = GetParam();
  Noise noise(20261130);
  expect_rates(rates_of([&] { return interleaved(noise, row.change, row.run_spread, row.drift); }),
               row);
}
INSTANTIATE_TEST_SUITE_P(Rows, InterleavedRates, ::testing::ValuesIn(kInterleaved), row_name);

constexpr Row kRecorded[] = {
    {"same_at_1_percent", 0, 0.01, 0, 0, 0, 99.9},
    {"same_at_3_percent", 0, 0.03, 0, 0.1, 0, 96},
    {"slower_at_3_percent", 0.08, 0.03, 0, 100, 97, 0},
    {"same_with_drift_of_2_percent", 0, 0.01, 0.02, 0.7, 0, 60},
    {"same_with_drift_of_4_percent", 0, 0.01, 0.04, 1.2, 0, 25},
    {"slower_with_drift_of_1_percent", 0.08, 0.01, 0.01, 100, 98, 0},
};
class RecordedRates : public ::testing::TestWithParam<Row> {};
TEST_P(RecordedRates, Hold) {
  const auto& row = GetParam();
  Noise noise(20261201);
  expect_rates(rates_of([&] { return recorded(noise, row.change, row.run_spread, row.drift); }),
               row);
}
INSTANTIATE_TEST_SUITE_P(Rows, RecordedRates, ::testing::ValuesIn(kRecorded), row_name);

constexpr Row kOneSession[] = {
    {"same_at_3_percent", 0, 0.03, 0, 0.1, 0, 96},
    {"slower_at_3_percent", 0.08, 0.03, 0, 100, 97, 0},
    {"same_at_5_percent", 0, 0.05, 0, 1.0, 0, 65},
    {"same_at_8_percent", 0, 0.08, 0, 0.5, 0, 40},
};
class OneSessionRates : public ::testing::TestWithParam<Row> {};
TEST_P(OneSessionRates, Hold) {
  const auto& row = GetParam();
  Noise noise(20261202);
  expect_rates(rates_of([&] { return one_session(noise, row.change, row.run_spread); }), row);
}
INSTANTIATE_TEST_SUITE_P(Rows, OneSessionRates, ::testing::ValuesIn(kOneSession), row_name);

// A rule that calls every noisy sample bimodal says nothing.
TEST(ClusterRate, OneNormalGroupIsRarelyTwo) {
  Noise noise(20261203);
  int found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) runs.push_back(kTime * std::exp(noise.normal(0.03)));
    found += two_clusters(runs).has_value() ? 1 : 0;
  }
  EXPECT_LT(found, kTrials / 50);
}

}  // namespace
}  // namespace roofline
