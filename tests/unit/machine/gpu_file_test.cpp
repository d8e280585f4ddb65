#include <gtest/gtest.h>

#include "own_file.hpp"
#include "roofline/machine/embedded.hpp"

namespace roofline {
namespace {

TEST(OwnFile, IsReadWithItsSources) {
  const auto gpu = read_own(std::string(kOwnFile));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  EXPECT_EQ(gpu->id, "my-card");
  EXPECT_EQ(gpu->dram_bandwidth->value.value(), 320e9);
  EXPECT_EQ(gpu->memory_capacity->value.value(), 24.0 * (1 << 30));
  EXPECT_EQ(gpu->memory_bus_bits->value, Count(256));
  EXPECT_EQ(gpu->dram_bandwidth->origin.sources, (std::vector<std::string>{"sheet", "test"}));
  EXPECT_EQ(gpu->tensor[static_cast<std::size_t>(RateType::fp8)]->accumulate, DType::fp32);
  const auto source = find_source(*gpu, "test");
  ASSERT_TRUE(source);
  EXPECT_EQ(source->title, "my test");
  EXPECT_TRUE(find_source(*gpu, "h100-ds"));  // keys of the table stay usable
  EXPECT_FALSE(find_source(*gpu, "nonsense"));
}

TEST(OwnFile, MayOmitTheArchitectureAndThenHasNoMmaSyncCeiling) {
  const auto gpu = read_own(std::string(kOwnFile));
  ASSERT_TRUE(gpu);
  EXPECT_FALSE(gpu->chip);
  EXPECT_TRUE(gpu->tensor_unsupported.empty());
  for (const auto& peak : gpu->mma_sync) EXPECT_FALSE(peak);
}

TEST(OwnFile, WithAnArchitectureGetsItsMmaSyncCeiling) {
  const auto gpu = read_own(replaced(replaced(std::string(kOwnFile), "vendor: acme", "vendor: acme\narchitecture: blackwell-gb100"),
                                     "fma_per_clock_per_sm: 512", "fma_per_clock_per_sm: 4096"));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  const auto& lower = gpu->mma_sync[static_cast<std::size_t>(RateType::bf16)];
  ASSERT_TRUE(lower);
  EXPECT_EQ(lower->dense.value(), 10 * 1024 * 2 * 1e9);  // 10 SMs, the chip's mma.sync rate
}

TEST(OwnFile, AProductCutCutsTheMmaSyncCeiling) {
  const auto gpu = read_own(replaced(replaced(std::string(kOwnFile), "vendor: acme", "vendor: acme\narchitecture: blackwell-gb100"),
                                     "fma_per_clock_per_sm: 512", "fma_per_clock_per_sm: 2048"));
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->mma_sync[static_cast<std::size_t>(RateType::bf16)]->dense.value(), 10 * 512 * 2 * 1e9);
}

TEST(OwnFile, AttainableSharesOfItsOwnAreKept) {
  const auto gpu = read_own(std::string(kOwnFile) +
                            "attainable:\n  gemm: {bandwidth_share: 0.9, compute_share: 0.7, launch_floor: 3 us, source: test}\n");
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  ASSERT_EQ(gpu->attainable.size(), 1u);
  EXPECT_EQ(gpu->attainable[0].op_class, "gemm");
  EXPECT_EQ(gpu->attainable[0].bandwidth_share, 0.9);
  EXPECT_EQ(gpu->attainable[0].compute_share, 0.7);
  EXPECT_EQ(gpu->attainable[0].launch_floor.value(), 3e-6);
}

struct BadRow {
  const char *name, *from, *to;
  Code code;
  int line;
  const char* says;  ///< part of the message
};
constexpr BadRow kBad[] = {
    {"no_unit", "320 GB/s", "320", Code::needs_unit, 15, "dram bandwidth"},
    {"other_dimension", "24 GiB", "24 GB/s", Code::wrong_unit, 12, "dram capacity"},
    {"no_source", "1 GHz, source: sheet", "1 GHz", Code::missing_key, 10, "source"},
    {"unknown_source", "24 GiB, source: sheet", "24 GiB, source: shet", Code::unknown_name, 12, "shet"},
    {"unknown_source_in_list", "[sheet, test]", "[sheet, tst]", Code::unknown_name, 15, "tst"},
    {"bare_value", "{value: 10, source: sheet}", "10", Code::wrong_type, 8, "sm_count"},
    {"unknown_key", "boost: {value", "bost: {value", Code::unknown_key, 10, "bost"},
    {"unknown_top_key", "sm_count:", "sm_cont:", Code::unknown_key, 8, "sm_cont"},
    {"unknown_figure_key", "source: test}\npeaks", "source: test, nte: x}\npeaks", Code::unknown_key, 16, "nte"},
    {"negative", "320 GB/s", "-320 GB/s", Code::out_of_range, 15, "negative"},
    {"zero", "320 GB/s", "0 GB/s", Code::out_of_range, 15, "greater than zero"},
    {"nan", "320 GB/s", "nan GB/s", Code::bad_number, 15, "dram bandwidth"},
    {"infinite", "320 GB/s", "inf GB/s", Code::bad_number, 15, "dram bandwidth"},
    {"too_large", "320 GB/s", "1e400 GB/s", Code::out_of_range, 15, "dram bandwidth"},
    {"hexadecimal", "value: 10,", "value: 0x10,", Code::bad_number, 8, "sm_count"},
    {"half_an_sm", "value: 10,", "value: 10.5,", Code::bad_number, 8, "whole number"},
    {"unknown_architecture", "vendor: acme", "vendor: acme\narchitecture: hoper-gh100", Code::unknown_name, 5, "hoper-gh100"},
    {"unknown_rate_type", "    bf16:", "    bf61:", Code::unknown_dtype, 21, "bf61"},
    {"unknown_clock", "1024, clock: boost, accumulate", "1024, clock: turbo, accumulate", Code::unknown_name, 22, "boost or tensor"},
    {"unknown_accumulator", "accumulate: fp32", "accumulate: fp33", Code::unknown_dtype, 22, "fp33"},
    {"flop_for_op", "20.48 TOP/s", "20.48 TFLOP/s", Code::wrong_unit, 23, "int8"},
    {"wrong_schema", "roofline.gpu/1", "roofline.gpu/2", Code::unknown_name, 1, "roofline.gpu/1"},
    {"bad_id", "id: my-card", "id: My_Card", Code::unknown_name, 2, "lower-case"},
    {"reason_for_nothing", "peaks:", "expected_deviations: {tensor/fp4: why}\npeaks:", Code::unknown_name, 17, "tensor/fp4"},
    {"share_above_one", "peaks:",
     "attainable: {gemm: {bandwidth_share: 1.2, compute_share: 1, launch_floor: 1 us, source: test}}\npeaks:",
     Code::out_of_range, 17, "share"},
    {"half_a_launch_floor", "peaks:", "launch_floor: {stream: {value: 1 us, source: test}}\npeaks:", Code::missing_key, 17, "graph"},
    {"sources_as_list", "sources:\n  sheet: \"Data sheet of my card\"\n  test: {title: \"my test\", seen: direct}", "sources: [sheet]",
     Code::wrong_type, 5, "sources"},
};

class BadFile : public testing::TestWithParam<BadRow> {};

TEST_P(BadFile, IsRefusedAtItsPlace) {
  const BadRow& row = GetParam();
  const auto gpu = read_own(replaced(std::string(kOwnFile), row.from, row.to));
  ASSERT_FALSE(gpu);
  const Error& error = gpu.error().front();
  EXPECT_EQ(error.code, row.code) << format_errors(gpu.error(), false);
  EXPECT_EQ(error.where.line, row.line) << format_errors(gpu.error(), false);
  EXPECT_EQ(error.where.file, "own.yaml");
  EXPECT_GT(error.where.column, 0);
  EXPECT_NE((error.what + error.hint).find(row.says), std::string::npos) << format_errors(gpu.error(), false);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadFile, testing::ValuesIn(kBad), [](const auto& row) { return row.param.name; });

struct MissingRow {
  const char *name, *from, *key;
};
constexpr MissingRow kMissing[] = {
    {"id", "id: my-card\n", "id"},
    {"vendor", "vendor: acme\n", "vendor"},
    {"schema", "schema: roofline.gpu/1\n", "schema"},
    {"bandwidth", "  bandwidth: {value: 320 GB/s, source: [sheet, test]}\n", "bandwidth"},
};

TEST(OwnFile, NeedsItsKeys) {
  for (const MissingRow& row : kMissing) {
    const auto gpu = read_own(replaced(std::string(kOwnFile), row.from, ""));
    ASSERT_FALSE(gpu) << row.name;
    EXPECT_EQ(gpu.error().front().code, Code::missing_key) << row.name;
    EXPECT_NE(gpu.error().front().what.find(row.key), std::string::npos) << row.name;
  }
}

TEST(OwnFile, NeedsAPeak) {
  const std::string text(kOwnFile.substr(0, kOwnFile.find("peaks:")));
  const auto none = read_own(text), empty = read_own(text + "peaks: {vector: {}}\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().front().code, Code::missing_key);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().front().code, Code::missing_key);
}

TEST(OwnFile, AllErrorsAreReportedTogether) {
  std::string text(kOwnFile);
  text = replaced(text, "320 GB/s", "320");
  text = replaced(text, "1 GHz", "1 GB");
  text = replaced(text, "    bf16:", "    bf61:");
  const auto gpu = read_own(text);
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().size(), 3u) << format_errors(gpu.error(), false);
}

TEST(OwnFile, OfTheWrongShapeIsAnErrorAndNoCrash) {
  for (const char* text : {"a", "[]", "- a", "{}", "peaks: 1", "schema: roofline.gpu/1\npeaks: []\ndram: []\nclocks: 3\n",
                           "schema: [roofline.gpu/1]\n", "schema: roofline.gpu/1\npeaks: {tensor: {bf16: 5}}\n",
                           "schema: roofline.gpu/1\nattainable: [1]\nexpected_deviations: 7\nlaunch_floor: []\n",
                           "dram: {bandwidth: {value: [1, 2], source: {a: b}}}\n", "sources: {a: [1]}\n"}) {
    EXPECT_FALSE(read_own(text)) << text;
  }
}

TEST(Template, ReadsAndVerifiesAsItStands) {
  const auto gpu = read_own(std::string(embedded_file("template.yaml")));
  ASSERT_TRUE(gpu) << format_errors(gpu.error(), false);
  EXPECT_TRUE(verify(*gpu).failures.empty());
  EXPECT_GE(verify(*gpu).checks.size(), 6u);
}

TEST(EmbeddedFile, OfAnotherNameIsEmpty) { EXPECT_TRUE(embedded_file("schemas/none.json").empty()); }

}  // namespace
}  // namespace roofline
