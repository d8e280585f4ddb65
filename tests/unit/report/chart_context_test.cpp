#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "report/plot/sparkline.hpp"
#include "unit/report/chart_corpus.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
using hand_made::finished;
using hand_made::h100_chart;
using hand_made::h100_kernel;

Chart chart_of_names(std::vector<std::string> names) {
  std::vector<ChartKernel> kernels;
  double time = 1e-3;
  for (const auto& name : names) {
    kernels.push_back(h100_kernel(name, 1e9, 1e9, time));
    kernels.back().label = name;
    kernels.back().function = "void " + name + "()";
    time /= 2;
  }
  return finished(h100_chart(), std::move(kernels));
}

// ---------------------------------------------------------------- what a gate said

struct LimitRow {
  const char* name;
  const char* assertion;
  double value, limit;
  std::optional<double>
      allowed;  ///< seconds, worked out by hand from 10 us of floor, 20 us of time
};
const LimitRow kLimits[] = {
    {"time", "max_time", 20e-6, 25e-6, 25e-6},
    {"over_floor", "max_time_over_floor", 2, 1.25, 12.5e-6},
    {"of_ceiling", "min_pct_of_ceiling", 50, 80, 12.5e-6},  // 10 us / 0.8
    {"regression", "max_regression_pct", 25, 5, 16.8e-6},   // 20 us / 1.25 * 1.05
    {"no_time", "max_excess_traffic", 1.5, 1.1, std::nullopt},
};
TEST(Gate, limits_that_are_times_are_times_of_the_kernel) {
  for (const auto& row : kLimits) {
    auto chart = chart_of_names({"a"});
    AssertionResult result{.id = "a", .assertion = row.assertion, .outcome = Outcome::fail};
    result.value = row.value;
    result.limit = row.limit;
    result.floor = Seconds(10e-6);
    result.time = Seconds(20e-6);
    set_gate(chart, {.results = {result}, .status = Outcome::fail});
    ASSERT_EQ(chart.kernels[0].time_limit_s.has_value(), row.allowed.has_value()) << row.name;
    if (row.allowed) {
      EXPECT_NEAR(*chart.kernels[0].time_limit_s, *row.allowed, 1e-12) << row.name;
    }
  }
}

TEST(Gate, a_kernel_takes_its_worst_outcome_and_its_strictest_limit) {
  auto chart = chart_of_names({"a", "b", "c"});
  const auto row = [](std::string id, Outcome outcome, double limit) {
    AssertionResult result{.id = std::move(id), .assertion = "max_time", .outcome = outcome};
    result.limit = limit;
    return result;
  };
  auto by_function = row("entry", Outcome::inconclusive, 3e-3);
  by_function.kernel = "void b()";
  set_gate(chart,
           {.results = {row("a", Outcome::fail, 2e-3), row("a", Outcome::pass, 1e-3), by_function},
            .counts = {1, 0, 0, 0, 1, 1, 0},
            .status = Outcome::fail});
  EXPECT_EQ(chart.kernels[0].outcome, Outcome::fail);
  EXPECT_EQ(chart.kernels[0].time_limit_s, 1e-3);
  EXPECT_EQ(chart.kernels[1].outcome, Outcome::inconclusive);
  EXPECT_FALSE(chart.kernels[2].outcome);
  ASSERT_TRUE(chart.gate);
  EXPECT_EQ(chart.gate->headline.substr(0, 6), "FAIL: ");
  ASSERT_EQ(chart.gate->lines.size(), 2u);
  EXPECT_EQ(chart.gate->lines[0].substr(0, 9), "fail: a: ");
}

GateResult sample_gate() {
  AssertionResult row{.id = "silu",
                      .assertion = "max_time_over_floor",
                      .outcome = Outcome::fail,
                      .value = -1.5,
                      .limit = 1.25,
                      .unit = GateUnit::ratio,
                      .runs = 5,
                      .confirmed = true,
                      .floor = Seconds(1e-6),
                      .time = Seconds(2e-6),
                      .text = "a <b> \"c\"",
                      .more = {"one", "two"},
                      .kernel = "void silu()",
                      .line = 7,
                      .column = 3};
  return {.file = "g.yml",
          .gpu_id = "h100",
          .runs = 5,
          .results = {row},
          .counts = {0, 0, 0, 0, 0, 1, 0},
          .status = Outcome::fail,
          .exit_code = 1};
}

Checked<GateResult> read_text(std::string text) {
  const auto document = read_yaml(std::move(text), "v.json");
  if (!document) return tl::unexpected(document.error());
  return read_gate_result(*document);
}

TEST(GateResultFile, is_read_as_it_was_written) {
  std::string text;
  find_gate_format("json")->write(sample_gate(), {},
                                  [&](std::string_view piece) { text += piece; });
  const auto read = read_text(text);
  ASSERT_TRUE(read) << text;
  EXPECT_EQ(read->status, Outcome::fail);
  EXPECT_EQ(read->exit_code, 1);
  EXPECT_EQ(read->gpu_id, "h100");
  EXPECT_EQ(read->count(Outcome::fail), 1u);
  ASSERT_EQ(read->results.size(), 1u);
  const auto& row = read->results[0];
  const auto wrote = sample_gate().results.front();
  EXPECT_EQ(row.id, wrote.id);
  EXPECT_EQ(row.value, wrote.value);
  EXPECT_EQ(row.unit, wrote.unit);
  EXPECT_EQ(row.floor->value(), 1e-6);
  EXPECT_EQ(row.text, wrote.text);
  EXPECT_EQ(row.more, wrote.more);
  EXPECT_EQ(row.line, 7);
  EXPECT_EQ(row.column, 3);
  EXPECT_TRUE(row.confirmed);
  EXPECT_EQ(assertion_sentence(row), assertion_sentence(wrote));
}

struct BadGateRow {
  const char* name;
  const char* text;
  int line;
};
const BadGateRow kBadGates[] = {
    {"not_a_map", "[]", 1},
    {"another_schema", R"({"schema": "roofline.result/1", "results": []})", 1},
    {"no_results", R"({"schema": "roofline.gate-result/1", "status": "pass"})", 1},
    {"unknown_outcome",
     "{\"schema\": \"roofline.gate-result/1\", \"status\": \"pass\",\n\"results\": [{\"id\": "
     "\"a\", "
     "\"outcome\": \"great\"}]}",
     2},
    {"a_text_for_a_number",
     "{\"schema\": \"roofline.gate-result/1\", \"status\": \"pass\",\n\"results\": [\n{\"id\": "
     "\"a\", \"outcome\": \"pass\", \"value\": \"NaN\"}]}",
     3},
    {"a_result_that_is_none",
     "{\"schema\": \"roofline.gate-result/1\", \"status\": \"pass\",\n\"results\": [3]}", 2},
};
TEST(GateResultFile, what_is_wrong_has_its_place) {
  for (const auto& row : kBadGates) {
    const auto read = read_text(row.text);
    ASSERT_FALSE(read) << row.name;
    EXPECT_EQ(read.error().front().where.line, row.line) << row.name;
  }
}

// ---------------------------------------------------------------- what earlier runs took

class History : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void add(const std::string& day, const std::string& gpu, double a_seconds) {
    const auto path = (folder_ / (day + gpu + ".jsonl")).string();
    std::ofstream(path) << R"({"schema":"roofline.history/1","time":")" << day
                        << R"(T10:00:00Z","gpu":")" << gpu << R"(","method":"m","kernels":1})"
                        << "\n"
                        << R"({"id":"a","time_s":)" << a_seconds << R"(,"runs":3,"spread":0.01})"
                        << "\n";
    files_.push_back(path);
  }
  fs::path folder_;
  std::vector<std::string> files_;
};

TEST_F(History, of_this_gpu_and_kernel_oldest_first) {
  add("2026-11-01", "h100-sxm5-80gb", 1e-3);
  add("2026-11-02", "a100-sxm4-80gb", 9e-3);
  add("2026-11-03", "h100-sxm5-80gb", 1.5e-3);
  auto chart = chart_of_names({"a", "b"});
  ASSERT_TRUE(set_history(chart, files_));
  ASSERT_TRUE(chart.kernels[0].history);
  const auto& history = *chart.kernels[0].history;
  EXPECT_EQ(history.times_s, (std::vector<double>{1e-3, 1.5e-3}));
  EXPECT_EQ(history.first, "2026-11-01");
  EXPECT_EQ(history.last, "2026-11-03");
  EXPECT_FALSE(chart.kernels[1].history);
  EXPECT_EQ(plot::history_text(history, 2e-3),
            "1.5 ms, +50.0 % in 2 runs, 2026-11-01 to 2026-11-03; limit 2 ms");
}

TEST_F(History, of_the_entry_that_a_gate_has_for_a_kernel) {
  add("2026-11-01", "h100-sxm5-80gb", 1e-3);  // recorded under the gate's name for it: a
  auto chart = chart_of_names({"long_symbol", "other"});
  AssertionResult row{.id = "a", .assertion = "max_time", .kernel = "void long_symbol()"};
  set_gate(chart, {.results = {row}});
  ASSERT_TRUE(set_history(chart, files_));
  EXPECT_TRUE(chart.kernels[0].history);
  EXPECT_FALSE(chart.kernels[1].history);
}

TEST_F(History, without_these_kernels_says_so) {
  add("2026-11-01", "a100-sxm4-80gb", 1e-3);
  auto chart = chart_of_names({"a"});
  ASSERT_TRUE(set_history(chart, files_));
  ASSERT_EQ(chart.warnings.size(), 1u);
  EXPECT_NE(chart.warnings[0].find("h100-sxm5-80gb"), std::string::npos);
}

TEST_F(History, a_damaged_file_is_an_error) {
  add("2026-11-01", "h100-sxm5-80gb", 1e-3);
  std::ofstream(files_.back(), std::ios::app) << "{\"id\":\"b\",\"time";
  auto chart = chart_of_names({"a"});
  EXPECT_FALSE(set_history(chart, files_));
}

TEST(Sparkline, is_linear_between_the_least_and_the_most) {
  const ChartHistory history{.times_s = {10, 20, 15}, .steps = {1}};
  const auto line = plot::layout_sparkline(history, 30, {0, 0, 100, 40});
  ASSERT_EQ(line.points.size(), 3u);
  EXPECT_NEAR(line.points[0].y, 40, 1e-9);  // 10 of 10..30: the bottom
  EXPECT_NEAR(line.points[1].y, 20, 1e-9);
  EXPECT_NEAR(line.points[2].y, 30, 1e-9);
  EXPECT_NEAR(line.points[1].x, 50, 1e-9);
  EXPECT_NEAR(*line.limit_y, 0, 1e-9);
  ASSERT_EQ(line.steps.size(), 1u);
  EXPECT_NEAR(line.steps[0], 25, 1e-9);  // between the first and the second run
}

TEST(Sparkline, one_run_and_runs_that_are_the_same) {
  const plot::Rect area{0, 0, 100, 40};
  const auto one = plot::layout_sparkline({.times_s = {10}}, std::nullopt, area);
  EXPECT_NEAR(one.points[0].x, 100, 1e-9);
  EXPECT_NEAR(one.points[0].y, 20, 1e-9);
  const auto same = plot::layout_sparkline({.times_s = {10, 10}}, std::nullopt, area);
  EXPECT_NEAR(same.points[1].y, 20, 1e-9);
}

}  // namespace
}  // namespace roofline
