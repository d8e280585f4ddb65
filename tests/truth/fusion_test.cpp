// Chains: what moves as written, fused and in between, by hand count.

#include "roofline/analysis/fusion_audit.hpp"

#include "truth/described.hpp"

namespace roofline {
namespace {

using testing::described;

constexpr double kTensor = 8192.0 * 8192 * 2;  // one bf16 tensor of the chain below

/// `tensors` are letters; h and s stay inside.
std::string file(const std::string& tensors, std::initializer_list<std::string> kernels) {
  std::string text = "tensors:\n";
  for (const char name : tensors) {
    const bool inside = name == 'h' || name == 's';
    text += std::string("  ") + name + ": {shape: [8192, 8192], dtype: bf16" + (inside ? ", intermediate: true}\n" : "}\n");
  }
  text += "kernels:\n";
  for (const auto& kernel : kernels) text += "  - " + kernel + "\n";
  return text;
}
const std::string kSilu = "{name: silu, op: activation, kind: silu, shape: [8192, 8192], operands: {x: h, y: s}}";
std::string add(const char* a, const char* b, const char* out) {
  return std::string("{name: add, op: elementwise, shape: [8192, 8192], inputs: [[8192, 8192], [8192, 8192]], flops_per_element: 1, "
                     "operands: {in0: ") + a + ", in1: " + b + ", out: " + out + "}}";
}
Chain chain(const std::string& yaml) {
  auto result = chain_of(described(yaml));
  EXPECT_TRUE(result.has_value()) << (result ? "" : format_errors(result.error(), false));
  return result ? std::move(*result) : Chain();
}
FusionAudit audit(const Chain& c) { return *audit_fusion(c, Ceilings(testing::gpu("h100"))); }

const std::string kNorm = "{name: norm, op: rmsnorm, rows: 8192, cols: 8192, weight: false, operands: {x: x, y: h}}";

TEST(Fusion, NormSiluAdd) {  // x -> h -> s; s + g -> y: 2 + 2 + 3 passes, fused x, g, y
  const auto c = chain(file("xghsy", {kNorm, kSilu, add("s", "g", "y")}));
  const auto result = audit(c);
  EXPECT_EQ(result.as_written.passes, 7);
  EXPECT_EQ(result.as_written.bytes.to_double(), 7 * kTensor);
  ASSERT_TRUE(result.fully_fused.has_value());
  EXPECT_EQ(result.fully_fused->passes, 3);
  EXPECT_EQ(result.fully_fused->bytes.to_double(), 3 * kTensor);
  EXPECT_EQ(result.legal, 4u);  // 2^(3-1), all legal
  EXPECT_EQ(result.ranked.front().groups.size(), 1u);
  EXPECT_EQ(result.ranked.back().groups.size(), 3u);
}

TEST(Fusion, AnIntermediateWithAnotherReaderIsStillWritten) {  // h is read by silu and by the add
  const auto c = chain(file("xhsy", {kNorm, kSilu, add("s", "h", "y")}));
  const auto pair = fused_traffic(c, 0, 1);  // norm + silu: x in; h and s out, since the add needs both
  EXPECT_EQ(pair.passes, 3);
  EXPECT_EQ(pair.written_for_others.size(), 1u);
  EXPECT_TRUE(pair.kept.empty());
}

TEST(Fusion, AMatrixProductOnlyStartsAGroup) {
  const std::string gemm = "{name: proj, op: gemm, m: 8192, n: 8192, k: 8192, operands: {a: h, d: s}, dtype: bf16}";
  const auto result = audit(chain(file("xghsy", {kNorm, gemm, add("s", "g", "y")})));
  EXPECT_FALSE(result.fully_fused.has_value());
  ASSERT_EQ(result.barriers.size(), 1u);  // norm | proj; proj + add is an epilogue
  EXPECT_EQ(result.barriers[0].first, 0u);
  EXPECT_NE(result.barriers[0].reason.find("matrix product"), std::string::npos);
  EXPECT_EQ(result.ranked.front().groups.size(), 2u);
}

TEST(Fusion, ARowThatSpansTilesCannotBeNormalisedInAnEpilogue) {
  const std::string gemm = "{name: proj, op: gemm, m: 8192, n: 8192, k: 64, operands: {d: h}, dtype: bf16}";
  const std::string norm = "{name: norm, op: rmsnorm, rows: 8192, cols: 8192, weight: false, operands: {x: h, y: s}}";
  const auto result = audit(chain(file("hsgy", {gemm, norm, add("s", "g", "y")})));
  ASSERT_FALSE(result.barriers.empty());
  EXPECT_NE(result.barriers[0].reason.find("several tiles"), std::string::npos);
}

TEST(Fusion, LongChainsAreCutBestByDynamicProgramming) {  // 14 unary steps over one shape: 28 passes, fused 2
  std::string steps, dtypes = "{a0: fp32";
  for (int i = 0; i < 14; ++i) {
    steps += "{reads: [a" + std::to_string(i) + "], writes: [a" + std::to_string(i + 1) + "], flops: 1},";
    dtypes += ", a" + std::to_string(i + 1) + ": fp32";
  }
  const auto result = audit(chain("kernels: [{op: fused_chain, shape: [100000000], fused: true, outputs: [a14], steps: [" + steps +
                                  "], dtypes: " + dtypes + "}}]"));
  EXPECT_FALSE(result.exhaustive);
  EXPECT_EQ(result.as_written.passes, 28);
  ASSERT_EQ(result.ranked.size(), 1u);
  EXPECT_EQ(result.ranked[0].passes, 2);
  EXPECT_EQ(result.ranked[0].groups.size(), 1u);
}

struct BadChain {
  const char* name;
  std::string yaml;
  const char* what;
};
class BadChains : public ::testing::TestWithParam<BadChain> {};
TEST_P(BadChains, Refused) {
  auto document = read_yaml(GetParam().yaml, "bad.yaml");
  ASSERT_TRUE(document.has_value());
  auto read = KernelFile::read(*document);
  std::string message;
  if (read) {
    Workload workload;
    ASSERT_TRUE(read->evaluate(0, workload).empty());
    const auto result = chain_of(workload);
    ASSERT_FALSE(result.has_value());
    message = format_errors(result.error(), false);
  } else {
    message = format_errors(read.error(), false);  // the reader already refuses some
  }
  EXPECT_NE(message.find(GetParam().what), std::string::npos) << message;
}
INSTANTIATE_TEST_SUITE_P(Rows, BadChains, ::testing::Values(
    BadChain{"unknown_tensor", file("xghsy", {kNorm, kSilu, add("s", "gg", "y")}), "gg"},
    BadChain{"cycle", file("xghsy", {kSilu, kNorm, add("s", "g", "y")}), "h"},
    BadChain{"written_twice", file("xghsy", {kNorm, kNorm, kSilu, add("s", "g", "y")}), "h"},
    BadChain{"nothing_shared", "kernels: [{op: gemm, m: 8, n: 8, k: 8, dtype: bf16}, {op: gemm, m: 8, n: 8, k: 8, dtype: bf16}]",
             "share no tensor"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Fusion, FlashKeepsTheScoresOnChip) {  // 4 one-way trips of 8192^2 x 32 heads in bf16: 17.18 GB
  const auto w = described("kernels: [{op: attention, impl: standard, batch: 1, seq_q: 8192, seq_k: 8192, heads_q: 32, heads_kv: 32, "
                           "head_dim: 128, dtype: bf16}]");
  const Gpu gpu = testing::gpu("h100");
  const auto result = flash_alternative(w.kernels[0], Ceilings(gpu));
  ASSERT_TRUE(result.has_value()) << result.error().what;
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->score_bytes.to_double(), 17179869184.0);
  EXPECT_EQ((*result)->kept.bytes().to_double(), 268435456.0);
}

}  // namespace
}  // namespace roofline
