#include <map>

#include "unit/analysis/described.hpp"

namespace roofline {
namespace {

struct Row {
  const char* name;
  const char* gpu;
  const char* entry;
  Status status;
  Bound bound;
  Confidence confidence;
};

class MeasuredVerdictTest : public testing::TestWithParam<Row> {};

// Floors by hand: 4096^3 bf16 on H100 is 137.4 GFLOP / 989.4 TFLOP/s = 138.9 us; an fp32 add of 67 108 864 elements is
// 805.3 MB / 3.35 TB/s = 240.4 us. Thresholds: docs/model.md. Rows that begin with published_ are of the H100/H200
// pairs of truth/measured, with the gain that the H200 brought.
const Row kRows[] = {
    {"faster_than_the_floor", "h100", "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 130 us, timing: kernel}",
     Status::impossible, Bound::compute, Confidence::floor},
    {"within_the_tolerance", "h100", "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 137 us, timing: kernel}",
     Status::at_ceiling, Bound::compute, Confidence::high},
    {"near_compute", "h100", "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 200 us, timing: kernel}",
     Status::near, Bound::compute, Confidence::high},
    {"under_the_roof_keeps_its_ceiling", "h100", "{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 400 us, timing: kernel}",
     Status::under_roof, Bound::compute, Confidence::floor},
    {"stream_at_its_ceiling", "h100",
     "{op: elementwise, shape: [67108864], inputs: [[67108864], [67108864]], flops_per_element: 1, dtype: fp32, time: 262 us, timing: kernel}",
     Status::at_ceiling, Bound::memory, Confidence::high},
    {"stream_likely", "h100",
     "{op: elementwise, shape: [67108864], inputs: [[67108864], [67108864]], flops_per_element: 1, dtype: fp32, time: 320 us, timing: kernel}",
     Status::near, Bound::memory, Confidence::likely},
    {"stream_far_away", "h100",
     "{op: elementwise, shape: [67108864], inputs: [[67108864], [67108864]], flops_per_element: 1, dtype: fp32, time: 600 us, timing: kernel}",
     Status::under_roof, Bound::memory, Confidence::floor},
    {"fits_the_l2_proves_nothing", "h100",
     "{op: elementwise, shape: [1048576], inputs: [[1048576], [1048576]], flops_per_element: 1, dtype: fp32, time: 4.3 us, timing: kernel}",
     Status::at_ceiling, Bound::memory, Confidence::floor},
    // 1 us of DRAM, 30 us of time: less work than a launch.
    {"less_work_than_a_launch", "h100",
     "{op: elementwise, shape: [262144], inputs: [[262144], [262144]], flops_per_element: 1, dtype: fp32, time: 30 us, timing: kernel}",
     Status::under_roof, Bound::overhead, Confidence::floor},
    {"two_launch_floors_of_the_class", "h100", "{op: gemm, m: 64, n: 4096, k: 2048, dtype: bf16, time: 5.7 us, timing: graph}",
     Status::at_ceiling, Bound::overhead, Confidence::floor},
    {"in_a_trace_the_class_says_nothing", "h100", "{op: gemm, m: 64, n: 4096, k: 2048, dtype: bf16, time: 5.7 us, timing: kernel}",
     Status::at_ceiling, Bound::memory, Confidence::floor},
    // The datapath needs 0.81 of the time of DRAM: a high fraction proves neither.
    {"balanced_is_never_high", "h100", "{op: gemm, m: 256, n: 16384, k: 16384, dtype: bf16, time: 190 us, timing: graph}",
     Status::at_ceiling, Bound::memory, Confidence::floor},
    {"published_compute_no_gain", "h100", "{op: gemm, m: 4096, n: 2048, k: 8192, dtype: bf16, time: 180 us, timing: graph}",
     Status::near, Bound::compute, Confidence::high},
    // 1025 x 1536 x 5120 took 30.98 us and gained 1.32.
    {"published_near_the_ridge_is_undecided", "h100",
     "{op: gemm, m: 1025, n: 1536, k: 5120, dtype: bf16, time: 30.98 us, timing: graph}", Status::under_roof, Bound::unknown,
     Confidence::floor},
    // 4353 x 16384 x 51200 fp8 took 12.24 ms and gained 1.37: the module quantises its operands.
    {"published_narrow_module_is_undecided", "h100",
     "{op: gemm, m: 4353, n: 16384, k: 51200, dtypes: {a: fp8_e4m3, b: fp8_e4m3, d: bf16}, time: 12.2361 ms, timing: graph}",
     Status::under_roof, Bound::unknown, Confidence::floor},
    {"a_narrow_kernel_in_a_trace_is_one_kernel", "h100",
     "{op: gemm, m: 4353, n: 16384, k: 51200, dtypes: {a: fp8_e4m3, b: fp8_e4m3, d: bf16}, time: 12.2361 ms, timing: kernel}",
     Status::under_roof, Bound::compute, Confidence::floor},
};

TEST_P(MeasuredVerdictTest, IsAsTheDefinitionSays) {
  const auto& row = GetParam();
  const auto verdict = verdict_of(row.entry, row.gpu);
  ASSERT_TRUE(verdict.measured.has_value());
  EXPECT_EQ(status_name(verdict.measured->status), status_name(row.status)) << verdict.measured->fraction_of_ceiling;
  EXPECT_EQ(bound_name(verdict.bound), bound_name(row.bound));
  EXPECT_EQ(confidence_name(verdict.confidence), confidence_name(row.confidence));
}

INSTANTIATE_TEST_SUITE_P(Rows, MeasuredVerdictTest, testing::ValuesIn(kRows), [](auto& row) { return row.param.name; });

TEST(MeasuredVerdict, ATimeBelowItsFloorNamesCausesAlsoWithinTheTolerance) {
  const auto verdict = verdict_of("{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 138 us, timing: kernel}", "h100");
  EXPECT_EQ(verdict.measured->status, Status::at_ceiling);
  ASSERT_FALSE(verdict.measured->causes.empty());
  EXPECT_EQ(verdict.measured->causes.front().code, "clock_above_sheet");
}

TEST(MeasuredVerdict, ShortTimesNeedToKnowHowTheyWereTaken) {
  const char* entry = "{op: elementwise, shape: [1048576], inputs: [[1048576]], flops_per_element: 1, dtype: fp32, time: 4 us%s}";
  const auto with = [&](const char* timing) {
    std::string text = entry;
    return text.replace(text.find("%s"), 2, timing);
  };
  const auto& gpu = known_gpu("h100");
  EXPECT_TRUE(timing_decides(verdict_of(with(""), "h100"), gpu));
  EXPECT_FALSE(timing_decides(verdict_of(with(", timing: graph"), "h100"), gpu));
}

}  // namespace
}  // namespace roofline
