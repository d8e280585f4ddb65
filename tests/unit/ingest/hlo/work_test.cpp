#include "ingest/hlo/work.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "ingest/hlo/operation.hpp"
#include "roofline/ingest/mapping.hpp"

/// The work of XLA's instructions, each expectation counted by hand by the rules of docs/model.md,
/// section 1. Programs are written as XLA prints them.
namespace roofline::hlo {
namespace {

using Amounts = std::map<std::string, std::uint64_t, std::less<>>;

constexpr std::string_view kAdd = R"(
%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %z = f32[] add(%x, %y)
}
)";

/// The work of `name` in kAdd and `text`.
tl::expected<Work, std::string_view> work_of(std::string_view text, std::string_view name) {
  static std::deque<std::string> texts;  // modules are views into them
  texts.push_back(std::string(kAdd) + std::string(text));
  const auto module = read_text(texts.back());
  if (!module) return tl::unexpected<std::string_view>("unreadable");
  const auto place = module->find(name);
  if (!place) return tl::unexpected<std::string_view>("not there");
  return count_work(*module, *place);
}

void expect(std::string_view text, std::string_view name, const Amounts& amounts,
            std::uint64_t read, std::uint64_t written) {
  SCOPED_TRACE(text);
  const auto work = work_of(text, name);
  ASSERT_TRUE(work) << work.error();
  EXPECT_EQ(work->amounts, amounts);
  EXPECT_EQ(work->read_bytes, read);
  EXPECT_EQ(work->written_bytes, written);
}
void expect_unknown(std::string_view text, std::string_view name, std::string_view reason) {
  SCOPED_TRACE(text);
  const auto work = work_of(text, name);
  ASSERT_FALSE(work);
  EXPECT_EQ(work.error(), reason);
}

TEST(HloWork, DotOfTwoMatrices) {
  expect(R"(
ENTRY %main (a: bf16[64,128], b: bf16[128,32]) -> f32[64,32] {
  %a = bf16[64,128]{1,0} parameter(0)
  %b = bf16[128,32]{1,0} parameter(1)
  ROOT %dot.1 = f32[64,32]{1,0} dot(bf16[64,128]{1,0} %a, bf16[128,32]{1,0} %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)",
         "dot.1", {{"matmul.bf16", 2 * 64 * 32 * 128}}, 2 * (64 * 128 + 128 * 32), 4 * 64 * 32);
}

TEST(HloWork, ElementwiseFusionReadsABroadcastOperandOnce) {
  // x * rsqrt(v) + v, v of one row: the root of a row is taken once for each of its elements.
  expect(R"(
%fused (p: f32[1024,256], q: f32[256]) -> bf16[1024,256] {
  %p = f32[1024,256] parameter(0)
  %q = f32[256] parameter(1)
  %r = f32[256] rsqrt(%q)
  %br = f32[1024,256] broadcast(%r), dimensions={1}
  %bq = f32[1024,256] broadcast(%q), dimensions={1}
  %m = f32[1024,256] multiply(%p, %br)
  %s = f32[1024,256] add(%m, %bq)
  ROOT %c = bf16[1024,256] convert(%s)
}
ENTRY %main (a: f32[1024,256], b: f32[256]) -> bf16[1024,256] {
  %a = f32[1024,256] parameter(0)
  %b = f32[256] parameter(1)
  ROOT %fusion.7 = bf16[1024,256] fusion(%a, %b), kind=kLoop, calls=%fused
}
)",
         "fusion.7", {{"vector.fp32", 2 * 1024 * 256}, {"sfu", 256}}, 4 * (1024 * 256 + 256),
         2 * 1024 * 256);
}

TEST(HloWork, ReductionTakesOneLessThanItsElements) {
  expect(R"(
ENTRY %main (a: f32[8,1000]) -> f32[8] {
  %a = f32[8,1000] parameter(0)
  %zero = f32[] constant(0)
  ROOT %reduce.1 = f32[8] reduce(%a, %zero), dimensions={1}, to_apply=%sum
}
)",
         "reduce.1", {{"vector.fp32", 8 * 999}}, 4 * 8000 + 4, 4 * 8);
}

TEST(HloWork, OnlyWhatSlicesTakeIsRead) {
  // Two halves of four columns each, and a slice of one of them again: eight of sixteen columns.
  expect(R"(
%fused (p: f32[100,16]) -> f32[100,4] {
  %p = f32[100,16] parameter(0)
  %l = f32[100,4] slice(%p), slice={[0:100], [0:4]}
  %h = f32[100,4] slice(%p), slice={[0:100], [8:12]}
  %again = f32[100,4] slice(%p), slice={[0:100], [0:4]}
  %s = f32[100,4] multiply(%l, %h)
  ROOT %t = f32[100,4] add(%s, %again)
}
ENTRY %main (a: f32[100,16]) -> f32[100,4] {
  %a = f32[100,16] parameter(0)
  ROOT %fusion = f32[100,4] fusion(%a), kind=kLoop, calls=%fused
}
)",
         "fusion", {{"vector.fp32", 2 * 400}}, 4 * 100 * 8, 4 * 400);
}

TEST(HloWork, SlicesThatOverlapAreReadOnce) {
  // [0, 6) and [4, 10): ten elements.
  expect(R"(
%fused (p: f32[20]) -> f32[6] {
  %p = f32[20] parameter(0)
  %l = f32[6] slice(%p), slice={[0:6]}
  %h = f32[6] slice(%p), slice={[4:10]}
  ROOT %s = f32[6] add(%l, %h)
}
ENTRY %main (a: f32[20]) -> f32[6] {
  %a = f32[20] parameter(0)
  ROOT %fusion = f32[6] fusion(%a), kind=kLoop, calls=%fused
}
)",
         "fusion", {{"vector.fp32", 6}}, 4 * 10, 4 * 6);
}

TEST(HloWork, AnUpdateInPlaceMovesTheUpdateAlone) {
  expect(R"(
%fused (cache: bf16[1,4096,8,128], new: bf16[1,1,8,128], at: s32[]) -> bf16[4096,1024] {
  %cache = bf16[1,4096,8,128] parameter(0)
  %new = bf16[1,1,8,128] parameter(1)
  %at = s32[] parameter(2)
  %zero = s32[] constant(0)
  %u = bf16[1,4096,8,128] dynamic-update-slice(%cache, %new, %zero, %at, %zero, %zero)
  ROOT %v = bf16[4096,1024] bitcast(%u)
}
ENTRY %main (c: bf16[1,4096,8,128], n: bf16[1,1,8,128], i: s32[]) -> bf16[4096,1024] {
  %c = bf16[1,4096,8,128] parameter(0)
  %n = bf16[1,1,8,128] parameter(1)
  %i = s32[] parameter(2)
  ROOT %fusion = bf16[4096,1024] fusion(%c, %n, %i), kind=kLoop, calls=%fused
}
)",
         "fusion", {}, 2 * 1024 + 4, 2 * 1024);
}

TEST(HloWork, ThePartOfAFusionThatNothingNeedsIsNotDone) {
  expect(R"(
%fused (p: f32[64], q: f32[64]) -> f32[64] {
  %p = f32[64] parameter(0)
  %q = f32[64] parameter(1)
  %unused = f32[64] exponential(%q)
  ROOT %t = f32[64] tanh(%p)
}
ENTRY %main (a: f32[64], b: f32[64]) -> f32[64] {
  %a = f32[64] parameter(0)
  %b = f32[64] parameter(1)
  ROOT %fusion = f32[64] fusion(%a, %b), kind=kLoop, calls=%fused
}
)",
         "fusion", {{"sfu", 64}}, 256, 256);
}

TEST(HloWork, IndicesAreFreeAndHashesAreNot) {
  // A causal mask made of counters costs its choice alone; shifts and xors of a generator count.
  expect(R"(
%fused (p: f32[32,32]) -> f32[32,32] {
  %p = f32[32,32] parameter(0)
  %i = s32[32,32] iota(), iota_dimension=0
  %j = s32[32,32] iota(), iota_dimension=1
  %m = pred[32,32] compare(%i, %j), direction=GE
  %zero = f32[] constant(0)
  %z = f32[32,32] broadcast(%zero), dimensions={}
  ROOT %s = f32[32,32] select(%m, %p, %z)
}
ENTRY %main (a: f32[32,32]) -> f32[32,32] {
  %a = f32[32,32] parameter(0)
  ROOT %mask = f32[32,32] fusion(%a), kind=kLoop, calls=%fused
}
)",
         "mask", {{"vector.fp32", 1024}}, 4096, 4096);
  expect(R"(
%fused (k: u32[]) -> u32[16] {
  %k = u32[] parameter(0)
  %i = u32[16] iota(), iota_dimension=0
  %b = u32[16] broadcast(%k), dimensions={}
  %x = u32[16] xor(%i, %b)
  ROOT %m = u32[16] multiply(%x, %x)
}
ENTRY %main (a: u32[]) -> u32[16] {
  %a = u32[] parameter(0)
  ROOT %hash = u32[16] fusion(%a), kind=kLoop, calls=%fused
}
)",
         "hash", {{"int", 32}}, 4, 64);
}

TEST(HloWork, OneArrayUnderTwoNamesIsReadOnce) {
  expect(R"(
%fused (p: f32[8,8], q: f32[64]) -> f32[64] {
  %p = f32[8,8] parameter(0)
  %q = f32[64] parameter(1)
  %r = f32[64] reshape(%p)
  ROOT %s = f32[64] multiply(%r, %q)
}
ENTRY %main (a: f32[8,8]) -> f32[64] {
  %a = f32[8,8] parameter(0)
  %flat = f32[64] bitcast(%a)
  ROOT %square = f32[64] fusion(%a, %flat), kind=kLoop, calls=%fused
}
)",
         "square", {{"vector.fp32", 64}}, 256, 256);
}

TEST(HloWork, GatherReadsOneRowAtLeast) {
  expect(R"(
ENTRY %main (t: bf16[32000,4096], i: s32[2048,1]) -> bf16[2048,4096] {
  %t = bf16[32000,4096] parameter(0)
  %i = s32[2048,1] parameter(1)
  ROOT %gather = bf16[2048,4096] gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4096}
}
)",
         "gather", {}, 2 * 4096 + 4 * 2048, 2 * 2048 * 4096);
}

TEST(HloWork, SeveralResults) {
  expect(R"(
%fused (p: f32[10,10]) -> (f32[10,10], f32[10]) {
  %p = f32[10,10] parameter(0)
  %e = f32[10,10] exponential(%p)
  %zero = f32[] constant(0)
  %s = f32[10] reduce(%e, %zero), dimensions={1}, to_apply=%sum
  ROOT %t = (f32[10,10], f32[10]) tuple(%e, %s)
}
ENTRY %main (a: f32[10,10]) -> (f32[10,10], f32[10]) {
  %a = f32[10,10] parameter(0)
  ROOT %fusion = (f32[10,10]{1,0}, /*index=1*/f32[10]{0}) fusion(%a), kind=kInput, calls=%fused
}
)",
         "fusion", {{"sfu", 100}, {"vector.fp32", 10 * 9}}, 400, 400 + 40);
}

TEST(HloWork, RunningSumIsNotAWindowForEachElement) {
  expect(R"(
ENTRY %main (a: f32[4,100]) -> f32[4,100] {
  %a = f32[4,100] parameter(0)
  %zero = f32[] constant(0)
  ROOT %cumsum = f32[4,100] reduce-window(%a, %zero), window={size=1x100 pad=0_0x99_0}, to_apply=%sum
}
)",
         "cumsum", {{"vector.fp32", 400}}, 1604, 1600);
}

TEST(HloWork, MatrixProductOfALibrary) {
  // relu(2 a b + c + bias), of which XLA passes c and the bias as operands and asks for a
  // workspace: per result a factor, a sum, the bias and the comparison.
  expect(R"(
ENTRY %main (a: f16[64,128], b: f16[128,32], c: f16[64,32], v: f16[32]) -> f16[64,32] {
  %a = f16[64,128] parameter(0)
  %b = f16[128,32] parameter(1)
  %c = f16[64,32] parameter(2)
  %v = f16[32] parameter(3)
  %custom-call.2 = (f16[64,32]{1,0}, s8[4194304]{0}) custom-call(%a, %b, %c, %v), custom_call_target="__cublas$lt$matmul", backend_config={"operation_queue_id":"0","gemm_backend_config":{"alpha_real":2,"alpha_imag":0,"beta":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]},"epilogue":"BIAS_RELU"}}
  ROOT %r = f16[64,32] get-tuple-element(%custom-call.2), index=0
}
)",
         "custom-call.2", {{"matmul.fp16", 2 * 64 * 32 * 128}, {"vector.fp32", 4 * 64 * 32}},
         2 * (64 * 128 + 128 * 32 + 64 * 32 + 32), 2 * 64 * 32);
}

TEST(HloWork, ConvolutionOfALibrary) {
  // 1 x 1 in steps of 2: a quarter of the input is touched.
  expect(R"(
ENTRY %main (x: bf16[4,16,8,8], w: bf16[32,16,1,1]) -> (bf16[4,32,4,4], u8[0]) {
  %x = bf16[4,16,8,8] parameter(0)
  %w = bf16[32,16,1,1] parameter(1)
  ROOT %cudnn-conv = (bf16[4,32,4,4], u8[0]) custom-call(%x, %w), window={size=1x1 stride=2x2}, dim_labels=bf01_oi01->bf01, custom_call_target="__cudnn$convForward", backend_config={"cudnn_conv_backend_config":{"activation_mode":"kNone","conv_result_scale":1,"side_input_scale":0}}
}
)",
         "cudnn-conv", {{"matmul.bf16", std::uint64_t{2} * 4 * 32 * 16 * 16}},
         2 * (4 * 16 * 16 + 32 * 16), 2 * 4 * 32 * 16);
  // The gradient of the weights of the same layer with 3 x 3 taps and padding 1: the products of
  // the forward pass; dw is written.
  expect(R"(
ENTRY %main (x: bf16[4,16,8,8], dy: bf16[4,32,8,8]) -> (bf16[32,16,3,3], u8[64]) {
  %x = bf16[4,16,8,8] parameter(0)
  %dy = bf16[4,32,8,8] parameter(1)
  ROOT %dw = (bf16[32,16,3,3], u8[64]) custom-call(%x, %dy), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, custom_call_target="__cudnn$convBackwardFilter", backend_config={"cudnn_conv_backend_config":{"activation_mode":"kNone","conv_result_scale":1}}
}
)",
         "dw", {{"matmul.bf16", std::uint64_t{2} * 4 * 32 * 64 * 16 * 9}},
         2 * (4 * 16 * 64 + 4 * 32 * 64), 2 * 32 * 16 * 9);
}

TEST(HloWork, AttentionOfCudnn) {
  // Causal, 2 sequences of 128, 4 heads of 64: 128 * 129 / 2 pairs to a head.
  constexpr std::uint64_t kPairs = std::uint64_t{2} * 4 * 128 * 129 / 2;
  expect(R"(
ENTRY %main (q: bf16[2,128,4,64], k: bf16[2,128,4,64], v: bf16[2,128,4,64]) -> (bf16[2,4,128,64], u8[0]) {
  %q = bf16[2,128,4,64] parameter(0)
  %k = bf16[2,128,4,64] parameter(1)
  %v = bf16[2,128,4,64] parameter(2)
  ROOT %fmha = (bf16[2,4,128,64], u8[0]) custom-call(%q, %k, %v), custom_call_target="__cudnn$fmhaSoftmax", backend_config={"cudnn_fmha_backend_config":{"fmha_scale":0.125,"dropout_rate":0,"intermediate_tensor_shape":{"element_type":"BF16","dimensions":["2","4","128","128"],"layout":{"minor_to_major":["3"]}},"mask_type":"CAUSAL","sliding_window_length":0}}
}
)",
         "fmha", {{"matmul.bf16", kPairs * 2 * 128}, {"sfu", kPairs}}, 3 * 2 * 2 * 128 * 4 * 64,
         2 * 2 * 128 * 4 * 64);
}

TEST(HloWork, AttentionOfTransformerEngine) {
  const auto call = [](std::string_view direction, int mask, int layout) {
    return R"(
ENTRY %main (qkv: bf16[1,64,3,2,32], lengths: s32[2]) -> (bf16[1,64,2,32], f32[1,2,64,1], u8[128]) {
  %qkv = bf16[1,64,3,2,32] parameter(0)
  %lengths = s32[2] parameter(1)
  ROOT %te = (bf16[1,64,2,32], f32[1,2,64,1], u8[128]) custom-call(%qkv, %lengths, %lengths), custom_call_target="te_fused_attn_)" +
           std::string(direction) +
           R"(_ffi", backend_config={attn_heads = 2 : i64, bias_type = 0 : i64, input_batch = 1 : i64, kv_max_seqlen = 64 : i64, mask_type = )" +
           std::to_string(mask) +
           R"( : i64, num_gqa_groups = 2 : i64, q_max_seqlen = 64 : i64, qk_head_dim = 32 : i64, qkv_layout = )" +
           std::to_string(layout) +
           R"( : i64, v_head_dim = 32 : i64, window_size_left = -1 : i64, window_size_right = -1 : i64}
}
)";
  };
  constexpr std::uint64_t kAll = 2 * 64 * 64, kCausal = 2 * 64 * 65 / 2;
  constexpr std::uint64_t kRead = 2 * 64 * 3 * 2 * 32 + 8, kWritten = 2 * 64 * 2 * 32 + 4 * 2 * 64;
  expect(call("forward", 0, 5), "te", {{"matmul.bf16", kAll * 2 * 64}, {"sfu", kAll}}, kRead,
         kWritten);
  expect(call("forward", 2, 5), "te", {{"matmul.bf16", kCausal * 2 * 64}, {"sfu", kCausal}}, kRead,
         kWritten);
  expect(call("backward", 2, 5), "te",
         {{"matmul.bf16", kCausal * 2 * (3 * 32 + 2 * 32)}, {"sfu", kCausal}}, kRead, kWritten);
  expect_unknown(call("forward", 3, 5), "te", unmapped::kLengths);   // padding
  expect_unknown(call("forward", 2, 14), "te", unmapped::kLengths);  // sequences of any length
}

TEST(HloWork, WhatIsNotKnownIsNotCounted) {
  expect_unknown(R"(
ENTRY %main (a: f32[64]) -> f32[64] {
  %a = f32[64] parameter(0)
  ROOT %sort = f32[64] sort(%a), dimensions={0}, to_apply=%sum
}
)",
                 "sort", unmapped::kNotModelled);
  expect_unknown(R"(
ENTRY %main (a: f32[64]) -> f32[64] {
  %a = f32[64] parameter(0)
  ROOT %call = f32[64] custom-call(%a), custom_call_target="my_kernel"
}
)",
                 "call", unmapped::kNotModelled);
  expect_unknown(R"(
ENTRY %main (a: f32[4294967296,4294967296,4294967296]) -> f32[] {
  %a = f32[4294967296,4294967296,4294967296] parameter(0)
  %zero = f32[] constant(0)
  ROOT %reduce = f32[] reduce(%a, %zero), dimensions={0,1,2}, to_apply=%sum
}
)",
                 "reduce", unmapped::kContradiction);
}

TEST(HloOperation, CollectiveOverItsGroup) {
  const auto module = read_text(std::string_view(R"(
%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %z = f32[] add(%x, %y)
}
ENTRY %main (a: bf16[1000], b: bf16[24]) -> (bf16[1000], bf16[24]) {
  %a = bf16[1000] parameter(0)
  %b = bf16[24] parameter(1)
  ROOT %all-reduce.3 = (bf16[1000], bf16[24]) all-reduce(%a, %b), replica_groups=[2,4]<=[8], to_apply=%sum
}
)"));
  ASSERT_TRUE(module);
  const auto operation = operation_of(*module, *module->find("all-reduce.3"));
  EXPECT_EQ(operation.attribute("group_size"), "4");
  EXPECT_EQ(operation.attribute("in_elements"), "2048");  // bytes
  const auto kernel = map_operation(operation, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  ASSERT_TRUE(kernel) << kernel.error();
}

TEST(HloOperation, AsynchronousCollectives) {
  // A gather of 1000 bf16 of each of 4, of which it returns what it took as well; a scatter of 4000
  // f32 over 2 within another instruction; devices that are not listed are all.
  const auto module = read_text(std::string_view(R"(
%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %z = f32[] add(%x, %y)
}
%wrapped (p: f32[4000]) -> f32[2000] {
  %p = f32[4000] parameter(0)
  ROOT %rs = f32[2000] reduce-scatter(%p), replica_groups={{0,1},{2,3}}, dimensions={0}, to_apply=%sum
}
ENTRY %main (a: bf16[1000], b: f32[4000]) -> bf16[4000] {
  %a = bf16[1000] parameter(0)
  %b = f32[4000] parameter(1)
  %all-gather-start = (bf16[1000], bf16[4000]) all-gather-start(%a), replica_groups={{0,1,2,3}}, dimensions={0}
  %rs-start = ((f32[4000]), f32[2000], u32[]) async-start(%b), calls=%wrapped
  %everyone = bf16[1000] all-reduce(%a), replica_groups={}, to_apply=%sum
  ROOT %done = bf16[4000] all-gather-done(%all-gather-start)
}
)"));
  ASSERT_TRUE(module);
  const auto link_bytes = [&](std::string_view name) {
    const auto kernel = map_operation(operation_of(*module, *module->find(name)), "nccl");
    return kernel ? kernel->work.link_bytes().to_double() : -1;
  };
  EXPECT_EQ(link_bytes("all-gather-start"), 3.0 / 4 * 8000);
  EXPECT_EQ(link_bytes("rs-start"), 1.0 / 2 * 16000);
  EXPECT_EQ(link_bytes("everyone"), -1);  // how many there are is not told
}

TEST(HloOperation, SaysWhatItHasToDo) {
  const auto module = read_text(std::string_view(R"(
ENTRY %main (a: f32[64,128], b: f32[128,32]) -> f32[64,32] {
  %a = f32[64,128] parameter(0)
  %b = f32[128,32] parameter(1)
  ROOT %dot.1 = f32[64,32] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)"));
  ASSERT_TRUE(module);
  const auto operation = operation_of(*module, *module->find("dot.1"));
  EXPECT_EQ(operation_text(operation), "hlo::dot.1 [64,128] x [128,32] f32");
  EXPECT_EQ(operation.attribute("result"), "f32[64,32]");
  EXPECT_EQ(operation.attribute("work"), "matmul.fp32=524288");
  // FP32 on tensor cores is told by the kernel's name.
  const auto plain = map_operation(operation, "sgemm_128x64"),
             tensor = map_operation(operation, "sm80_xmma_gemm_tf32tf32_f32");
  ASSERT_TRUE(plain && tensor);
  EXPECT_EQ(plain->work.bytes().to_double(), 4.0 * (64 * 128 + 128 * 32 + 64 * 32));
  EXPECT_EQ(plain->work.flops().to_double(), 524288);
  EXPECT_EQ(pipe_name(plain->work.pipe()), "vector:fp32");
  EXPECT_EQ(pipe_name(tensor->work.pipe()), "tensor:tf32");
}

TEST(HloText, AnInstructionAlone) {
  const auto work = [](std::string_view text) {
    const auto module = read_instruction(text);
    if (!module) return tl::expected<Work, std::string_view>(tl::unexpect, "unreadable");
    return count_work(*module, {0, module->computations[0].root});
  };
  // One operand twice is one array.
  const auto dot = work(
      "%dot.1 = f32[8,8]{1,0} dot(bf16[8,8]{1,0:T(8,128)(2,1)} %a, bf16[8,8]{1,0} %a), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name=\"jit(f)/dot\"}");
  ASSERT_TRUE(dot) << dot.error();
  EXPECT_EQ(dot->amounts, (Amounts{{"matmul.bf16", 1024}}));
  EXPECT_EQ(dot->read_bytes, 128u);
  EXPECT_EQ(dot->written_bytes, 256u);
  // What is fused is not in the text: neither its work nor how much of an operand it needs.
  EXPECT_EQ(work("%fusion = f32[8] fusion(f32[8] %a), kind=kLoop, calls=%fused").error(),
            unmapped::kNotModelled);
  EXPECT_EQ(work("%dot.1 = f32[8,8] dot(%a, %b), lhs_contracting_dims={1}").error(), "unreadable");
}

TEST(HloWork, CallsOfCallsEnd) {
  // Each computation calls the one before it twice: 2^40 of the first.
  std::string text = "%c0 (p: f32[4]) -> f32[4] {\n  %p0 = f32[4] parameter(0)\n"
                     "  ROOT %r0 = f32[4] tanh(%p0)\n}\n";
  for (int i = 1; i <= 40; ++i) {
    const auto n = std::to_string(i), before = std::to_string(i - 1);
    text += "%c" + n + " (p: f32[4]) -> f32[4] {\n  %p" + n + " = f32[4] parameter(0)\n  %a" + n +
            " = f32[4] call(%p" + n + "), to_apply=%c" + before + "\n  ROOT %r" + n +
            " = f32[4] call(%a" + n + "), to_apply=%c" + before + "\n}\n";
  }
  const auto module = read_text(text);
  ASSERT_TRUE(module);
  const auto third = count_work(*module, *module->find("a3"));  // calls %c2
  ASSERT_TRUE(third);
  EXPECT_EQ(third->amounts, (Amounts{{"sfu", 16}}));
  EXPECT_EQ(count_work(*module, *module->find("r40")).error(), unmapped::kNotModelled);
  EXPECT_EQ(count_work(*module, *module->find("r30")).error(), unmapped::kNotModelled);
}

TEST(HloText, DamageIsRefused) {
  for (const std::string_view text :
       {"", "ENTRY %main () -> f32[] {", "%a (x: f32[]) -> f32[] {\n}\n",
        "%a (x: f32[]) -> f32[] {\n  %y = f32[] negate(%x)\n}\n",
        "%a (x: f32[]) -> f32[] {\n  %x = f32[ parameter(0)\n}\n",
        "%a (x: f32[]) -> f32[] {\n  %x = f32[1] fusion(), calls=%none\n}\n"})
    EXPECT_FALSE(read_text(text)) << text;
}

/// Single characters changed, and lines left out: read or refused, and counted or not known.
TEST(HloText, ChangesEndWell) {
  const std::string whole = std::string(kAdd) + R"(
%fused (p: f32[100,16], q: s32[]) -> (f32[100,4], f32[100]) {
  %p = f32[100,16]{1,0} parameter(0)
  %q = s32[] parameter(1)
  %zero = f32[] constant(0)
  %l = f32[100,4] slice(%p), slice={[0:100], [4:8:1]}
  %d = f32[100,4] dynamic-slice(%p, %q, %q), dynamic_slice_sizes={100,4}
  %s = f32[100,4] multiply(%l, %d)
  %r = f32[100] reduce(%s, %zero), dimensions={1}, to_apply=%sum
  ROOT %t = (f32[100,4], f32[100]) tuple(%s, %r)
}
ENTRY %main (a: f32[100,16], i: s32[]) -> (f32[100,4], f32[100]) {
  %a = f32[100,16] parameter(0)
  %i = s32[] parameter(1)
  %w = f32[100,16] reduce-window(%a, %i), window={size=3x1 stride=1x1 pad=1_1x0_0}, to_apply=%sum
  %c = (f32[16,16], s8[64]) custom-call(%a, %w), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["0"]},"epilogue":"DEFAULT"}}
  ROOT %fusion = (f32[100,4], f32[100]) fusion(%w, %i), kind=kInput, calls=%fused
}
)";
  const auto count_all = [](const std::string& text) {
    const auto module = read_text(text);
    if (!module) return 0;
    int counted = 0;
    for (std::uint32_t c = 0; c < module->computations.size(); ++c)
      for (std::uint32_t i = 0; i < module->computations[c].instructions.size(); ++i) {
        const auto operation = operation_of(*module, {c, i});
        counted += map_operation(operation, "kernel") ? 1 : 0;
      }
    return counted;
  };
  EXPECT_GE(count_all(whole), 8);
  std::uint64_t state = 271828;
  for (int round = 0; round < 3000; ++round) {
    auto changed = whole;
    for (int i = 0; i < 2; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto at = (state >> 33) % changed.size();
      if ((state >> 20) % 8 == 0)
        changed.erase(at, 1 + (state >> 24) % 40);
      else
        changed[at] = "0129,(){}[]%= \n\"fsx-*/"[(state >> 20) % 23];
    }
    count_all(changed);
  }
}

}  // namespace
}  // namespace roofline::hlo
