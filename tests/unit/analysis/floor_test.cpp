#include "unit/analysis/described.hpp"

namespace roofline {
namespace {

/// Work on every datapath that an H100 has a rate for: none may be lost for want of room, least of all the slowest.
TEST(Floor, KeepsEveryDatapathOfAGenericKernel) {
  const auto verdict = verdict_of(
      "{name: many, op: generic, dtype: fp32, tensors: [{name: x, shape: [16], access: read}], work: {matmul.fp64: 1, "
      "matmul.tf32: 1, matmul.fp16: 1, matmul.bf16: 1, matmul.fp8: 1, matmul.int8: 1, vector.fp64: 1, vector.fp32: 1, "
      "vector.fp16: 1, vector.bf16: 1, sfu: 10**18}}",
      "h100-sxm5-80gb");
  EXPECT_EQ(verdict.floor.times.size(), 12u);
  EXPECT_EQ(resource_name(verdict.floor.limiting()->ceiling.resource), "sfu");
  // 132 SM x 16 a clock x 1830 MHz (specs/gpus/h100-sxm5-80gb.yaml)
  EXPECT_NEAR(verdict.floor.time.value(), 1e18 / (132 * 16 * 1830e6), 1);
}

TEST(Floor, CopiesWhatIsThere) {
  const auto verdict = verdict_of("{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}", "h100-sxm5-80gb");
  Floor copy = verdict.floor;
  const Floor again = copy;
  copy.times.push_back(copy.times[0]);
  EXPECT_EQ(copy.times.size(), again.times.size() + 1);
  EXPECT_EQ(again.limiting()->time, verdict.floor.time);
}

}  // namespace
}  // namespace roofline
