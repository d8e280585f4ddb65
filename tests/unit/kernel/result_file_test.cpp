#include "roofline/kernel/result.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

Checked<std::vector<ResultRecord>> read(const std::string& text) {
  const auto document = read_yaml(text, "run.json", result_limits());
  if (!document) return tl::unexpected(document.error());
  return read_results(*document);
}

// By hand, after docs/formats.md.
constexpr const char* kProfile = R"({"schema": "roofline.result/1",
 "tool": {"name": "roofline", "version": "0.1.0"},
 "gpu": {"id": "h100-sxm5-80gb", "name": "NVIDIA H100 SXM5 80GB",
  "ceilings": [{"resource": "dram", "kind": "datasheet", "value": 3.35e12, "unit": "B/s"}]},
 "program": {"command": "./bench", "runs": 2, "exit_code": 0},
 "environment": {"driver": "580.65", "power_limit_w": 700, "ecc": true, "mig": null,
  "sm_clock_mhz": {"min": 1740, "median": 1755, "max": 1770}, "throttled_share": 0.01, "other_processes": 0,
  "cold": true, "method": "cupti-trace/1"},
 "ranges": [{"name": "", "runs": [{"launches": 100, "time_s": 0.05, "idle_s": 0.01}, {"launches": 100}]}],
 "complete": false,
 "kernels": [{"id": "fused", "name": "rms_silu_gate_add", "grid": [132, 1, 1], "registers": 168, "code_hash": "ab12",
  "matched": true, "time_floor_s": 1.2e-4, "bytes": 402653184, "bound": "memory", "new_key": [1, {"a": 2}],
  "resource_time_s": {"dram": 1.2e-4},
  "measured": {"time_s": 4e-4, "timing": "kernel", "samples": 100,
   "runs": [{"launches": 50, "median_s": 4e-4, "q1_s": 3.9e-4, "q3_s": 4.1e-4}], "dram_bytes": 926102323,
   "counters": {"dram__bytes_read.sum": 1}}},
  {"name": "other"}],
 "coverage": {"kernels": 2, "matched": 1, "lost": [{"reason": "dropped", "count": 3}]}})";

TEST(ResultFile, EveryPartOfAProfile) {
  const auto records = read(kProfile);
  ASSERT_TRUE(records) << format_errors(records.error(), false);
  ASSERT_EQ(records->size(), 1U);
  const auto& record = records->front();
  EXPECT_EQ(record.file, "run.json");
  EXPECT_EQ(record.gpu.id, "h100-sxm5-80gb");
  ASSERT_EQ(record.gpu.ceilings.size(), 1U);
  EXPECT_EQ(record.gpu.ceilings[0].per_second, 3.35e12);
  EXPECT_EQ(record.program->exit_code, 0);
  EXPECT_FALSE(record.program->signal);
  EXPECT_EQ(record.environment->power_limit_w, 700);
  EXPECT_EQ(record.environment->clock_max_mhz, 1770);
  EXPECT_EQ(record.environment->mig, "");
  EXPECT_TRUE(record.environment->cold);
  EXPECT_FALSE(record.complete);
  ASSERT_NE(record.find_range(""), nullptr);
  EXPECT_EQ(record.find_range("")->runs[0].idle->value(), 0.01);
  EXPECT_FALSE(record.find_range("")->runs[1].time);
  ASSERT_EQ(record.kernels.size(), 2U);
  const auto& kernel = record.kernels[0];
  EXPECT_EQ(kernel.id, "fused");
  EXPECT_EQ((*kernel.grid)[0], 132);
  EXPECT_EQ(kernel.line, 11);
  EXPECT_EQ(kernel.time_floor->value(), 1.2e-4);
  EXPECT_EQ(kernel.resource_times[0].first, "dram");
  EXPECT_EQ(kernel.measured->timing, Timing::kernel);
  EXPECT_EQ(kernel.measured->runs[0].q3->value(), 4.1e-4);
  EXPECT_FALSE(kernel.measured->runs[0].max);
  EXPECT_EQ(record.kernels[1].id, "other");
  EXPECT_EQ(record.lost[0].count, 3);
}

TEST(ResultFile, SeveralGpus) {
  const auto records = read(
      R"({"schema": "roofline.result/1", "results": [{"gpu": {"id": "a"}, "kernels": []}, {"gpu": {"id": "b"}}]})");
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ((*records)[1].gpu.id, "b");
}

struct Refused {
  const char* name;
  const char* text;
  Code code;
  int line, column;
  const char* says;
};
constexpr Refused kRefused[] = {
    {"another_version", R"({"schema": "roofline.result/2"})", Code::wrong_type, 1, 12,
     "roofline.result/2"},
    {"no_schema", R"({"kernels": []})", Code::missing_key, 1, 1, "no roofline result"},
    {"a_list", "[1]", Code::wrong_type, 1, 1, "must be a map"},
    {"truncated", R"({"schema": "roofline.result/1", "kernels": [{"name": "a")", Code::yaml_syntax,
     1, 45, "never closed"},
    {"cut_inside_a_word", R"({"schema": "roofline.result/1", "kernels": [{"name": "a)",
     Code::yaml_syntax, 1, 54, "never closed"},
    {"negative_time",
     R"({"schema": "roofline.result/1", "kernels": [{"measured": {"time_s": -1}}]})",
     Code::out_of_range, 1, 69, "negative"},
    {"nan", R"({"schema": "roofline.result/1", "kernels": [{"measured": {"time_s": NaN}}]})",
     Code::bad_number, 1, 69, "NaN"},
    {"infinite", R"({"schema": "roofline.result/1", "kernels": [{"measured": {"time_s": 1e999}}]})",
     Code::out_of_range, 1, 69, ""},
    {"text_for_a_number",
     R"({"schema": "roofline.result/1", "kernels": [{"measured": {"time_s": "1"}}]})",
     Code::wrong_type, 1, 69, "a number"},
    {"half_a_launch", R"({"schema": "roofline.result/1", "kernels": [{"launches": 1.5}]})",
     Code::wrong_type, 1, 58, "whole number"},
    {"two_of_three", R"({"schema": "roofline.result/1", "kernels": [{"grid": [1, 2]}]})",
     Code::wrong_type, 1, 54, "three"},
    {"kernels_as_a_map", R"({"schema": "roofline.result/1", "kernels": {}})", Code::wrong_type, 1,
     44, "a list"},
    {"key_twice", R"({"schema": "roofline.result/1", "kernels": [], "kernels": []})",
     Code::duplicate_key, 1, 48, ""},
};

class ResultFileRefused : public testing::TestWithParam<Refused> {};
TEST_P(ResultFileRefused, WithItsPlace) {
  const auto& row = GetParam();
  const auto records = read(row.text);
  ASSERT_FALSE(records);
  ASSERT_EQ(records.error().size(), 1U) << format_errors(records.error(), false);
  const auto& error = records.error().front();
  EXPECT_EQ(code_name(error.code), code_name(row.code)) << error.what;
  EXPECT_EQ(error.where.line, row.line) << error.what;
  EXPECT_EQ(error.where.column, row.column) << error.what;
  EXPECT_NE(error.what.find(row.says), std::string::npos) << error.what;
}
INSTANTIATE_TEST_SUITE_P(Rows, ResultFileRefused, testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

std::string nested(int depth) {
  return R"({"schema": "roofline.result/1", "x": )" + std::string(depth, '[') +
         std::string(depth, ']') + "}";
}

TEST(ResultFile, DepthHasALimit) {
  EXPECT_TRUE(read(nested(kMostResultDepth - 1)));
  const auto deep = read(nested(kMostResultDepth));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().front().code, Code::limit_exceeded);
}

TEST(ResultFile, RecordsHaveALimit) {
  std::string text = R"({"schema": "roofline.result/1", "ranges": [{"name": "", "runs": [{})";
  for (std::size_t i = 0; i < kMostResultRecords; ++i) text += ",{}";
  const auto many = read(text + "]}]}");
  ASSERT_FALSE(many);
  ASSERT_EQ(many.error().size(), 1U);
  EXPECT_EQ(many.error().front().code, Code::limit_exceeded);
}

}  // namespace
}  // namespace roofline
