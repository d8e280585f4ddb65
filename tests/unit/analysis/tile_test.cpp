#include "roofline/analysis/tile.hpp"

#include "values.hpp"

namespace roofline {
namespace {

using testing::case_name;
using testing::value_cases;
using testing::ValueCase;

class TileValues : public ::testing::TestWithParam<ValueCase> {
 protected:
  Count input(const char* key, long long otherwise = 0) const {
    const auto& inputs = GetParam().inputs;
    return inputs.contains(key) ? Count(inputs.at(key).get<long long>()) : Count(otherwise);
  }
  DType element() const { return input("s", 2) == Count(4) ? DType::fp32 : input("s", 2) == Count(1) ? DType::fp8_e4m3 : DType::bf16; }
  Product product() const { return {input("m", 1), input("n", 1), input("k", 1), 1, element(), element()}; }
  Tile tile() const {
    return {.bm = input("bm"), .bn = input("bn"), .bk = input("bk"), .stages = input("stages", 1),
            .ctas_per_sm = input("ctas_per_sm", 1), .group_m = input("gm"), .group_n = input("gn")};
  }
  Gpu gpu() const {
    Gpu machine;
    if (GetParam().inputs.contains("sm")) machine.sm_count = Figure<Count>{input("sm"), {}};
    return machine;
  }
  bool is(const char* part) const { return GetParam().id.find(part) != std::string::npos; }
};

TEST_P(TileValues, TileModel) {
  const auto& c = GetParam();
  if (is("traffic-")) {
    const Count t = input("t");
    const auto model = tile_model({input("m"), input("n"), input("k"), 1, DType::fp8_e4m3, DType::fp8_e4m3}, {.bm = t, .bn = t}, {});
    EXPECT_EQ(is("padded") ? model.padded_inbound_bytes.to_double() : model.sm_inbound_bytes.to_double(), c.value);
    return;
  }
  const auto model = tile_model(product(), tile(), gpu());
  if (is("smem-")) {
    EXPECT_EQ(model.shared_memory_bytes.to_double(), c.value);
  } else if (c.id.starts_with("accumulator-")) {
    EXPECT_EQ(model.accumulator_bytes.to_double(), c.value);
  } else {
    EXPECT_DOUBLE_EQ(model.tile_intensity.value(), c.value);
  }
}
INSTANTIATE_TEST_SUITE_P(Truth, TileValues, ::testing::ValuesIn(value_cases("tile_model")), case_name);

class WaveValues : public TileValues {};
TEST_P(WaveValues, Waves) {
  const auto model = tile_model(product(), tile(), gpu());
  const double got = is("-tiles")             ? model.tiles.to_double()
                     : is("-waves")           ? model.waves->to_double()
                     : is("-wave-efficiency") ? *model.wave_efficiency
                     : is("-tile-efficiency") ? model.tile_efficiency
                                              : *model.combined_efficiency;
  EXPECT_DOUBLE_EQ(got, GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Truth, WaveValues, ::testing::ValuesIn(value_cases("wave_quantisation")), case_name);

class SplitKValues : public TileValues {};
TEST_P(SplitKValues, SplitK) {
  const auto got = split_k(product(), input("splits"), input("out_bytes"));
  const Count bytes = is("-workspace") ? got.workspace_bytes : is("-serial") ? got.serial_total_bytes : got.total_bytes;
  EXPECT_EQ(bytes.to_double(), GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Truth, SplitKValues, ::testing::ValuesIn(value_cases("split_k")), case_name);

class SuperTileValues : public TileValues {};
TEST_P(SuperTileValues, OneWaveSharesItsSlices) {
  EXPECT_EQ(tile_model(product(), tile(), {}).dram_operand_bytes->to_double(), GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(Truth, SuperTileValues, ::testing::ValuesIn(value_cases("l2_super_tile")), case_name);

TEST(TileModel, SharedMemoryLimitOfHopperIs227KiB) {
  Gpu gpu;
  gpu.shared_memory_per_sm = Figure<Bytes>{Bytes(233472), {}};
  EXPECT_EQ(*shared_memory_per_block(gpu), Count(232448));
  const Product product{8192, 8192, 8192, 1, DType::bf16, DType::bf16};
  EXPECT_TRUE(*tile_model(product, {.bm = 128, .bn = 256, .bk = 64, .stages = 4}, gpu).fits_shared_memory);
  EXPECT_FALSE(*tile_model(product, {.bm = 256, .bn = 256, .bk = 64, .stages = 4}, gpu).fits_shared_memory);
}

}  // namespace
}  // namespace roofline
