#include "roofline/kernel/launch_binding.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "roofline/kernel/kernel_file.hpp"
#include "roofline/kernel/kernel_kind.hpp"

namespace roofline {
namespace {

ProfiledKernel seen(const std::string& full_name, const std::string& name,
                    std::uint64_t grid = 132) {
  ProfiledKernel kernel;
  kernel.full_name = full_name;
  kernel.name = name;
  kernel.grid = {grid, 1, 1};
  kernel.block = {256, 1, 1};
  return kernel;
}

std::vector<ProfiledKernel> all_seen() {
  std::vector<ProfiledKernel> list;
  list.push_back(seen("void rms_norm<float>(float*)", "rms_norm"));
  list.push_back(seen("void sm90::gemm<bf16>(int)", "sm90::gemm", 132));
  list.push_back(seen("void sm90::gemm<bf16>(int)", "sm90::gemm", 64));
  list.push_back(seen("void sm90::gemm<fp8>(int)", "sm90::gemm_fp8", 132));
  return list;
}
const std::vector<ProfiledKernel> kSeen = all_seen();

/// The entries of a description that are copies but for how they bind.
std::vector<Kernel> entries(const std::string& list) {
  auto document = read_yaml("kernels:\n" + list, "spec.yaml");
  EXPECT_TRUE(document.has_value());
  auto file = KernelFile::read(*document);
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().front().what);
  if (!file) return {};
  Workload workload;
  EXPECT_TRUE(file->evaluate(0, workload).empty());
  return std::move(workload.kernels);
}

struct Row {
  const char *name, *entries;
  std::vector<int> bound_to;  ///< by seen kernel; -1: none
};
const Row kRows[] = {
    {"by_its_name", "  - {name: rms_norm, op: copy, shape: [8], dtype: fp32}\n", {0, -1, -1, -1}},
    {"by_canonical_name",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: 'sm90::gemm'}\n",
     {-1, 0, 0, -1}},
    {"a_name_is_whole",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: gemm}\n",
     {-1, -1, -1, -1}},
    {"by_glob",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {glob: 'sm90::*'}}\n",
     {-1, 0, 0, 0}},
    {"by_regex_of_the_full_name",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {regex: 'gemm<fp8>'}}\n",
     {-1, -1, -1, 0}},
    {"by_grid",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {glob: '*gemm*', grid: 64}}\n",
     {-1, -1, 0, -1}},
    {"by_block",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {block: [256, 1]}}\n",
     {0, 0, 0, 0}},
    {"all_conditions_hold",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {name: rms_norm, grid: [64]}}\n",
     {-1, -1, -1, -1}},
    {"two_entries",
     "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {name: 'sm90::gemm', grid: 132}}\n"
     "  - {name: b, op: copy, shape: [8], dtype: fp32, match: {name: 'sm90::gemm', grid: 64}}\n",
     {-1, 0, 1, -1}},
};
class Binding : public testing::TestWithParam<Row> {};
TEST_P(Binding, FindsItsLaunches) {
  const auto binding = bind_launches(entries(GetParam().entries), kSeen);
  ASSERT_TRUE(binding.has_value());
  for (std::size_t k = 0; k < kSeen.size(); ++k)
    EXPECT_EQ(binding->entry_of[k] ? static_cast<int>(*binding->entry_of[k]) : -1,
              GetParam().bound_to[k])
        << "kernel " << k;
}
INSTANTIATE_TEST_SUITE_P(Rows, Binding, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

TEST(Binding, TwoEntriesForOneKernelAreAnError) {
  const auto list = entries(
      "  - {name: a, op: copy, shape: [8], dtype: fp32, match: {glob: '*gemm*'}}\n"
      "  - {name: 'sm90::gemm', op: copy, shape: [8], dtype: fp32}\n");
  const auto binding = bind_launches(list, kSeen);
  ASSERT_FALSE(binding.has_value());
  EXPECT_EQ(binding.error().front().what, "both a and sm90::gemm match the kernel sm90::gemm");
  EXPECT_EQ(binding.error().front().where.line, 3);
}

struct Bad {
  const char *name, *match, *says;
};
const Bad kBad[] = {
    {"empty", "{}", "match is empty"},
    {"broken_regex", "{regex: 'gemm('}", ""},
    {"four_sizes", "{grid: [1, 2, 3, 4]}", "one to three whole numbers"},
    {"zero", "{grid: 0}", "one to three whole numbers"},
    {"unknown_key", "{gird: 132}", "gird"},
};
class BadMatch : public testing::TestWithParam<Bad> {};
TEST_P(BadMatch, IsRefusedWithItsPlace) {
  const auto document =
      read_yaml(std::string("kernels:\n  - {name: a, op: copy, shape: [8], dtype: fp32, match: ") +
                    GetParam().match + "}\n",
                "spec.yaml");
  ASSERT_TRUE(document.has_value());
  const auto file = KernelFile::read(*document);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().front().where.line, 2);
  EXPECT_NE(file.error().front().what.find(GetParam().says), std::string::npos)
      << file.error().front().what;
}
INSTANTIATE_TEST_SUITE_P(Rows, BadMatch, testing::ValuesIn(kBad),
                         [](const auto& i) { return i.param.name; });

struct Kind {
  const char *name, *full_name, *kind;
};
// Names of kernels as they stand in published profiles and in the libraries' sources.
const Kind kKinds[] = {
    {"nccl", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "communication"},
    {"flash",
     "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, "
     "4>>(flash::Flash_fwd_params)",
     "attention"},
    {"flash_mla", "flash_fwd_splitkv_mla_kernel", "attention"},
    {"cutlass",
     "void "
     "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>("
     "Params)",
     "gemm"},
    {"cublas_hopper", "nvjet_tst_128x128_64x6_1x2_h_bz_coopA_NNT", "gemm"},
    {"old_cublas", "ampere_sgemm_128x64_nn", "gemm"},
    {"batched", "void bgemm_kernel<float>(float*)", "gemm"},
    {"fbgemm_is_more_than_products",
     "void fbgemm_gpu::permute_2D_data_kernel<int, long, float>(int)", "transpose"},
    {"fbgemm_embedding",
     "void split_embedding_codegen_forward_kernel<float>(fbgemm_gpu::Weights<float>)", "embedding"},
    {"cublas_scal",
     "void scal_kernel<float, float, 1, true, 6, 5, 5, 3>(cublasTransposeParams<float>, float*)",
     "elementwise"},
    {"cublas_dot", "void dot_kernel<float, 128, 0, cublasDotParams<float>>(cublasDotParams<float>)",
     "reduction"},
    {"miopen_implicit_gemm", "igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt256x64x8_wt64x16x4_ws1x1",
     "convolution"},
    {"triton_gemm", "matmul_kernel_0d1d2d3d4d5d6", "gemm"},
    {"conv", "void cudnn::ops::nchwToNhwcKernel<float>", "transpose"},
    {"winograd", "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
     "convolution"},
    {"softmax", "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(float*)",
     "softmax"},
    {"layer_norm",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
     "norm"},
    {"rms_norm", "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)", "norm"},
    {"rotary", "void vllm::rotary_embedding_kernel<c10::BFloat16, true>", "rotary"},
    {"adam",
     "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor>",
     "optimizer"},
    {"add",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
     "elementwise"},
    {"fill",
     "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
     "fill"},
    {"triton_pointwise", "triton_poi_fused_add_mul_0", "elementwise"},
    {"reduce", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", "reduction"},
    {"radix_sort", "void cub::DeviceRadixSortOnesweepKernel<int>", "sort"},
    {"nothing_known", "void my_kernel<float>(float*)", ""},
};
class KernelKind : public testing::TestWithParam<Kind> {};
TEST_P(KernelKind, IsToldFromTheName) {
  std::ifstream file(ROOFLINE_SOURCE_DIR "/specs/names.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const auto document = read_yaml(text.str(), "names.yaml");
  ASSERT_TRUE(document.has_value());
  const auto kinds = KernelKinds::read(*document);
  ASSERT_TRUE(kinds.has_value()) << kinds.error().front().what;
  EXPECT_EQ(kinds->kind_of(GetParam().full_name), GetParam().kind);
}
INSTANTIATE_TEST_SUITE_P(Rows, KernelKind, testing::ValuesIn(kKinds),
                         [](const auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
