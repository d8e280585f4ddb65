#include "roofline/analysis/attainable.hpp"

#include <map>

#include "unit/analysis/described.hpp"

namespace roofline {
namespace {

/// A machine of round numbers: 100 SMs, 1 TB/s, 1000 TFLOP/s bf16.
Gpu round_gpu(double bandwidth_share, double compute_share) {
  Gpu gpu;
  gpu.id = "round";
  gpu.sm_count = Figure<Count>{Count(100), {}};
  gpu.dram_bandwidth = Figure<ByteRate>{ByteRate(1e12), {}};
  gpu.tensor[static_cast<std::size_t>(RateType::bf16)] = Peak{.dense = FlopRate(1000e12)};
  AttainableShare share;
  share.op_class = "gemm";
  share.bandwidth_share = bandwidth_share;
  share.compute_share = compute_share;
  share.launch_floor = Seconds(3e-6);
  gpu.attainable.push_back(share);
  return gpu;
}

TEST(Attainable, ADramLimitedProductNeedsItsBytesAtTheShare) {
  const auto gpu = round_gpu(0.8, 0.5);
  const Ceilings ceilings(gpu);
  const auto kernel = described("{op: gemm, m: 1, n: 8192, k: 8192, dtype: bf16}");
  const auto floor = time_floor(kernel, ceilings).value();
  const auto time = attainable_time(kernel, attainable_share(gpu, kernel), floor, ceilings, Seconds(0));
  // 134.25 MB / 0.8 TB/s + 3 us
  EXPECT_NEAR(time->value(), 2.0 * (8192.0 * 8192 + 2 * 8192) / 0.8e12 + 3e-6, 1e-12);
}

TEST(Attainable, WithoutConstantsThereIsNone) {
  auto gpu = round_gpu(0.8, 0.5);
  const Ceilings ceilings(gpu);
  const auto attention = described("{op: attention, heads: 8, head_dim: 128, seq: 1024, dtype: bf16}");
  EXPECT_EQ(attainable_share(gpu, attention), nullptr);
  const auto floor = time_floor(attention, ceilings).value();
  EXPECT_FALSE(attainable_time(attention, nullptr, floor, ceilings, Seconds(0)).has_value());
}

struct ClassRow {
  const char* name;
  const char* entry;
  const char* op_class;
};
class OpClassTest : public testing::TestWithParam<ClassRow> {};
const ClassRow kClasses[] = {
    {"bf16", "{op: gemm, m: 1, n: 1, k: 1, dtype: bf16}", "gemm"},
    {"fp32_is_apart", "{op: gemm, m: 1, n: 1, k: 1, dtype: fp32}", "gemm_wide"},
    {"fp8", "{op: gemm, m: 1, n: 1, k: 1, dtypes: {a: fp8_e4m3, b: fp8_e4m3, d: bf16}}", "gemm_8bit"},
    {"fp4", "{op: gemm, m: 1, n: 1, k: 1, dtypes: {a: fp4_e2m1, b: fp4_e2m1, d: bf16}}", "gemm_4bit"},
    {"int4_weights", "{op: gemm, m: 1, n: 1, k: 1, dtypes: {a: bf16, b: int4, d: bf16}}", "gemm_weight_only"},
    {"awq", "{op: qgemm, m: 1, n: 8, k: 128, format: awq_int4, dtype: fp16}", "gemm_weight_only"},
    {"nvfp4", "{op: qgemm, m: 1, n: 8, k: 128, format: nvfp4, dtype: bf16}", "gemm_4bit"},
    {"gemv", "{op: gemv, m: 8, k: 8, dtype: fp16}", "gemm"},
    {"prefill", "{op: attention, heads: 8, head_dim: 64, seq: 64, mask: causal, dtype: bf16}", "attention_prefill"},
    {"decode", "{op: attention, heads: 8, head_dim: 64, seq_q: 1, seq_k: 64, dtype: bf16}", "attention_decode"},
    {"norm", "{op: rmsnorm, rows: 8, cols: 8, dtype: bf16}", "norm"},
};
TEST_P(OpClassTest, IsFound) { EXPECT_EQ(op_class_of(described(GetParam().entry)), GetParam().op_class); }
INSTANTIATE_TEST_SUITE_P(Rows, OpClassTest, testing::ValuesIn(kClasses), [](auto& row) { return row.param.name; });

struct WaveRow {
  const char* name;
  Count m, n;
  double efficiency;  ///< exact time over wave time
};
class WaveTest : public testing::TestWithParam<WaveRow> {};
// 256 x 128 tiles on 108 SMs: truth/values/wave_quantisation.json and the guide that it quotes.
const WaveRow kWaves[] = {
    {"one_wave_of_98_tiles", 1792, 1792, 98.0 / 108},
    {"one_row_more_is_a_second_wave", 1793, 1792, 1793.0 / (256 * 7) * 98 / (2 * 108)},
};
TEST_P(WaveTest, CostsWholeTilesAndWaves) {
  Gpu gpu = round_gpu(1, 1);
  gpu.sm_count = Figure<Count>{Count(108), {}};
  const Ceilings ceilings(gpu);
  const Product product{GetParam().m, GetParam().n, 1024};
  const Tile tile{256, 128};
  EXPECT_NEAR(Seconds(1) / wave_time(product, Seconds(1), ceilings, &tile), GetParam().efficiency, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Rows, WaveTest, testing::ValuesIn(kWaves), [](auto& row) { return row.param.name; });

TEST(Attainable, TheBestTileIsNeverFasterThanTheDatapath) {
  const Gpu gpu = round_gpu(1, 1);
  const Ceilings ceilings(gpu);
  for (const int size : {1, 17, 64, 129, 1000, 1792, 1793, 8192, 100000})
    EXPECT_GE(wave_time({Count(size), Count(size), 4096}, Seconds(1), ceilings), Seconds(1 - 1e-12)) << size;
}

}  // namespace
}  // namespace roofline
