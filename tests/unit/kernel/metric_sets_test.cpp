// The data of specs/cupti/metrics.yaml, and which set a kernel takes.
#include "roofline/kernel/metric_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernel/metrics/metrics_file.hpp"
#include "roofline/base/input.hpp"
#include "roofline/kernel/machine_code.hpp"
#include "roofline/kernel/metric_choice.hpp"

namespace roofline {
namespace {

namespace mc = machine_code;

bool holds(const std::vector<const char*>& metrics, std::string_view name) {
  return std::any_of(metrics.begin(), metrics.end(), [&](std::string_view m) { return m == name; });
}

TEST(MetricSets, EveryFamilyHasItsSets) {
  std::set<std::string_view> chips;
  for (const auto& family : metric_families()) {
    SCOPED_TRACE(family.name);
    for (const std::string_view chip : family.chips) EXPECT_TRUE(chips.insert(chip).second) << chip;
    EXPECT_FALSE(family.core.hw.empty());
    EXPECT_FALSE(family.sass.empty());
    EXPECT_FALSE(family.peaks.empty());
    EXPECT_EQ(family.core.hw_passes,
              1);  // two passes with the instrumented one: the promise of counter mode
    EXPECT_EQ(family.tensor.empty(), family.tensor_all.hw.empty());
    for (const auto& row : family.tensor) EXPECT_NE(row.types, 0u) << row.name;
  }
  EXPECT_EQ(chips.size(), 29u);
  EXPECT_EQ(find_metric_family("GH100")->compute_capability, "9.0");
  EXPECT_EQ(find_metric_family("GB205")->name, "GB202");
  EXPECT_EQ(find_metric_family("GX999"), nullptr);
}

TEST(MetricSets, NoSetCountsATypeTwice) {
  for (const auto& family : metric_families())
    for (const auto& row : family.tensor) {
      std::set<std::string_view> seen;
      for (const std::string_view metric : row.set.hw)
        EXPECT_TRUE(seen.insert(metric).second) << family.name << row.name << metric;
    }
}

struct ChoiceRow {
  const char* name;
  const char* chip;
  std::uint64_t tensor;
  bool instrumented;
  const char* set;
  int passes;
  const char* counter;  // must be among the metrics
};
constexpr ChoiceRow kChoices[] = {
    {"no_tensor_work", "GH100", 0, true, "core", 2, "dram__bytes_read.sum"},
    {"without_instrumentation", "GH100", 0, false, "core", 1, "dram__bytes_read.sum"},
    {"bf16_on_hopper", "GH100", mc::kBf16 | mc::kWgmma, true, "bf16", 2,
     "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
    {"fp16_by_wgmma_in_two_passes", "GH100", mc::kFp16 | mc::kWgmma, true, "fp16_wgmma", 2,
     "sm__ops_path_tensor_op_hgmma_src_fp16.sum"},
    {"fp16_by_mma_sync_in_two_passes", "GH100", mc::kFp16 | mc::kMmaSync, true, "fp16_mma_sync", 2,
     "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum"},
    {"fp16_by_both_paths", "GH100", mc::kFp16 | mc::kMmaSync | mc::kWgmma, true, "fp16", 3,
     "sm__ops_path_tensor_src_fp16.sum"},
    {"fp16_sums_by_mma_sync_on_hopper", "GH100", mc::kFp16 | mc::kFp16Accumulate | mc::kMmaSync,
     true, "several types", 0, "sm__ops_path_tensor_src_fp16.sum"},
    {"int8_by_wgmma", "GH100", mc::kInt8 | mc::kWgmma, true, "int8_wgmma", 2,
     "sm__ops_path_tensor_op_igmma_src_int8.sum"},
    {"int8_by_mma_sync", "GH100", mc::kInt8 | mc::kMmaSync, true, "int8", 3,
     "sm__ops_path_tensor_src_int8.sum"},
    {"fp16_on_ampere", "GA100", mc::kFp16 | mc::kMmaSync, true, "fp16_acc32", 2,
     "sm__ops_path_tensor_src_fp16_dst_fp32.sum"},
    {"fp16_sums_on_ampere", "GA100", mc::kFp16 | mc::kFp16Accumulate | mc::kMmaSync, true,
     "several types", 0, "sm__ops_path_tensor_src_fp16_dst_fp16.sum"},
    {"two_types", "GH100", mc::kBf16 | mc::kFp8 | mc::kWgmma, true, "several types", 0,
     "sm__ops_path_tensor_src_fp8.sum"},
    {"a_run_time_type", "GB100", mc::kFp16OrBf16 | mc::kTcgen05, true, "all types", 4,
     "sm__ops_path_tensor_src_bf16_dst_fp32_realtime.sum"},
    {"scaled_fp4", "GB100", mc::kScaledFp4 | mc::kTcgen05, true, "fp4_block_scaled", 2,
     "sm__ops_path_tensor_src_fp4_dst_fp32.sum"},
    {"narrow_run_time_type_with_a_joint_counter", "GB100", mc::kFp8Fp6Fp4 | mc::kTcgen05, true,
     "several types", 0, "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32_realtime.sum"},
    {"no_tensor_cores", "TU117", mc::kFp16 | mc::kMmaSync, true, "core", 2, "dram__bytes_read.sum"},
    {"an_unknown_type", "GA100", mc::kFp8 | mc::kMmaSync, true, "all types", 9,
     "sm__ops_path_tensor_src_int8.sum"},
    {"peaks_come_along", "GH100", 0, false, "core", 1, "dram__bytes.sum.peak_sustained"},
};
class MetricChoices : public testing::TestWithParam<ChoiceRow> {};
TEST_P(MetricChoices, FollowTheMachineCode) {
  const auto& row = GetParam();
  const auto choice = choose_metrics(*find_metric_family(row.chip), row.tensor, row.instrumented);
  EXPECT_EQ(choice.name, row.set);
  EXPECT_EQ(choice.expected_passes, row.passes);
  EXPECT_TRUE(holds(choice.metrics, row.counter));
  EXPECT_EQ(holds(choice.metrics, "smsp__sass_inst_executed.sum"), row.instrumented);
  std::set<std::string_view> once(choice.metrics.begin(), choice.metrics.end());
  EXPECT_EQ(once.size(), choice.metrics.size());
}
INSTANTIATE_TEST_SUITE_P(Rows, MetricChoices, testing::ValuesIn(kChoices),
                         [](auto& i) { return i.param.name; });

// HMMA.16816.F16 and HMMA.16816.F32 of ptxas 13.0 for sm_80: bit 4 of the modifiers is the type of
// the sums.
TEST(MachineCode, SumsOfFp16AreTold) {
  EXPECT_TRUE(mc::detail::hmma({0x23c, 0x8 << 8}) & mc::kFp16Accumulate);
  EXPECT_FALSE(mc::detail::hmma({0x23c, 0x18 << 8}) & mc::kFp16Accumulate);
  EXPECT_FALSE(mc::detail::hmma({0x23c, 0x408 << 8}) &
               mc::kFp16Accumulate);  // bf16 has no such form
}

struct FileRow {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};
constexpr FileRow kFaults[] = {
    {"another_schema", "roofline.metrics/1", "roofline.metrics/2", "schema"},
    {"an_unknown_role", "time_ns:", "time_nz:", "no figure is computed from"},
    {"an_unknown_list", "sass: s4", "sass: s9", "sass_lists"},
    {"an_unknown_type", "types: [fp4_scaled]", "types: [fp5]", "no tensor type"},
    {"no_passes", "hw_passes: 1", "hw_passes: 0", "number of passes"},
    {"a_counter_without_a_meaning", "\"tensor:int4\": [sm__ops_path_tensor_src_int4.sum]",
     "\"tensor:int4\": []", "has no row"},
};
class MetricsFileFaults : public testing::TestWithParam<FileRow> {};
TEST_P(MetricsFileFaults, AreRefusedWithTheirPlace) {
  const std::string path = ROOFLINE_SOURCE_DIR "/specs/cupti/metrics.yaml";
  std::string text = *read_input(path, std::size_t{4} << 20);
  ASSERT_TRUE(read_metrics(*read_yaml(text, path)));
  const auto at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string_view(GetParam().from).size(), GetParam().to);
  const auto file = read_metrics(*read_yaml(text, path));
  ASSERT_FALSE(file);
  EXPECT_NE(file.error()[0].what.find(GetParam().message), std::string::npos)
      << file.error()[0].what;
  EXPECT_GT(file.error()[0].where.line, 0);
}
INSTANTIATE_TEST_SUITE_P(Rows, MetricsFileFaults, testing::ValuesIn(kFaults),
                         [](auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
