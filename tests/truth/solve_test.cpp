// Where verdicts flip, by the closed forms: N = 3 R for a square product, B = R N K / (N K - R (N + K)) for decode.

#include "roofline/analysis/solve.hpp"

#include "roofline/kernel/overrides.hpp"
#include "truth/described.hpp"

namespace roofline {
namespace {

Solution solved(const std::string& yaml, const std::string& variable, const char* gpu_name, SolveRange range = {1, 1 << 20}) {
  const Gpu gpu = testing::gpu(gpu_name);
  auto document = read_yaml(yaml, "test.yaml");
  auto promoted = with_variable(*document, variable);
  auto file = KernelFile::read(*promoted);
  EXPECT_TRUE(file.has_value()) << (file ? "" : format_errors(file.error(), false));
  const Ceilings ceilings(gpu);
  return solve(state_of(*file, 0, 0, variable, ceilings), range);
}

std::vector<Crossing> side_flips(const Solution& solution) {
  std::vector<Crossing> flips;
  for (const auto& c : solution.crossings)
    if (c.before.side != c.after.side) flips.push_back(c);
  return flips;
}

struct Row {
  const char* name;
  std::string yaml, variable;
  const char* gpu;
  long long from;
  double exact;
};
const std::string kSquare = "params: {N: 64}\nkernels: [{op: gemm, m: N, n: N, k: N, dtype: bf16}]";
const std::string kDecode = "kernels: [{op: gemm, m: 1, n: 8192, k: 8192, dtype: bf16}]";
class Flips : public ::testing::TestWithParam<Row> {};
TEST_P(Flips, BothNeighbours) {
  const auto& row = GetParam();
  const auto flips = side_flips(solved(row.yaml, row.variable, row.gpu));
  ASSERT_EQ(flips.size(), 1u);
  EXPECT_EQ(flips[0].from, Count(row.from));
  EXPECT_EQ(flips[0].to, Count(row.from + 1));
  EXPECT_NEAR(*flips[0].real_value, row.exact, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(Rows, Flips, ::testing::Values(
    Row{"square_h100_3R", kSquare, "N", "h100", 886, 886.0298507},           // 3 x 989.4 / 3.35
    Row{"square_h200_3R", kSquare, "N", "h200", 618, 618.375},               // 3 x 989.4 / 4.8
    Row{"decode_8192_of_a_size_of_the_op", kDecode, "m", "h100", 318, 318.2939634}),  // seeds: crossover-exact-8192
    [](const auto& row) { return std::string(row.param.name); });

TEST(Solve, NoFlipWhereThereIsNone) {  // decode attention: intensity tends to the group size, 8, whatever the batch
  const auto solution = solved("kernels: [{op: attention, batch: 1, seq_q: 1, seq_k: 4096, heads_q: 64, heads_kv: 8, head_dim: 128, dtype: bf16}]",
                               "batch", "h100", {1, 100000});
  EXPECT_TRUE(side_flips(solution).empty());
  EXPECT_EQ(solution.at_lowest->side, Side::memory);
  EXPECT_EQ(solution.at_highest->side, Side::memory);
}

TEST(Solve, EveryCrossingOfWhatIsNotMonotonic) {  // the side of a made-up state flips at every multiple of 1000
  const StateFunction zigzag = [](Count value) -> std::optional<StateAt> {
    const bool odd = floor_div(value, 1000).value() % 2 != 0;
    return StateAt{.side = odd ? Side::compute : Side::memory, .bound = Bound::memory, .limiter = Resource::dram()};
  };
  const auto solution = solve(zigzag, {1, 10'500});
  ASSERT_EQ(solution.crossings.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(solution.crossings[i].to, Count(static_cast<long long>(1000 * (i + 1))));
}

TEST(Solve, FarCrossingsAreFoundToTheInteger) {  // beyond the values that are looked at one by one
  const StateFunction step = [](Count value) -> std::optional<StateAt> {
    return StateAt{.side = value >= Count(123'456'789) ? Side::compute : Side::memory, .bound = Bound::memory, .limiter = Resource::dram()};
  };
  const auto solution = solve(step);
  ASSERT_EQ(solution.crossings.size(), 1u);
  EXPECT_EQ(solution.crossings[0].to, Count(123'456'789));
}

TEST(Solve, InverseRoofline) {  // 4096^3 in 100 us: 100.66 MB need 1.0066 TB/s, 137.4 GFLOP need 1374.4 TFLOP/s
  const Gpu gpu = testing::gpu("h100");
  const auto verdict = testing::judged("{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}", gpu);
  const auto needs = needed_for(verdict, Seconds(100e-6));
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_NEAR(needs[0].required, 1.00663296e12, 1);
  EXPECT_NEAR(needs[1].required, 1.37438953472e15, 1e3);
  EXPECT_LT(needs[0].ratio, 1);
  EXPECT_GT(needs[1].ratio, 1);
}

TEST(Overrides, ValuesAndDTypes) {
  auto document = read_yaml("params: {M: 1}\ndefaults: {dtype: bf16}\nkernels: [{op: gemm, m: M, n: 8, k: 8}]", "o.yaml");
  const Override all[] = {{"M", "1:8:x2"}, {"n", "16,32"}};
  auto changed = with_overrides(*document, all, "fp8");
  ASSERT_TRUE(changed.has_value());
  auto file = KernelFile::read(*changed);
  ASSERT_TRUE(file.has_value()) << format_errors(file.error(), false);
  EXPECT_EQ(file->points(), Count(4 * 2));
  Workload workload;
  ASSERT_TRUE(file->evaluate(7, workload).empty());
  EXPECT_EQ(workload.kernels[0].work.flops(), Count(2 * 8 * 32 * 8));
  EXPECT_EQ(workload.kernels[0].input.dtype("a"), DType::fp8_e4m3);
  const Override unknown[] = {{"Q", "1"}};
  EXPECT_FALSE(with_overrides(*document, unknown).has_value());
}

}  // namespace
}  // namespace roofline
