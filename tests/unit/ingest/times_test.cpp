#include "roofline/ingest/times.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "roofline/base/input.hpp"

namespace roofline {
namespace {

YamlDocument document(const std::string& path) {
  auto text = read_input(path, 1 << 24);
  auto read = read_yaml(text.value_or(""), path);
  return read ? *read : YamlDocument();
}
std::string shared(const std::string& path) {
  return std::string(ROOFLINE_SHARED) + "/corpus/bench/" + path;
}

const ResultKernel* find(const ResultRecord& record, std::string_view name) {
  for (const auto& kernel : record.kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

TEST(Nvbench, ReferenceFile) {
  const auto path = shared("nvbench_ref.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference file " << path;
  const auto json = document(path);
  ASSERT_EQ(harness_of(json), Harness::nvbench);
  const auto records = read_nvbench(json);
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  ASSERT_EQ(records->size(), 2U);  // devices 0 and 1
  EXPECT_EQ((*records)[0].gpu.name, "Quadro GV100");
  EXPECT_EQ((*records)[1].gpu.name, "Quadro GP100");
  // 88 states have times; of "copy_type_conversion_sweep" each device skips 19.
  EXPECT_EQ((*records)[0].kernels.size() + (*records)[1].kernels.size(), 88U);
  ASSERT_EQ((*records)[0].lost.size(), 1U);
  EXPECT_EQ((*records)[0].lost[0].count, 19);
  const auto* simple = find((*records)[0], "simple");
  ASSERT_NE(simple, nullptr);
  // In the file: nv/cold/time/gpu/mean 0.0010034715849794225, 499 samples.
  EXPECT_EQ(simple->measured->time->value(), 0.0010034715849794225);
  EXPECT_EQ(simple->measured->runs[0].launches, 499);
  EXPECT_EQ(simple->measured->timing, Timing::event);
  EXPECT_NE(find((*records)[0], "single_float64_axis[Duration=0.0001]"), nullptr);
}

TEST(GoogleBenchmark, ReferenceFile) {
  const auto path = shared("gbench_test1_run1.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference file " << path;
  const auto json = document(path);
  ASSERT_EQ(harness_of(json), Harness::google_benchmark);
  const auto records = read_google_benchmark(json);
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  const auto* same = find(records->front(), "BM_SameTimes");
  ASSERT_NE(same, nullptr);
  EXPECT_DOUBLE_EQ(same->measured->time->value(), 10e-9);  // 10 ns
}

TEST(GoogleBenchmark, RepetitionsAggregatesAndErrors) {
  const auto json = read_yaml(R"({"context": {}, "benchmarks": [
    {"name": "a/1", "run_name": "a", "run_type": "iteration", "real_time": 3, "time_unit": "us"},
    {"name": "a/2", "run_name": "a", "run_type": "iteration", "real_time": 1, "time_unit": "us"},
    {"name": "a/3", "run_name": "a", "run_type": "iteration", "real_time": 2, "time_unit": "us"},
    {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "real_time": 9},
    {"name": "b", "error_occurred": true, "error_message": "no device"}]})",
                              "b.json");
  ASSERT_TRUE(json);
  const auto records = read_google_benchmark(*json);
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  ASSERT_EQ(records->front().kernels.size(), 1U);
  const auto& run = records->front().kernels[0].measured->runs[0];
  EXPECT_DOUBLE_EQ(run.median->value(), 2e-6);
  EXPECT_DOUBLE_EQ(run.q1->value(), 1.5e-6);
  EXPECT_EQ(run.launches, 3);
  EXPECT_EQ(records->front().lost[0].count, 1);
}

// --benchmark_report_aggregates_only: the repetitions themselves are not in the file.
TEST(GoogleBenchmark, AggregatesAlone) {
  const auto json = read_yaml(R"({"context": {}, "benchmarks": [
    {"name": "a/8_mean", "run_name": "a/8", "run_type": "aggregate", "aggregate_name": "mean", "iterations": 3, "real_time": 12.5, "time_unit": "us"},
    {"name": "a/8_median", "run_name": "a/8", "run_type": "aggregate", "aggregate_name": "median", "iterations": 3, "real_time": 12, "time_unit": "us"},
    {"name": "a/8_cv", "run_name": "a/8", "run_type": "aggregate", "aggregate_name": "cv", "iterations": 3, "real_time": 0.01, "time_unit": "us"},
    {"name": "b_mean", "real_time": 7, "time_unit": "us", "iterations": 5},
    {"name": "b_stddev", "real_time": 1, "time_unit": "us", "iterations": 5},
    {"name": "c_BigO", "cpu_coefficient": 1, "big_o": "N"},
    {"name": "d", "run_type": "iteration", "skipped": true, "skip_message": "no device"}]})",
                              "b.json");
  ASSERT_TRUE(json);
  const auto records = read_google_benchmark(*json);
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  const auto& record = records->front();
  ASSERT_EQ(record.kernels.size(), 2U);
  EXPECT_EQ(record.kernels[0].name, "a/8");
  EXPECT_DOUBLE_EQ(record.kernels[0].measured->runs[0].median->value(), 12e-6);
  EXPECT_EQ(record.kernels[0].measured->runs[0].launches, 3);
  EXPECT_EQ(record.kernels[1].name, "b");
  EXPECT_DOUBLE_EQ(record.kernels[1].measured->runs[0].median->value(), 7e-6);
  ASSERT_EQ(record.lost.size(), 1U);
  EXPECT_EQ(record.lost[0].reason, "skipped by the benchmark");
}

TEST(TimeTable, RunsAndSamples) {
  const auto records = read_time_table(
      "id,run,time\ngemm,1,410 us\ngemm,1,412 us\ngemm,2,0.4 ms\nadd,1,12us\n", "t.csv");
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  ASSERT_EQ(records->front().kernels.size(), 2U);
  const auto& gemm = *find(records->front(), "gemm")->measured;
  ASSERT_EQ(gemm.runs.size(), 2U);
  EXPECT_DOUBLE_EQ(gemm.runs[0].median->value(), 411e-6);
  EXPECT_DOUBLE_EQ(gemm.runs[1].median->value(), 400e-6);
}

struct Refused {
  const char* name;
  const char* text;
  Code code;
  int line;
};
constexpr Refused kRefused[] = {
    {"no_unit", "id,time\ngemm,410\n", Code::needs_unit, 2},
    {"zero", "id,time\ngemm,1 us\nadd,0 us\n", Code::out_of_range, 3},
    {"nan", "id,time\ngemm,nan us\n", Code::bad_number, 2},
    {"no_column", "name,duration\ngemm,1 us\n", Code::missing_key, 1},
    {"no_id", "id,time\n,1 us\n", Code::missing_key, 2},
    {"open_quote", "id,time\n\"gemm,1 us\n", Code::wrong_type, 2},
};
class TimeTableRefused : public testing::TestWithParam<Refused> {};
TEST_P(TimeTableRefused, WithItsLine) {
  const auto records = read_time_table(GetParam().text, "t.csv");
  ASSERT_FALSE(records);
  const auto& error = records.error().front();
  EXPECT_EQ(code_name(error.code), code_name(GetParam().code)) << error.what;
  EXPECT_EQ(error.where.line, GetParam().line);
}
INSTANTIATE_TEST_SUITE_P(Rows, TimeTableRefused, testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace roofline
