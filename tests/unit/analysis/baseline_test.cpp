#include "roofline/analysis/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

constexpr const char* kHeader = "{\"schema\":\"roofline.baseline/1\"}\n";

std::string line(const std::string& id, const std::string& more = {},
                 const std::string& time = "1e-4") {
  return R"({"id":")" + id + R"(","gpu":"h100","power_limit_w":700,"method":"cupti-trace/1")" +
         more + R"(,"sessions":[{"date":"2026-11-30","time_s":)" + time +
         R"(,"runs":5,"spread":0.01}]})" + "\n";
}

Baseline read(const std::string& lines) {
  auto baseline = read_baseline(kHeader + lines, "b.json");
  EXPECT_TRUE(baseline) << format_errors(baseline.error(), false);
  return baseline ? std::move(*baseline) : Baseline{};
}

TEST(BaselineFile, LinesAreReadAndSorted) {
  const auto baseline =
      read(line("b") + "\n" +
           line("a", R"(,"code_hash":"ab12","grid":[132,1,1],"dram_bytes":4.027e8,"mig":null)"));
  ASSERT_EQ(baseline.entries.size(), 2U);
  const auto& a = baseline.entries[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.line, 4);
  EXPECT_EQ(a.code_hash, "ab12");
  EXPECT_EQ((*a.grid)[0], 132);
  EXPECT_EQ(a.dram_bytes, 4.027e8);
  EXPECT_EQ(describe(a.machine), "h100, 700 W");
  ASSERT_EQ(a.sessions.size(), 1U);
  EXPECT_EQ(a.sessions[0].runs, 5);
  EXPECT_DOUBLE_EQ(recorded_time(a), 1e-4);
}

struct Refused {
  const char* name;
  std::string text;
  Code code;
  int line;
  const char* says;
};
const std::string kHead = kHeader;
const Refused kRefused[] = {
    {"empty", "", Code::empty_input, 0, "empty"},
    {"only_blank_lines", "\n\n", Code::empty_input, 0, "empty"},
    {"no_schema", "{\"a\":1}\n", Code::missing_key, 1, "no schema"},
    {"newer", "{\"schema\":\"roofline.baseline/2\"}\n" + line("a"), Code::wrong_type, 1,
     "another version"},
    {"other_file", "{\"schema\":\"roofline.result/1\"}\n", Code::wrong_type, 1, "no baseline but"},
    {"cut_off", kHead + line("a").substr(0, 60), Code::yaml_syntax, 2, ""},
    {"twice", kHead + line("a") + line("b") + line("a"), Code::duplicate_key, 4, "line 2"},
    {"conflict", kHead + "<<<<<<< HEAD\n" + line("a") + "=======\n" + line("a") + ">>>>>>> pr\n",
     Code::yaml_syntax, 2, "merge"},
    {"no_sessions", kHead + R"({"id":"a","gpu":"h100","sessions":[]})" + "\n", Code::wrong_type, 2,
     "at least one"},
    {"no_gpu", kHead + R"({"id":"a","sessions":[{"date":"2026-11-30","time_s":1e-4,"runs":5}]})",
     Code::missing_key, 2, "gpu"},
    {"no_time", kHead + R"({"id":"a","gpu":"h","sessions":[{"date":"2026-11-30","runs":5}]})",
     Code::missing_key, 2, "time_s"},
    {"zero_time", kHead + line("a", "", "0"), Code::out_of_range, 2, "time_s"},
    {"negative_time", kHead + line("a", "", "-1e-4"), Code::out_of_range, 2, "time_s"},
    {"nan_time", kHead + line("a", "", "NaN"), Code::bad_number, 2, "time_s"},
    {"text_time", kHead + line("a", "", "\"1e-4\""), Code::bad_number, 2, "time_s"},
    {"a_list", kHead + "[1,2]\n", Code::wrong_type, 2, "map"},
    {"not_json", "hello: world: x\n", Code::yaml_syntax, 1, ""},
};
class BaselineRefused : public ::testing::TestWithParam<Refused> {};
TEST_P(BaselineRefused, WithItsPlace) {
  const auto& row = GetParam();
  const auto baseline = read_baseline(row.text, "b.json");
  ASSERT_FALSE(baseline);
  const auto& error = baseline.error().front();
  EXPECT_EQ(error.code, row.code) << error.what;
  EXPECT_EQ(error.where.line, row.line);
  EXPECT_EQ(error.where.file, "b.json");
  EXPECT_NE(error.what.find(row.says), std::string::npos) << error.what;
}
INSTANTIATE_TEST_SUITE_P(Rows, BaselineRefused, ::testing::ValuesIn(kRefused),
                         [](auto& i) { return i.param.name; });

TEST(BaselineFile, LookingUp) {
  using enum BaselineMatch::Kind;
  const auto baseline = read(line("a") + line("b"));
  const BaselineMachine machine{.gpu = "h100", .mig = {}, .power_limit_w = 700, .ecc = {}};
  EXPECT_EQ(find_in_baseline(baseline, "a", machine, "cupti-trace/1").kind, found);
  EXPECT_EQ(find_in_baseline(baseline, "a", machine, "cupti-trace/2").kind, other_method);
  EXPECT_EQ(find_in_baseline(baseline, "c", machine, "cupti-trace/1").kind, none);
  auto capped = machine;
  capped.power_limit_w = 500;
  EXPECT_EQ(find_in_baseline(baseline, "a", capped, "cupti-trace/1").kind, other_machine);
  capped.gpu = "a100";
  EXPECT_EQ(find_in_baseline(baseline, "a", capped, "cupti-trace/1").kind, none);
}

// ---------------------------------------------------------------- recording

FreshEntry fresh(const std::string& id, double time, const std::string& hash = "new",
                 const std::string& date = "2026-12-01") {
  FreshEntry made;
  made.entry.id = id;
  made.entry.machine = {.gpu = "h100", .mig = {}, .power_limit_w = 700, .ecc = {}};
  made.entry.method = "cupti-trace/1";
  made.entry.code_hash = hash;
  made.run_times = {time * 0.99, time, time * 1.01, time * 0.99, time * 1.01};
  made.entry.sessions.push_back({.date = date, .commit = "abc"});
  set_session(made, *session_time(made.run_times));
  return made;
}

Baseline recorded(int sessions, const std::string& hash = "old") {
  Baseline baseline{.file = "b.json", .entries = {}};
  for (int i = 0; i < sessions; ++i) {
    const auto one =
        fresh("a", 1e-4 * (1 + 0.002 * (i % 3)), hash, "2026-11-" + std::to_string(10 + i));
    record_session(baseline, {&one, 1});
  }
  return baseline;
}

struct RecordRow {
  const char* name;
  double time;
  const char* hash;
  Recording::Kind kind;
  std::size_t sessions;
};
const RecordRow kRecords[] = {
    {"same_time_is_appended", 1e-4, "new", Recording::Kind::appended, 7},
    {"slower_code_is_not_recorded", 1.1e-4, "new", Recording::Kind::slower, 6},
    {"slower_day_of_the_same_code_is", 1.1e-4, "old", Recording::Kind::appended, 7},
    {"faster_code_starts_anew", 0.8e-4, "new", Recording::Kind::restarted, 1},
    {"faster_day_of_the_same_code_does_not", 0.8e-4, "old", Recording::Kind::appended, 7},
};
class RecordTest : public ::testing::TestWithParam<RecordRow> {};
TEST_P(RecordTest, Becomes) {
  auto baseline = recorded(6);
  ASSERT_EQ(baseline.entries.size(), 1U);
  const auto one = fresh("a", GetParam().time, GetParam().hash);
  const auto outcomes = record_session(baseline, {&one, 1});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(name_of(outcomes[0].kind), name_of(GetParam().kind));
  EXPECT_EQ(baseline.entries[0].sessions.size(), GetParam().sessions);
}
INSTANTIATE_TEST_SUITE_P(Rows, RecordTest, ::testing::ValuesIn(kRecords),
                         [](auto& i) { return i.param.name; });

TEST(Record, TheLastTenSessionsStay) {
  const auto baseline = recorded(14);
  ASSERT_EQ(baseline.entries[0].sessions.size(), kMostSessions);
  EXPECT_EQ(baseline.entries[0].sessions.front().date, "2026-11-14");
  EXPECT_EQ(baseline.entries[0].sessions.back().date, "2026-11-23");
}

TEST(Record, TheSameSessionIsRecordedOnce) {
  auto baseline = recorded(3);
  const auto one = fresh("a", 1e-4, "old", "2026-11-10");
  EXPECT_EQ(record_session(baseline, {&one, 1})[0].kind, Recording::Kind::repeated);
  EXPECT_EQ(baseline.entries[0].sessions.size(), 3U);
}

TEST(Record, AnotherMethodIsNeverMixed) {
  auto baseline = recorded(3);
  auto one = fresh("a", 1e-4);
  one.entry.method = "cupti-trace/2";
  EXPECT_EQ(record_session(baseline, {&one, 1})[0].kind, Recording::Kind::refused);
  EXPECT_EQ(baseline.entries[0].sessions.size(), 3U);
  EXPECT_EQ(replace_entries(baseline, {&one, 1}, "new method")[0].kind, Recording::Kind::restarted);
  EXPECT_EQ(baseline.entries[0].reason, "new method");
}

TEST(Record, AnotherMachineHasItsOwnLine) {
  auto baseline = recorded(3);
  auto one = fresh("a", 2e-4);
  one.entry.machine.power_limit_w = 500;
  EXPECT_EQ(record_session(baseline, {&one, 1})[0].kind, Recording::Kind::added);
  EXPECT_EQ(baseline.entries.size(), 2U);
  EXPECT_TRUE(std::is_sorted(
      baseline.entries.begin(), baseline.entries.end(),
      [](const auto& a, const auto& b) { return describe(a.machine) < describe(b.machine); }));
}

TEST(Record, ALineOfANewerProgramIsNotRewritten) {
  auto baseline = read(line("a", R"(,"of_the_future":1)"));
  const auto one = fresh("a", 1e-4);
  const auto outcome = record_session(baseline, {&one, 1})[0];
  EXPECT_EQ(outcome.kind, Recording::Kind::refused);
  EXPECT_NE(outcome.why.find("of_the_future"), std::string::npos);
  EXPECT_EQ(replace_entries(baseline, {&one, 1}, "x")[0].kind, Recording::Kind::refused);
}

// ---------------------------------------------------------------- what is refused

ResultRecord result() {
  ResultRecord record;
  record.file = "run.json";
  record.gpu = {.id = "h100", .name = "H100", .ceilings = {}};
  record.environment.emplace();
  record.environment->method = "cupti-trace/1";
  ResultKernel kernel;
  kernel.id = kernel.name = "a";
  kernel.time_floor = Seconds(1e-4);
  kernel.measured.emplace();
  for (const double time : {1.20e-4, 1.21e-4, 1.22e-4})
    kernel.measured->runs.push_back({.launches = 50, .median = Seconds(time)});
  record.kernels.push_back(kernel);
  return record;
}

struct RefusalRow {
  const char* name;
  void (*spoil)(ResultRecord&);
  const char* says;
  bool disturbed = false;
};
const RefusalRow kRefusals[] = {
    {"good", [](ResultRecord&) {}, ""},
    {"cut_off", [](ResultRecord& record) { record.complete = false; }, "cut off"},
    {"empty", [](ResultRecord& record) { record.kernels.clear(); }, "no kernel"},
    {"simulated", [](ResultRecord& record) { record.simulated = true; }, "without a GPU"},
    {"exit_3",
     [](ResultRecord& record) {
       record.program = ResultProgram{.command = "x", .runs = 1, .exit_code = 3, .signal = {}};
     },
     "exit 3"},
    {"killed",
     [](ResultRecord& record) {
       record.program = ResultProgram{.command = "x", .runs = 1, .exit_code = {}, .signal = 9};
     },
     "signal 9"},
    {"throttled", [](ResultRecord& record) { record.environment->throttled_share = 0.2; },
     "throttled", true},
    {"shared", [](ResultRecord& record) { record.environment->other_processes = 1; },
     "1 other process used", true},
    {"clocks",
     [](ResultRecord& record) {
       record.environment->clock_min_mhz = 1580;
       record.environment->clock_median_mhz = 1800;
       record.environment->clock_max_mhz = 1965;
     },
     "1580 to 1965", true},
};
class RefusalTest : public ::testing::TestWithParam<RefusalRow> {};
TEST_P(RefusalTest, Says) {
  auto record = result();
  GetParam().spoil(record);
  const std::string says = GetParam().says;
  const auto why = refusal_of(record, false);
  EXPECT_EQ(why.empty(), says.empty());
  EXPECT_NE(why.find(says), std::string::npos) << why;
  if (GetParam().disturbed) {
    EXPECT_EQ(refusal_of(record, true), "");
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, RefusalTest, ::testing::ValuesIn(kRefusals),
                         [](auto& i) { return i.param.name; });

TEST(Fresh, ARunBecomesASession) {
  const auto record = result();
  const auto made = fresh_entry(record, record.kernels[0], "a", {"2026-12-01", "abc"});
  ASSERT_TRUE(made);
  const auto& session = made->entry.sessions.front();
  EXPECT_EQ(session.runs, 3);
  EXPECT_EQ(session.time_s, 1.21e-4);  // geometric mean 1.20997e-4, to four digits
  EXPECT_EQ(made->entry.launches, 50);
  EXPECT_EQ(made->entry.method, "cupti-trace/1");
}

TEST(Fresh, ATimeBelowTheFloorNeverBecomesABaseline) {
  auto record = result();
  record.kernels[0].time_floor = Seconds(1.25e-4);  // 1.21 / 1.25 = 0.968
  const auto made = fresh_entry(record, record.kernels[0], "a", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::not_recordable);
  record.kernels[0].time_floor =
      Seconds(1.23e-4);  // 0.984: inside what timers and floors are off by
  EXPECT_TRUE(fresh_entry(record, record.kernels[0], "a", {}));
}

TEST(Fresh, NoTimeNoSession) {
  auto record = result();
  record.kernels[0].measured->runs.clear();
  EXPECT_FALSE(fresh_entry(record, record.kernels[0], "a", {}));
  record.kernels[0].measured->time = Seconds(1.2e-4);
  EXPECT_EQ(fresh_entry(record, record.kernels[0], "a", {})->entry.sessions[0].runs, 1);
}

TEST(Compare, LineByLine) {
  using enum BaselineChange::Kind;
  const auto old = read(line("a") + line("b") + line("c") + line("d"));
  const auto now = read(line("a", "", "1.1e-4") + line("b", "", "0.9e-4") +
                        line("c", "", "1.003e-4") + line("e"));
  const auto changes = compare_baselines(old, now);
  ASSERT_EQ(changes.size(), 5U);
  const BaselineChange::Kind kinds[] = {loosened, tightened, same, gone, added};
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(name_of(changes[i].kind), name_of(kinds[i])) << changes[i].id;
}

}  // namespace
}  // namespace roofline
