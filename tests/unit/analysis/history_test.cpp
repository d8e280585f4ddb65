#include "roofline/analysis/history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace roofline {
namespace {

namespace fs = std::filesystem;

const std::string kHead =
    R"({"schema":"roofline.history/1","time":"2026-11-30T18:48:12Z","commit":"1f2e3d4","gpu":"h100","power_limit_w":700,"kernels":2})"
    "\n";
const std::string kLines =
    "{\"id\":\"a\",\"time_s\":0.0001,\"runs\":5,\"spread\":0.01}\n"
    "{\"id\":\"b\\\"x\",\"time_s\":2e-05,\"runs\":5,\"code_hash\":\"ab\",\"outcome\":\"pass\"}\n";

class HistoryFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "roofline_history_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;  // the test is over
    fs::remove_all(folder_, ignored);
  }
  std::string make(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(HistoryFolder, AFileIsReadLineByLine) {
  std::vector<std::pair<std::string, double>> seen;
  std::string last;
  const auto run = read_history_file(make("a.jsonl", kHead + kLines), [&](const HistoryRun& of, std::string_view id, double time, std::string_view line) {
    EXPECT_EQ(of.commit, "1f2e3d4");
    seen.emplace_back(id, time);
    last = line;
  });
  ASSERT_TRUE(run) << format_errors(run.error(), false);
  EXPECT_EQ(describe(run->machine), "h100, 700 W");
  const std::vector<std::pair<std::string, double>> expected = {{"a", 1e-4}, {"b\"x", 2e-5}};
  EXPECT_EQ(seen, expected);
  const auto point = read_history_point(last);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->code_hash, "ab");
  EXPECT_EQ(point->outcome, "pass");
}

struct Damaged {
  const char* name;
  std::string text;
  int line;
};
const Damaged kDamaged[] = {
    {"empty", "", 0},
    {"cut_in_a_line", (kHead + kLines).substr(0, kHead.size() + 70), 0},
    {"cut_between_lines", kHead + kLines.substr(0, kLines.find('\n') + 1), 0},
    {"no_schema", "{\"a\":1}\n", 1},
    {"newer", "{\"schema\":\"roofline.history/2\",\"time\":\"x\",\"kernels\":0}\n", 1},
    {"no_header", kLines, 1},
    {"zero_time", kHead + "{\"id\":\"a\",\"time_s\":0}\n{\"id\":\"b\",\"time_s\":1}\n", 2},
    {"nan_time", kHead + "{\"id\":\"a\",\"time_s\":nan}\n{\"id\":\"b\",\"time_s\":1}\n", 2},
    {"no_time", kHead + "{\"id\":\"a\"}\n{\"id\":\"b\",\"time_s\":1}\n", 2},
    {"rubbish", kHead + "hello\n{\"id\":\"b\",\"time_s\":1}\n", 2},
};
class HistoryDamaged : public HistoryFolder, public ::testing::WithParamInterface<Damaged> {};
TEST_P(HistoryDamaged, IsNamed) {
  const auto path = make("d.jsonl", GetParam().text);
  const auto run = read_history_file(path, [](const HistoryRun&, std::string_view, double, std::string_view) {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().front().where.file, path);
  EXPECT_EQ(run.error().front().where.line, GetParam().line);
}
INSTANTIATE_TEST_SUITE_P(Rows, HistoryDamaged, ::testing::ValuesIn(kDamaged), [](auto& i) { return i.param.name; });

TEST_F(HistoryFolder, FilesAreListedByTime) {
  make("2026-11-30T18-48Z-b-h100.jsonl", "");
  make("2026-10-30T18-48Z-c-h100.jsonl", "");
  make(".roofline-1-0.tmp", "");
  const auto files = history_files(folder_.string());
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 2U);
  EXPECT_NE((*files)[0].find("2026-10-30"), std::string::npos);
  EXPECT_FALSE(history_files((folder_ / "none").string()));
}

TEST(HistoryName, IsTimeCommitAndGpu) {
  HistoryRun run{.file = {}, .time = "2026-11-30T18:48:12Z", .commit = "1f2e3d4", .machine = {.gpu = "h100-sxm5-80gb"}};
  EXPECT_EQ(history_name(run), "2026-11-30T18-48Z-1f2e3d4-h100-sxm5-80gb");
  run.commit.clear();
  run.machine.gpu = "NVIDIA/../X Y";
  EXPECT_EQ(history_name(run), "2026-11-30T18-48Z-NVIDIA-..-X-Y");
}

std::vector<double> levels(std::initializer_list<std::pair<double, int>> parts) {
  std::vector<double> times;
  for (const auto& [level, count] : parts)
    for (int i = 0; i < count; ++i) times.push_back(level * (1 + 0.004 * ((i % 3) - 1)));
  return times;
}

TEST(HistorySteps, ALastingChangeIsAStepAndAnOutlierIsNot) {
  EXPECT_TRUE(history_steps(levels({{1e-4, 40}})).empty());
  const auto steps = history_steps(levels({{1e-4, 20}, {1.06e-4, 12}, {0.9e-4, 10}}));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].at, 20U);
  EXPECT_EQ(steps[1].at, 32U);
  EXPECT_NEAR(steps[0].before_s, 1e-4, 1e-6);
  EXPECT_NEAR(steps[0].after_s, 1.06e-4, 1e-6);
  EXPECT_NEAR(steps[1].after_s, 0.9e-4, 1e-6);
  EXPECT_TRUE(history_steps(levels({{1e-4, 20}, {1.3e-4, 1}, {1e-4, 20}})).empty());
  EXPECT_TRUE(history_steps(levels({{1e-4, 5}, {1.3e-4, 4}})).empty());  // four points behind it are too few
  EXPECT_TRUE(history_steps({}).empty());
}

std::vector<ThinnedRun> daily_runs(int days, int per_day) {
  std::vector<ThinnedRun> runs;
  for (int day = 0; day < days; ++day)
    for (int i = 0; i < per_day; ++i) {
      const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(20'000 + day))};
      char text[64];
      std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:00:00Z", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                    static_cast<unsigned>(date.day()), i);
      runs.push_back({"f" + std::to_string(day) + "-" + std::to_string(i), text, "h100", i == 1 ? 0.5 : static_cast<double>(i)});
    }
  return runs;
}

TEST(Thinning, TheNewestStayThenOneADayThenOneAWeek) {
  const auto runs = daily_runs(30, 3);
  EXPECT_TRUE(runs_to_remove(runs, {.keep = 90}).empty());
  // 30 newest runs are ten days; of the 20 days before one each.
  const auto removed = runs_to_remove(runs, {.keep = 30});
  EXPECT_EQ(removed.size(), 40U);
  for (const auto& file : removed) EXPECT_FALSE(file.ends_with("-1")) << file;  // 0, 0.5, 2: the median one stays
  // Weekly at once: 20 days are three or four weeks.
  const auto weekly = runs_to_remove(runs, {.keep = 30, .daily_days = 0});
  EXPECT_GE(weekly.size(), 56U);
  EXPECT_LE(weekly.size(), 57U);
}

TEST(Thinning, MachinesAreThinnedApart) {
  auto runs = daily_runs(1, 4);
  runs[0].machine = "a100";
  const auto removed = runs_to_remove(runs, {.keep = 0});
  EXPECT_EQ(removed.size(), 2U);
  EXPECT_EQ(std::count(removed.begin(), removed.end(), "f0-0"), 0);
}

}  // namespace
}  // namespace roofline
