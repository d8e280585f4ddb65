#include <gtest/gtest.h>

#include <cmath>

#include "own_file.hpp"

namespace roofline {
namespace {

TEST(Verify, PassesTheWholeTable) {
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus);
  int derived_again = 0, circular = 0, deviating = 0;
  for (const Gpu& gpu : *gpus) {
    const Verification result = verify(gpu);
    for (const std::string& failure : result.failures) ADD_FAILURE() << gpu.id << ": " << failure;
    for (const Check& check : result.checks) {
      (check.derived ? circular : derived_again) += 1;
      deviating += std::abs(check.deviation()) > 0.02;
    }
  }
  // The counts that check_gpus.py prints for the reference file.
  EXPECT_EQ(derived_again, 471);
  EXPECT_EQ(circular, 112);
  EXPECT_EQ(deviating, 14);
}

TEST(Verify, ShowsTheArithmetic) {
  const auto h100 = find_gpu("h100");
  ASSERT_TRUE(h100);
  for (const Check& check : verify(*h100).checks) {
    if (check.figure != "tensor/bf16") continue;
    EXPECT_EQ(check.arithmetic, "132 SM x 2048 FMA x 2 x 1830 MHz");
    EXPECT_EQ(check.stated, 989.4e12);
    EXPECT_EQ(check.unit, "FLOP/s");
    EXPECT_NEAR(check.computed, 132 * 2048 * 2 * 1.83e9, 1);
    return;
  }
  FAIL() << "tensor/bf16 was not derived again";
}

TEST(Verify, PassesAnOwnFileThatIsRight) {
  const auto gpu = read_own(std::string(kOwnFile));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  EXPECT_TRUE(verify(*gpu).failures.empty());
  EXPECT_EQ(verify(*gpu).checks.size(), 5u);
}

struct TamperedRow {
  const char *name, *from, *to, *says;
};
constexpr TamperedRow kTampered[] = {
    {"sparse_for_dense", "dense: 2.56 TFLOP/s", "dense: 5.12 TFLOP/s", "vector/fp32: stated 5.12 TFLOP/s, computed 2.56 TFLOP/s (-50.0 %"},
    {"three_percent", "value: 320 GB/s", "value: 310 GB/s", "dram: stated 310 GB/s, computed 320 GB/s"},
    {"clock", "value: 1 GHz", "value: 1.1 GHz", "tensor/bf16"},
    {"reason_that_explains_nothing", "peaks:", "expected_deviations: {dram: because}\npeaks:", "does not deviate"},
    {"sparse_ratio", "sparse: 20.48 TFLOP/s", "sparse: 40.96 TFLOP/s", "sparse / dense is 4, expected 2"},
    {"measured_above_peak", "value: 280 GB/s", "value: 380 GB/s", "above the peak"},
    {"l2_below_dram", "peaks:", "l2: {bandwidth: {value: 100 GB/s, source: test}}\npeaks:", "slower than DRAM"},
    {"fp64_above_fp32", "  vector:\n", "  vector:\n    fp64: {dense: 5 TFLOP/s, source: sheet}\n", "vector fp32"},
    {"int8_at_fp16_rate", "vendor: acme", "vendor: acme\narchitecture: hopper-gh100", "the chip does"},
    {"chip_of_another_family", "vendor: acme", "vendor: acme\narchitecture: hopper-gh100\ncupti_chip: {value: GA100, source: test}",
     "GA100 is not one of hopper-gh100"},
    {"type_the_chip_lacks", "vendor: acme", "vendor: acme\narchitecture: turing-tu10x", "lacks the type"},
};

class TamperedFile : public testing::TestWithParam<TamperedRow> {};

TEST_P(TamperedFile, FailsWithASentence) {
  const TamperedRow& row = GetParam();
  const auto gpu = read_own(replaced(std::string(kOwnFile), row.from, row.to));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  const auto failures = verify(*gpu).failures;
  const bool said = std::any_of(failures.begin(), failures.end(),
                                [&](const std::string& text) { return text.find(row.says) != std::string::npos; });
  EXPECT_TRUE(said) << (failures.empty() ? "no failure" : failures.front());
}

INSTANTIATE_TEST_SUITE_P(Rows, TamperedFile, testing::ValuesIn(kTampered), [](const auto& row) { return row.param.name; });

TEST(Verify, ARecordedReasonLetsADeviationPass) {
  const auto gpu = read_own(replaced(replaced(std::string(kOwnFile), "value: 320 GB/s", "value: 310 GB/s"), "peaks:",
                                     "expected_deviations: {dram: \"the vendor rounds down\"}\npeaks:"));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  const auto result = verify(*gpu);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.checks.back().reason, "the vendor rounds down");
}

TEST(Verify, HopperFp8IsTwiceFp16WhateverTheRatesSay) {
  const std::string text = R"(schema: roofline.gpu/1
id: my-h
vendor: nvidia
architecture: hopper-gh100
sources: {s: sheet}
dram: {bandwidth: {value: 3 TB/s, source: s}}
peaks:
  tensor:
    fp16: {dense: 100 TFLOP/s, source: s}
    fp8: {dense: 300 TFLOP/s, source: s}
)";
  const auto gpu = read_own(text);
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  const auto failures = verify(*gpu).failures;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures.front(), "tensor fp8 / tensor fp16 is 3, expected 2");
}

}  // namespace
}  // namespace roofline
