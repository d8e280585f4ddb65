// What public documents say of these accelerators must come out of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

Gpu gpu(std::string_view name) {
  auto found = find_gpu(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : Gpu();
}

const Peak& peak(const Gpu& gpu, bool vector, RateType type) {
  static const Peak kNone;
  const auto& found = (vector ? gpu.vector : gpu.tensor)[static_cast<std::size_t>(type)];
  EXPECT_TRUE(found) << gpu.id << " " << rate_name(type);
  return found ? *found : kNone;
}

double tensor(std::string_view name, RateType type = RateType::bf16) { return peak(gpu(name), false, type).dense.value(); }
double bandwidth(std::string_view name) { return gpu(name).dram_bandwidth->value.value(); }
double ridge(std::string_view name, RateType type = RateType::bf16) { return tensor(name, type) / bandwidth(name); }

// The statements that check_gpus.py asserts.
TEST(Claims, OfTheRooflineArticles) {
  EXPECT_EQ(std::round(tensor("h100") / 1e12), 989);
  EXPECT_EQ(tensor("h100"), 989.4e12);
  EXPECT_EQ(bandwidth("h100"), 3.35e12);
  EXPECT_EQ(std::round(ridge("h100")), 295);
  EXPECT_EQ(std::round(bandwidth("h100") / 12 / 1e12 * 100) / 100, 0.28);  // elementwise add: 1 FLOP per 12 bytes
  EXPECT_EQ(3 * std::round(ridge("h100")), 885);                          // square product: N / 3 meets the ridge
  EXPECT_EQ(std::round(402e6 / bandwidth("h100") * 1e6), 120);
  EXPECT_EQ(std::round(1342e6 / bandwidth("h100") * 1e5) * 10, 400);
  EXPECT_EQ(tensor("h200"), tensor("h100"));
  EXPECT_EQ(std::round(100 * (bandwidth("h200") / bandwidth("h100") - 1)), 43);
  EXPECT_EQ(std::round(10 * tensor("b200") / tensor("h100")), 23);
  EXPECT_EQ(std::round(10 * bandwidth("b200") / bandwidth("h100")), 23);
  EXPECT_NEAR(ridge("b200") / ridge("h100"), 1, 0.02);
  EXPECT_NEAR(ridge("b200", RateType::fp4) / ridge("b200"), 4, 0.1);
  EXPECT_GT(ridge("h100") / ridge("a100-80gb"), 1.8);
  EXPECT_LT(ridge("h100") / ridge("a100-80gb"), 2.1);
  EXPECT_NEAR(ridge("h100", RateType::fp8) / ridge("h100"), 2, 0.02);
}

struct RidgeRow {
  const char* gpu;
  double fp32, tf32, bf16, fp8, fp4, int8;  // 0: not given
};
// The table of ridge points in the notes to the reference file, section 10; fp16 where there is no bf16.
constexpr RidgeRow kRidges[] = {
    {"v100-sxm2", 17, 0, 139, 0, 0, 0},
    {"t4", 25, 0, 203, 0, 0, 406},
    {"a100-40gb", 13, 100, 201, 0, 0, 401},
    {"a100-80gb", 10, 77, 153, 0, 0, 306},
    {"rtx-3090", 38, 38, 76, 0, 0, 303},
    {"rtx-4090", 82, 82, 164, 328, 0, 655},
    {"l40s", 106, 212, 419, 848, 0, 848},
    {"h100-sxm", 20, 148, 295, 591, 0, 591},
    {"h100-pcie", 25, 185, 371, 742, 0, 742},
    {"h100-nvl", 15, 106, 212, 424, 0, 424},
    {"h200-sxm", 14, 103, 206, 412, 0, 412},
    {"gh200-96gb", 17, 124, 247, 495, 0, 495},
    {"gh200-144gb", 14, 101, 202, 404, 0, 404},
    {"b200", 10, 146, 292, 584, 1169, 584},
    {"gb200", 10, 156, 313, 625, 1250, 625},
    {"b300", 10, 145, 290, 581, 1742, 20},
    {"gb300", 10, 156, 313, 625, 1875, 21},
    {"rtx-5090", 58, 58, 117, 468, 935, 468},
    {"rtx-pro-6000-ws", 70, 141, 281, 562, 1125, 562},
    {"gb10", 114, 229, 458, 916, 1832, 916},
    {"thor", 30, 473, 947, 1894, 3791, 1894},
    {"rubin", 6, 91, 182, 795, 1591, 0},
    {"mi250x-gcd", 15, 0, 117, 0, 0, 117},
    {"mi300x", 31, 123, 247, 493, 0, 493},
    {"mi325x", 27, 109, 218, 436, 0, 436},
    {"mi350x", 18, 0, 289, 577, 1153, 577},
    {"mi355x", 20, 0, 315, 629, 1262, 629},
    {"intel-max-1550", 16, 128, 256, 0, 0, 512},
    {"gaudi-2", 0, 0, 176, 352, 0, 0},
    {"gaudi-3", 0, 0, 457, 457, 0, 0},
    {"tpu-v4", 0, 0, 229, 0, 0, 229},
    {"tpu-v5e", 0, 0, 241, 0, 0, 480},
    {"tpu-v5p", 0, 0, 166, 0, 0, 332},
    {"tpu-v6e", 0, 0, 560, 560, 0, 1120},
    {"tpu-v7", 0, 0, 313, 625, 0, 0},
    {"trainium2", 0, 230, 230, 448, 0, 0},
    {"trainium3", 0, 137, 137, 514, 514, 0},
};

class RidgeTable : public testing::TestWithParam<RidgeRow> {};

TEST_P(RidgeTable, IsThatOfTheNotes) {
  const RidgeRow& row = GetParam();
  const Gpu g = gpu(row.gpu);
  const auto expect = [&](const Peaks& peaks, RateType type, double want) {
    if (want == 0) return;
    const auto& found = peaks[static_cast<std::size_t>(type)];
    ASSERT_TRUE(found) << rate_name(type);
    // Half a unit, and a little for ties: 312.5 is printed as 313 by some and as 312 by others.
    EXPECT_NEAR((found->dense / g.dram_bandwidth->value).value(), want, 0.5 + 1e-9) << rate_name(type);
  };
  expect(g.vector, RateType::fp32, row.fp32);
  expect(g.tensor, RateType::tf32, row.tf32);
  const bool has_bf16 = g.tensor[static_cast<std::size_t>(RateType::bf16)].has_value();
  expect(g.tensor, has_bf16 ? RateType::bf16 : RateType::fp16, row.bf16);
  expect(g.tensor, RateType::fp8, row.fp8);
  expect(g.tensor, RateType::fp4, row.fp4);
  expect(g.tensor, RateType::int8, row.int8);
}

std::string row_name(const testing::TestParamInfo<RidgeRow>& row) {
  std::string name = row.param.gpu;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, RidgeTable, testing::ValuesIn(kRidges), row_name);

struct MmaRow {
  const char* gpu;
  RateType type;
  double share;  // of the full tensor peak, from the chip's rates
};
constexpr MmaRow kMmaRows[] = {
    {"h100", RateType::bf16, 2.0 / 3},   {"h100", RateType::tf32, 2.0 / 3}, {"h100", RateType::int8, 2.0 / 3},
    {"h200", RateType::fp16, 2.0 / 3},   {"b200", RateType::bf16, 0.25},    {"b200", RateType::int8, 0.25},
    {"thor", RateType::fp16, 0.25},      {"gb300", RateType::tf32, 0.25},
};

TEST(MmaSync, IsTheChipsShareOfTheFullPeak) {
  for (const MmaRow& row : kMmaRows) {
    const Gpu g = gpu(row.gpu);
    const auto& lower = g.mma_sync[static_cast<std::size_t>(row.type)];
    ASSERT_TRUE(lower) << row.gpu;
    EXPECT_NEAR(lower->dense / peak(g, false, row.type).dense, row.share, 0.005) << row.gpu << " " << rate_name(row.type);
    EXPECT_TRUE(lower->origin.derived);
    EXPECT_EQ(lower->dense.value(), std::floor(lower->dense.value())) << "whole operations per second";
  }
}

TEST(MmaSync, RidgesOfTheNotes) {
  const auto lower_ridge = [](std::string_view name) {
    const Gpu g = gpu(name);
    return (g.mma_sync[static_cast<std::size_t>(RateType::bf16)]->dense / g.dram_bandwidth->value).value();
  };
  EXPECT_EQ(std::round(lower_ridge("h100")), 197);
  EXPECT_EQ(std::round(lower_ridge("b200")), 73);
}

TEST(MmaSync, IsLeftOutWhereItIsTheFullRateOrTheCutIsNotKnown) {
  for (const char* name : {"a100", "rtx-4090", "rtx-5090", "mi300x", "h20"}) {
    for (const auto& lower : gpu(name).mma_sync) EXPECT_FALSE(lower) << name;
  }
}

struct LaunchRow {
  const char* gpu;
  double stream_us, graph_us;
  bool derived;
};
// Least time per launch at the smallest working set, te42kyfo/gpu-benches@1c36d50; relatives take it over.
constexpr LaunchRow kLaunchRows[] = {
    {"a100-sxm4-80gb", 2.62144, 1.33747, false}, {"a40", 2.048, 1.09227, false},       {"h200", 2.39503, 1.26284, false},
    {"l40", 1.61526, 0.936229, false},           {"h100", 2.39503, 1.26284, true},     {"a30", 2.62144, 1.33747, true},
    {"rtx-4090", 1.61526, 0.936229, true},       {"rtx-3090", 2.048, 1.09227, true},   {"b200", 2.0, 1.1, true},
    {"l4", 2.0, 1.1, true},                      {"mi300x", 2.0, 1.1, true},
};

TEST(LaunchFloor, IsMeasuredOrSaysThatItIsNot) {
  for (const LaunchRow& row : kLaunchRows) {
    const Gpu g = gpu(row.gpu);
    ASSERT_TRUE(g.launch_floor) << row.gpu;
    EXPECT_NEAR(g.launch_floor->stream.value.value() * 1e6, row.stream_us, 0.006) << row.gpu;
    EXPECT_NEAR(g.launch_floor->graph.value.value() * 1e6, row.graph_us, 0.006) << row.gpu;
    EXPECT_EQ(g.launch_floor->stream.origin.derived, row.derived) << row.gpu;
    EXPECT_EQ(g.launch_floor->stream.origin.sources, std::vector<std::string>{"gpu-benches-small"});
    EXPECT_FALSE(g.launch_floor->stream.origin.note.empty()) << row.gpu;
  }
}

TEST(LaunchFloor, EveryAcceleratorHasOne) {
  const auto gpus = all_gpus();
  ASSERT_TRUE(gpus);
  for (const Gpu& g : *gpus) EXPECT_TRUE(g.launch_floor) << g.id;
}

struct MeasuredRow {
  const char* gpu;
  double percent;
};
// Shares of the DRAM peak that others measured; notes to the reference file, section 7.
constexpr MeasuredRow kMeasured[] = {{"v100-16gb", 88}, {"a100-40gb", 87}, {"a100-80gb", 88}, {"a40", 96},  {"l40", 96},
                                     {"h100-pcie", 90}, {"h100", 87},      {"h200", 84},      {"gh200", 95}, {"rtx-5090", 84},
                                     {"mi210", 75},     {"mi300a", 57},    {"mi300x", 73}};

const AttainableShare* share_of(const Gpu& g, std::string_view op_class) {
  for (const auto& share : g.attainable)
    if (share.op_class == op_class) return &share;
  return nullptr;
}

TEST(Attainable, MemoryShareIsMeasuredOverPeak) {
  for (const MeasuredRow& row : kMeasured) {
    const Gpu g = gpu(row.gpu);
    const auto* memory = share_of(g, "memory");
    ASSERT_NE(memory, nullptr) << row.gpu;
    EXPECT_NEAR(100 * memory->bandwidth_share, row.percent, 0.6) << row.gpu;
    EXPECT_EQ(memory->compute_share, 1);
    EXPECT_EQ(memory->launch_floor.value(), g.launch_floor->stream.value.value());
    EXPECT_FALSE(memory->origin.sources.empty());
  }
  EXPECT_EQ(share_of(gpu("b200"), "memory"), nullptr);  // nobody published one
}

struct WarningRow {
  const char *gpu, *says;
};
constexpr WarningRow kWarnings[] = {
    {"l40", "L40 is not L40S"},     {"l40s", "L40S is not L40"},         {"a10", "A10 is not A10G"},
    {"a10g", "A10G is not A10"},    {"h100", "H100 is three cards"},     {"h100-pcie", "H100 is three cards"},
    {"a100", "A100 is four cards"}, {"mi250x-gcd", "two devices"},       {"mi250x", "two devices"},
    {"b300", "fp64 and int8"},      {"rtx-4090", "accumulates in fp32"}, {"rtx-5090", "accumulates in fp32"},
    {"mi300x", "2100 MHz"},         {"rubin", "Preliminary"},            {"thor", "sparse fp4"},
};

TEST(Warnings, NameTheTraps) {
  for (const WarningRow& row : kWarnings) {
    const Gpu g = gpu(row.gpu);
    const bool said = std::any_of(g.warnings.begin(), g.warnings.end(),
                                  [&](const std::string& text) { return text.find(row.says) != std::string::npos; });
    EXPECT_TRUE(said) << row.gpu << ": " << row.says;
  }
}

}  // namespace
}  // namespace roofline
