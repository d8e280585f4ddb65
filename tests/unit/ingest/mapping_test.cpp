#include "roofline/ingest/mapping.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>

namespace roofline {
namespace {

Operand tensor(std::string type, std::vector<std::uint64_t> shape,
               std::vector<std::uint64_t> strides = {}) {
  return {std::move(type), {}, true, std::move(shape), std::move(strides)};
}
Operand scalar(std::string value) { return {"Scalar", std::move(value), false, {}, {}}; }
Operand none() { return {}; }

constexpr const char* kBf16 = "c10::BFloat16";

struct Case {
  const char* name;
  Operation operation;
  const char* kernel = "";
  double flops = 0, bytes = 0;  ///< by hand: FLOPs of the headline, compulsory DRAM bytes
  const char* pipe = "";
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"mm",
     {"aten::mm", {tensor(kBf16, {8944, 1024}), tensor(kBf16, {1024, 2816})}, {}},
     "",
     2.0 * 8944 * 1024 * 2816,
     2.0 * (8944 * 1024 + 1024 * 2816 + 8944.0 * 2816),
     "tensor:bf16"},
    {"mm_fp32_on_the_vector_pipe",
     {"aten::mm", {tensor("float", {64, 32}), tensor("float", {32, 16})}, {}},
     "ampere_sgemm_32x32_nn",
     2.0 * 64 * 32 * 16,
     4.0 * (64 * 32 + 32 * 16 + 64 * 16),
     "vector:fp32"},
    {"mm_fp32_on_tensor_cores",
     {"aten::mm", {tensor("float", {64, 32}), tensor("float", {32, 16})}, {}},
     "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize32x32x64",
     2.0 * 64 * 32 * 16,
     4.0 * (64 * 32 + 32 * 16 + 64 * 16),
     "tensor:tf32"},
    {"addmm_with_a_bias",
     {"aten::addmm",
      {tensor(kBf16, {640}), tensor(kBf16, {888, 2880}), tensor(kBf16, {2880, 640}), scalar("1"),
       scalar("1")},
      {}},
     "",
     2.0 * 888 * 2880 * 640,
     2.0 * (888 * 2880 + 2880 * 640 + 888 * 640 + 640),
     "tensor:bf16"},
    {"addmm_with_a_matrix",
     {"aten::addmm",
      {tensor(kBf16, {8, 4}), tensor(kBf16, {8, 16}), tensor(kBf16, {16, 4}), scalar("1"),
       scalar("1")},
      {}},
     "",
     2.0 * 8 * 16 * 4,
     2.0 * (8 * 16 + 16 * 4 + 2 * 8 * 4),
     "tensor:bf16"},
    {"bmm",
     {"aten::bmm", {tensor("c10::Half", {12, 128, 64}), tensor("c10::Half", {12, 64, 256})}, {}},
     "",
     2.0 * 12 * 128 * 64 * 256,
     2.0 * 12 * (128 * 64 + 64 * 256 + 128 * 256),
     "tensor:fp16"},
    {"bmm_of_an_expanded_matrix",
     {"aten::bmm",
      {tensor("c10::Half", {12, 128, 64}), tensor("c10::Half", {12, 64, 256}, {0, 256, 1})},
      {}},
     "",
     2.0 * 12 * 128 * 64 * 256,
     2.0 * (12 * 128 * 64 + 64 * 256 + 12.0 * 128 * 256),
     "tensor:fp16"},
    {"linear",
     {"aten::linear",
      {tensor(kBf16, {4, 7, 512}), tensor(kBf16, {1024, 512}), tensor(kBf16, {1024})},
      {}},
     "",
     2.0 * 28 * 512 * 1024,
     2.0 * (28 * 512 + 512 * 1024 + 28 * 1024 + 1024),
     "tensor:bf16"},
    // [batch, sequence, heads, dim]; all 559 * 560 / 2 visible pairs of each of 256 heads
    {"flash_attention_causal",
     {"aten::_flash_attention_forward",
      {tensor(kBf16, {16, 559, 16, 64}), tensor(kBf16, {16, 559, 16, 64}),
       tensor(kBf16, {16, 559, 16, 64}), none(), none(), scalar("559"), scalar("559"), scalar("0."),
       scalar("True"), scalar("False"), scalar("0.125")},
      {}},
     "",
     4.0 * 64 * 256 * (559.0 * 560 / 2),
     4.0 * 2 * 16 * 559 * 16 * 64 + 4.0 * 16 * 16 * 559,  // q, k, v, o, and the log-sum-exp
     "tensor:bf16"},
    {"attention_full_grouped",
     {"aten::scaled_dot_product_attention",
      {tensor(kBf16, {2, 8, 128, 64}), tensor(kBf16, {2, 2, 256, 64}),
       tensor(kBf16, {2, 2, 256, 64}), none(), scalar("0."), scalar("False")},
      {}},
     "",
     4.0 * 64 * 2 * 8 * 128 * 256,
     2.0 * (2 * 2 * 8 * 128 * 64 + 2 * 2 * 2 * 256 * 64),
     "tensor:bf16"},
    {"cudnn_convolution_backward_weight",
     {"aten::cudnn_convolution_backward_weight",
      {scalar("[128, 64, 3, 3]"), tensor("c10::Half", {32, 128, 28, 28}),
       tensor("c10::Half", {32, 64, 56, 56})},
      {}},
     "",
     2.0 * 32 * 128 * 28 * 28 * 64 * 9,
     2.0 * (32 * 128 * 28 * 28 + 32 * 64 * 56 * 56 + 128 * 64 * 9),
     "tensor:fp16"},
    {"cudnn_convolution",
     {"aten::cudnn_convolution",
      {tensor("c10::Half", {32, 64, 56, 56}), tensor("c10::Half", {128, 64, 3, 3}),
       scalar("[1, 1]"), scalar("[2, 2]"), scalar("[1, 1]"), scalar("1"), scalar("True")},
      {}},
     "",
     2.0 * 32 * 128 * 28 * 28 * 64 * 9,
     // the last row and column of the input are under no tap: floor((56 + 2 - 3) / 2) + 1 = 28
     2.0 * (32 * 64 * 56 * 56 + 128 * 64 * 9 + 32.0 * 128 * 28 * 28),
     "tensor:fp16"},
    // both gradients: two products of the forward pass; dy, w, x read, dx and dw written
    {"convolution_backward",
     {"aten::convolution_backward",
      {tensor("c10::Half", {32, 128, 28, 28}), tensor("c10::Half", {32, 64, 56, 56}),
       tensor("c10::Half", {128, 64, 3, 3}), scalar("[0]"), scalar("[2, 2]"), scalar("[1, 1]"),
       scalar("[1, 1]"), scalar("False"), scalar("[0, 0]"), scalar("1"),
       scalar("[True, True, False]")},
      {}},
     "",
     2 * 2.0 * 32 * 128 * 28 * 28 * 64 * 9,
     2.0 * (32 * 128 * 28 * 28 + 2 * 128 * 64 * 9 + 2.0 * 32 * 64 * 56 * 56),
     "tensor:fp16"},
    {"convolution_backward_of_the_weights_alone",
     {"aten::convolution_backward",
      {tensor("c10::Half", {32, 128, 28, 28}), tensor("c10::Half", {32, 64, 56, 56}),
       tensor("c10::Half", {128, 64, 3, 3}), scalar("[0]"), scalar("[2, 2]"), scalar("[1, 1]"),
       scalar("[1, 1]"), scalar("False"), scalar("[0, 0]"), scalar("1"),
       scalar("[False, True, False]")},
      {}},
     "",
     2.0 * 32 * 128 * 28 * 28 * 64 * 9,
     2.0 * (32 * 128 * 28 * 28 + 128 * 64 * 9 + 32.0 * 64 * 56 * 56),
     "tensor:fp16"},
    {"vllm_fused_add_rms_norm",
     {"_C::fused_add_rms_norm",
      {tensor(kBf16, {888, 2880}), tensor(kBf16, {888, 2880}), tensor(kBf16, {2880}),
       scalar("1e-05")},
      {}},
     "",
     888 * (5.0 * 2880 + 2),  // 3n + 1, the residual and the weight n each, one root
     2.0 * (4 * 888 * 2880 + 2880),
     "vector:fp32"},
    {"add",
     {"aten::add", {tensor(kBf16, {4, 8}), tensor(kBf16, {4, 8}), scalar("1")}, {}},
     "",
     32,
     2.0 * 3 * 32,
     "vector:fp32"},  // bf16 is widened, docs/model.md
    {"add_broadcast_and_promoted",
     {"aten::add", {tensor("float", {4, 8}), tensor(kBf16, {8}), scalar("1")}, {}},
     "",
     32,
     4.0 * 32 + 2 * 8 + 4 * 32,
     "vector:fp32"},
    {"mul_in_place_by_a_number",
     {"aten::mul_", {tensor("float", {100}), {"double", "0.9", false, {}, {}}}, {}},
     "",
     100,
     800,
     "vector:fp32"},
    {"add_of_an_expanded_tensor",
     {"aten::add",
      {tensor("float", {4, 8}, {8, 1}), tensor("float", {4, 8}, {0, 1}), scalar("1")},
      {}},
     "",
     32,
     4.0 * (32 + 8 + 32),
     "vector:fp32"},
    {"silu", {"aten::silu", {tensor("float", {64})}, {}}, "", 4 * 64, 2 * 4 * 64, "vector:fp32"},
    {"gelu_of_which_the_kernel_tells_the_kind",
     {"aten::gelu", {tensor("float", {64}), none()}, {}},
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#2}>",
     5 * 64,
     2 * 4 * 64,
     "vector:fp32"},
    {"gelu_by_tanh_as_the_kernel_tells",
     {"aten::gelu", {tensor("float", {64}), none()}, {}},
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#1}::operator()() const::{lambda()#2}>",
     9 * 64,
     2 * 4 * 64,
     "vector:fp32"},
    {"copy_casts",
     {"aten::copy_",
      {tensor("float", {10, 20}, {20, 1}), tensor(kBf16, {10, 20}, {20, 1}), scalar("False")},
      {}},
     "",
     0,
     200 * 4 + 200 * 2,
     nullptr},
    {"copy_of_an_expanded_tensor",
     {"aten::copy_",
      {tensor(kBf16, {8, 4, 16}, {64, 16, 1}), tensor(kBf16, {8, 4, 16}, {16, 0, 1})},
      {}},
     "",
     0,
     2.0 * (8 * 4 * 16 + 8 * 16),
     nullptr},
    {"layer_norm",
     {"aten::native_layer_norm",
      {tensor(kBf16, {1, 141, 512}), scalar("[512]"), tensor(kBf16, {512}), tensor(kBf16, {512}),
       scalar("1e-12")},
      {}},
     "",
     141 * (5.0 * 512 + 1) + 2 * 141 * 512 + 141,
     2.0 * 2 * 141 * 512 + 2 * 2 * 512 + 8 * 141,
     "vector:fp32"},
    {"softmax",
     {"aten::_softmax", {tensor("float", {4, 100}), scalar("-1"), scalar("False")}, {}},
     "",
     4 * (4 * 100 - 2) + 4 * 101,
     2 * 4 * 400,
     "vector:fp32"},
    {"mean_of_the_last_axis",
     {"aten::mean", {tensor("float", {16, 559, 1024}), scalar("[-1]"), scalar("True"), none()}, {}},
     "",
     16.0 * 559 * 1024,  // 1023 additions and one product for each result
     4.0 * 16 * 559 * 1025,
     "vector:fp32"},
    {"embedding",
     {"aten::embedding", {tensor(kBf16, {151936, 1024}), tensor("long int", {16, 559})}, {}},
     "",
     0,
     8944.0 * 8 + 2 * 1024 + 2.0 * 8944 * 1024,
     nullptr},
    {"cutlass_row",
     {"cutlass",
      {},
      {{"a", "f32:column"},
       {"b", "f32:column"},
       {"c", "f32:column"},
       {"k", "512"},
       {"m", "256"},
       {"n", "128"},
       {"op_class", "simt"},
       {"operation", "gemm"}}},
     "",
     2.0 * 256 * 128 * 512,
     4.0 * (256 * 512 + 512 * 128 + 256 * 128),
     "vector:fp32"},
    // 56 x 56 results of 3 x 3 values, and where each maximum was
    {"max_pool2d",
     {"aten::max_pool2d_with_indices",
      {tensor("c10::Half", {32, 64, 112, 112}), scalar("[3, 3]"), scalar("[2, 2]"),
       scalar("[1, 1]"), scalar("[1, 1]"), scalar("False")},
      {}},
     "",
     8.0 * 32 * 64 * 56 * 56,
     2.0 * 32 * 64 * (112 * 112 + 56 * 56) + 8.0 * 32 * 64 * 56 * 56,
     nullptr},
    {"max_pool2d_backward",
     {"aten::max_pool2d_with_indices_backward",
      {tensor("float", {1, 2, 4, 4}), tensor("float", {1, 2, 8, 8})},
      {}},
     "",
     32,
     4.0 * 32 + 8.0 * 32 + 4.0 * 128,
     nullptr},
    {"avg_pool2d_of_its_own_stride",
     {"aten::avg_pool2d",
      {tensor("float", {1, 2, 4, 4}), scalar("[2, 2]"), scalar("[]"), scalar("[0, 0]"),
       scalar("False"), scalar("True"), none()},
      {}},
     "",
     8.0 * 3 + 8,
     4.0 * (32 + 8),
     nullptr},
    {"adaptive_avg_pool2d",
     {"aten::_adaptive_avg_pool2d", {tensor("float", {32, 2048, 7, 7}), scalar("[1, 1]")}, {}},
     "",
     49.0 * 32 * 2048,
     4.0 * 32 * 2048 * (49 + 1),
     nullptr},
    // 32 rows of 4096 values: 5n + 1 each with a root, weight and bias a value
    {"group_norm",
     {"aten::native_group_norm",
      {tensor("float", {8, 16, 32, 32}), tensor("float", {16}), tensor("float", {16}), scalar("8"),
       scalar("16"), scalar("1024"), scalar("4"), scalar("1e-05")},
      {}},
     "",
     7.0 * 131072 + 32 + 32,
     4.0 * (2 * 131072 + 2 * 32 + 2 * 16),
     nullptr},
    {"group_norm_backward",
     {"aten::native_group_norm_backward",
      {tensor("float", {8, 16, 32, 32}), tensor("float", {8, 16, 32, 32}), tensor("float", {8, 4}),
       tensor("float", {8, 4}), tensor("float", {16}), scalar("8"), scalar("16"), scalar("1024"),
       scalar("4"), scalar("[True, True, True]")},
      {}},
     "",
     11.0 * 131072 + 2.0 * (8 * 1024 - 1) * 16,
     4.0 * (3 * 131072 + 2 * 32 + 3 * 16),
     nullptr},
    {"rms_norm_backward",
     {"aten::_fused_rms_norm_backward",
      {tensor("float", {128, 1024}), tensor("float", {128, 1024}), scalar("[1024]"),
       tensor("float", {128, 1}), tensor("float", {1024})},
      {}},
     "",
     8.0 * 131072 + 127.0 * 1024,
     4.0 * (3 * 131072 + 128 + 2 * 1024),
     nullptr},
    {"mse_loss",
     {"aten::mse_loss", {tensor("float", {5, 128}), tensor("float", {5, 128}), scalar("1")}, {}},
     "",
     2.0 * 640,
     3.0 * 4 * 640,
     nullptr},
    {"topk",
     {"aten::topk",
      {tensor("float", {8, 1000}), scalar("5"), scalar("-1"), scalar("True"), scalar("True")},
      {}},
     "",
     0,
     4.0 * 8000 + (4.0 + 8) * 8 * 5,
     nullptr},
    {"sort",
     {"aten::sort", {tensor(kBf16, {1000}), scalar("0"), scalar("False")}, {}},
     "",
     0,
     1000.0 * (2 + 2 + 8),
     nullptr},
    {"cumsum",
     {"aten::cumsum", {tensor("float", {4, 10}), scalar("1"), none()}, {}},
     "",
     4.0 * 9,
     2.0 * 4 * 40,
     nullptr},
    {"gather_from_one_value",
     {"aten::gather",
      {tensor(kBf16, {25136, 2880}), scalar("0"), tensor("long int", {888, 2880})},
      {}},
     "",
     0,
     2.0 + (8.0 + 2) * 888 * 2880,
     nullptr},
    // 28 bytes a parameter: its gradient read, itself and both moments read and written
    {"fused_adamw",
     {"aten::_fused_adamw_",
      {scalar("[[100], [10, 10]]"), scalar("[[100], [10, 10]]"), scalar("[[100], [10, 10]]"),
       scalar("[[100], [10, 10]]"), scalar("[]"), scalar("[[], []]")},
      {}},
     "void at::native::multi_tensor_apply_kernel<at::native::FusedOptimizerTensorListMetadata<4>, "
     "at::native::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float*>(...)",
     16.0 * 200,
     28.0 * 200,
     nullptr},
    {"foreach_add_of_a_scalar",
     {"aten::_foreach_add_", {scalar("[[128], [8, 8]]"), scalar("1"), none()}, {}},
     "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<1>, "
     "at::native::BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>, std::plus<float>, float>(...)",
     192,
     2.0 * 2 * 192,
     nullptr},
    {"foreach_addcdiv",
     {"aten::_foreach_addcdiv_",
      {scalar("[[64]]"), scalar("[[64]]"), scalar("[[64]]"), none()},
      {}},
     "at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<3>, "
     "at::native::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::divides<float>, float>",
     (3.0 + 1) * 64,
     4.0 * 4 * 64,
     nullptr},
    {"vllm_rotary_embedding",
     {"_C::rotary_embedding",
      {tensor("long int", {888}), tensor(kBf16, {888, 512}), tensor(kBf16, {888, 64}), scalar("64"),
       tensor(kBf16, {131072, 64}), scalar("True")},
      {}},
     "",
     3.0 * 888 * 9 * 64,
     2.0 * (2 * 888 * 9 * 64 + 64) + 8 * 888,  // one row of the table: positions may be shared
     nullptr},
    {"batch_norm_with_everything",
     {"aten::native_batch_norm",
      {tensor("float", {8, 16, 32, 32}), tensor("float", {16}), tensor("float", {16}),
       tensor("float", {16}), tensor("float", {16}), scalar("True"), scalar("0.1"), scalar("1e-5")},
      {}},
     "",
     16.0 * (6 * 8 * 1024 + 10) + 16,
     4.0 * (2 * 8 * 16 * 1024 + 2 * 16 + 4 * 16 + 2 * 16),
     nullptr},
    {"batch_norm_without_weight_and_bias",
     {"aten::native_batch_norm",
      {tensor("float", {8, 16, 32, 32}), none(), none(), tensor("float", {16}),
       tensor("float", {16}), scalar("True"), scalar("0.1"), scalar("1e-5")},
      {}},
     "",
     16.0 * (6 * 8 * 1024 + 8) + 16,
     4.0 * (2 * 8 * 16 * 1024 + 4 * 16 + 2 * 16),  // running statistics twice, saved ones once
     nullptr},
    {"instance_norm_without_anything",
     {"aten::native_batch_norm",
      {tensor("float", {1, 128, 2, 2}), none(), none(), none(), none(), scalar("True"),
       scalar("0.1"), scalar("1e-5")},
      {}},
     "",
     128.0 * (6 * 4 + 2) + 128,
     4.0 * (2 * 128 * 4 + 2 * 128),
     nullptr},
    {"batch_norm_backward_without_weight",
     {"aten::native_batch_norm_backward",
      {tensor("float", {1, 128, 2, 2}), tensor("float", {1, 128, 2, 2}), none(), none(), none(),
       tensor("float", {128}), tensor("float", {128}), scalar("True"), scalar("1e-5"), none()},
      {}},
     "",
     128.0 * (9 * 4 + 1),
     4.0 * (3 * 128 * 4 + 2 * 128),
     nullptr},
    {"vllm_scaled_mm",
     {"_C::cutlass_scaled_mm",
      {tensor(kBf16, {16, 32}), tensor("c10::Float8_e4m3fn", {16, 64}),
       tensor("c10::Float8_e4m3fn", {64, 32}), tensor("float", {16, 1}), tensor("float", {1, 32}),
       none()},
      {}},
     "",
     2.0 * 16 * 32 * 64,
     16.0 * 64 + 64 * 32 + 2 * 16 * 32,
     "tensor:fp8"},
};

class Maps : public testing::TestWithParam<Case> {};
TEST_P(Maps, ExactWork) {
  const auto& c = GetParam();
  const auto kernel = map_operation(c.operation, c.kernel);
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(kernel->work.flops().to_double(), c.flops);
  EXPECT_EQ(kernel->work.bytes().to_double(), c.bytes);
  if (c.pipe) {
    EXPECT_EQ(pipe_name(kernel->work.pipe()), c.pipe);
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, Maps, testing::ValuesIn(kCases));

TEST(Maps, CollectivesByTheirMessage) {
  // 8 ranks, 1 MiB of fp32: a ring sends 2 * 7/8 of the array
  const auto kernel = map_operation({"nccl",
                                     {},
                                     {{"collective", "allreduce"},
                                      {"dtype", "Float"},
                                      {"group_size", "8"},
                                      {"in_elements", "262144"},
                                      {"out_elements", "262144"}}},
                                    "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(kernel->work.link_bytes().to_double(), 2.0 * 7 / 8 * 1048576);
}

// NCCL calls its kernels RING_LL whatever they do (ncclDevKernelForFunc): where the switch can sum,
// each rank may send its array once, and measured times are below the ring's floor.
TEST(Maps, AllReduceWhereSwitchesSum) {
  const Operation sum{"nccl",
                      {},
                      {{"collective", "allreduce"},
                       {"dtype", "Float"},
                       {"group_size", "8"},
                       {"in_elements", "262144"},
                       {"out_elements", "262144"}}};
  const auto kernel = map_operation(sum, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", {true});
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(kernel->work.link_bytes().to_double(), 1048576);
}

TEST(Maps, CollectivesByTheirOperands) {
  // (output, input): 8 ranks keep an eighth each of 65536 x 64 floats
  const Operation scatter{"c10d::_reduce_scatter_base_",
                          {tensor("float", {8192, 64}), tensor("float", {65536, 64})},
                          {}};
  const Operation gather{
      "c10d::_allgather_base_", {tensor(kBf16, {65536, 64}), tensor(kBf16, {8192, 64})}, {}};
  const auto scattered = map_operation(scatter, ""), gathered = map_operation(gather, "");
  ASSERT_TRUE(scattered && gathered);
  EXPECT_EQ(scattered->work.link_bytes().to_double(), 7.0 / 8 * 65536 * 64 * 4);
  EXPECT_EQ(gathered->work.link_bytes().to_double(), 7.0 / 8 * 65536 * 64 * 2);
}

TEST(Maps, TypesByTheKernelsName) {
  struct Row {
    const char* kernel;
    const char* pipe;  ///< nullptr: the name does not tell one
  };
  const Row rows[] = {
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn", "tensor:bf16"},
      {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32", "tensor:fp16"},
      {"ampere_sgemm_128x64_tn", "vector:fp32"},
      {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize32x32x64", "tensor:tf32"},
      {"Cijk_Alik_Bljk_MT64x64x32", nullptr},
      {"gemm_kernel<__half, __nv_bfloat16>", nullptr},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n", nullptr},
  };
  const Operation mm{"aten::mm", {tensor("", {64, 32}), tensor("", {32, 16})}, {}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.kernel);
    const auto kernel = map_operation(mm, row.kernel);
    EXPECT_EQ(kernel ? pipe_name(kernel->work.pipe()) : std::string(kernel.error()),
              row.pipe ? std::string(row.pipe) : std::string(unmapped::kNoDtype));
  }
  // A table of indices is of another type than the table it looks up in.
  const Operation lookup{"aten::embedding", {tensor("", {100, 8}), tensor("", {4})}, {}};
  EXPECT_FALSE(map_operation(lookup, "gather_kernel<float>"));
}

struct Refused {
  const char* name;
  Operation operation;
  std::string_view reason;
};
void PrintTo(const Refused& c, std::ostream* out) { *out << c.name; }
const Refused kRefused[] = {
    {"unknown_operator", {"aten::nonzero", {tensor("float", {4})}, {}}, unmapped::kNotModelled},
    {"not_of_pytorch", {"vllm::moe_forward", {tensor("float", {4})}, {}}, unmapped::kNotModelled},
    {"without_shapes", {"aten::mm", {}, {}}, unmapped::kNoShapes},
    {"gelu_of_one_of_two_kinds",
     {"aten::gelu", {tensor("float", {64}), none()}, {}},
     unmapped::kNoArguments},
    {"without_types",
     {"aten::mm", {tensor("", {4, 4}), tensor("", {4, 4})}, {}},
     unmapped::kNoDtype},
    {"group_not_told",
     {"c10d::alltoall_base_", {tensor("float", {8}), tensor("float", {8})}, {}},
     unmapped::kNoArguments},
    {"shares_of_different_sizes",
     {"c10d::_allgather_base_", {tensor("float", {9}), tensor("float", {4})}, {}},
     unmapped::kContradiction},
    {"sizes_that_do_not_meet",
     {"aten::mm", {tensor(kBf16, {4, 5}), tensor(kBf16, {4, 4})}, {}},
     unmapped::kContradiction},
    {"mask_not_recorded",
     {"aten::scaled_dot_product_attention",
      {tensor(kBf16, {1, 8, 16, 64}), tensor(kBf16, {1, 8, 16, 64}), tensor(kBf16, {1, 8, 16, 64})},
      {}},
     unmapped::kNoArguments},
    {"ragged_batch",
     {"aten::_flash_attention_forward",
      {tensor(kBf16, {888, 8, 64}), tensor(kBf16, {888, 8, 64}), tensor(kBf16, {888, 8, 64})},
      {}},
     unmapped::kLengths},
    {"stride_not_recorded",
     {"aten::cudnn_convolution",
      {tensor("float", {32, 3, 224, 224}), tensor("float", {64, 3, 7, 7}), none(), none(), none()},
      {}},
     unmapped::kNoArguments},
    {"window_not_recorded",
     {"aten::max_pool2d_with_indices", {tensor("float", {1, 2, 4, 4}), none(), none()}, {}},
     unmapped::kNoArguments},
    {"lists_of_an_unknown_type",
     {"aten::_foreach_add_", {scalar("[[128]]"), scalar("1")}, {}},
     unmapped::kNoDtype},
    {"lists_without_sizes", {"aten::_fused_adamw_", {none(), none()}, {}}, unmapped::kNoShapes},
    {"sizes_of_a_gradient_not_recorded",
     {"aten::cudnn_convolution_backward_weight",
      {none(), tensor("float", {32, 1024, 14, 14}), tensor("float", {32, 256, 14, 14})},
      {}},
     unmapped::kNoArguments},
    {"copy_without_strides",
     {"aten::copy_", {tensor(kBf16, {8, 4}), tensor(kBf16, {8, 4})}, {}},
     unmapped::kNoArguments},
};
class Refuses : public testing::TestWithParam<Refused> {};
TEST_P(Refuses, SaysWhy) {
  const auto kernel = map_operation(GetParam().operation, "");
  ASSERT_FALSE(kernel) << kernel->work.bytes().to_string();
  EXPECT_EQ(kernel.error(), GetParam().reason);
}
INSTANTIATE_TEST_SUITE_P(Rows, Refuses, testing::ValuesIn(kRefused));

}  // namespace
}  // namespace roofline
