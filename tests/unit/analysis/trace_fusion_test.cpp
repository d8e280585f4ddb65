#include "roofline/analysis/trace_fusion.hpp"

#include <gtest/gtest.h>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline {
namespace {

/// 0: y = f(x), 1: z = y * w, both of 64 Mi values in fp32; 2: a product of matrices; 3: smaller.
constexpr const char* kWorks = R"(
kernels:
  - {name: act, op: activation, kind: silu, shape: [8192, 8192], dtype: fp32}
  - {name: mul, op: elementwise, shape: [8192, 8192], inputs: [[8192, 8192], [8192, 8192]], flops_per_element: 1, dtype: fp32}
  - {name: product, op: gemm, m: 8192, n: 8192, k: 8192, dtype: bf16}
  - {name: other, op: elementwise, shape: [64, 8192], inputs: [[64, 8192]], flops_per_element: 1, dtype: fp32}
)";
constexpr double kTensor = 8192.0 * 8192 * 4;  // bytes

class TraceFusion : public testing::Test {
 protected:
  TraceFusion() {
    const auto file = KernelFile::read(*read_yaml(kWorks, "works.yaml"));
    Workload workload;
    EXPECT_TRUE(file->evaluate(0, workload).empty());
    works_ = std::move(workload.kernels);
  }
  std::vector<FusibleChain> chains(std::vector<TracedExecution> executions) {
    return fusible_chains(executions, works_, ceilings_);
  }
  static TracedExecution on(std::size_t stream, std::optional<std::size_t> work) {
    return {stream, work, Seconds(1e-3)};
  }
  Gpu gpu_ = *find_gpu("h100-sxm5-80gb");
  Ceilings ceilings_{gpu_};
  std::vector<Kernel> works_;
};

TEST_F(TraceFusion, AnIntermediateIsNeitherWrittenNorRead) {
  const auto found = chains({on(0, 0), on(0, 1)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].operations, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(found[0].occurrences, 1u);
  EXPECT_DOUBLE_EQ(found[0].bytes.value(), 5 * kTensor);        // 2 + 3 passes
  EXPECT_DOUBLE_EQ(found[0].fused_bytes.value(), 3 * kTensor);  // x and w in, z out
  EXPECT_DOUBLE_EQ(found[0].fused_floor.value(), 3 * kTensor / 3.35e12);
  EXPECT_DOUBLE_EQ(found[0].most_to_win().value(), 2e-3 - 3 * kTensor / 3.35e12);
}

TEST_F(TraceFusion, EqualChainsAreOneRow) {
  const auto found = chains({on(0, 0), on(0, 1), on(0, 2), on(0, 0), on(0, 1)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].occurrences, 2u);
  EXPECT_DOUBLE_EQ(found[0].time.value(), 4e-3);
}

TEST_F(TraceFusion, WhatStandsBetweenEndsAChain) {
  EXPECT_TRUE(chains({on(0, 0), on(0, 2), on(0, 1)}).empty());             // a product of matrices
  EXPECT_TRUE(chains({on(0, 0), on(0, std::nullopt), on(0, 1)}).empty());  // something not known
  EXPECT_TRUE(chains({on(0, 0), on(1, 1)}).empty());                       // another stream
  EXPECT_TRUE(chains({on(0, 0), on(0, 3)}).empty());                       // reads something else
  EXPECT_TRUE(chains({on(0, 0)}).empty());
}

TEST_F(TraceFusion, TheMostToWinComesFirst) {
  const auto found = chains({on(0, 3), on(0, 3), on(0, 2), on(0, 0), on(0, 1), on(0, 1), on(0, 1)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].operations.size(), 4u);
  EXPECT_GT(found[0].most_to_win(), found[1].most_to_win());
}

}  // namespace
}  // namespace roofline
