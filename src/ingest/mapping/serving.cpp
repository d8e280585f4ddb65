#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Operators that servers of language models register. Sources of the signatures: vllm,
/// csrc/torch_bindings.cpp and model_executor/layers; sglang, sgl-kernel/csrc; aiter/ops.
namespace roofline::mapping {
namespace {

Mapped rms_norm_of(const Arguments& args, std::size_t x, std::size_t weight, bool residual) {
  if (args.rank(x) < 2 || args.rank(weight) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(x);
  if (!type) return no(unmapped::kNoDtype);
  const auto& shape = args.shape(x);
  Description norm("rmsnorm");
  norm.count("rows", product(shape, 0, shape.size() - 1)).count("cols", shape.back());
  if (residual) norm.flag("residual", true);
  return std::move(norm.dtype("x", *type));
}
// (result, input, weight, epsilon)
Mapped rms_norm(const Arguments& args) { return rms_norm_of(args, 1, 2, false); }
// (input, weight, epsilon, ...)
Mapped rms_norm_made(const Arguments& args) { return rms_norm_of(args, 0, 1, false); }
// (input, residual, weight, epsilon), both in place
Mapped fused_add_rms_norm(const Arguments& args) { return rms_norm_of(args, 0, 2, true); }
// (result, input, residual, new residual, weight, epsilon, ...)
Mapped add_rms_norm(const Arguments& args) { return rms_norm_of(args, 1, 4, true); }

// (result, input): the input holds gate and up side by side
Mapped gated(const Arguments& args, std::string_view kind) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Description op("activation");
  op.word("kind", kind).sizes("shape", args.shape(0));
  return std::move(op.dtype("input", *type));
}
Mapped silu_and_mul(const Arguments& args) { return gated(args, "swiglu"); }
Mapped gelu_tanh_and_mul(const Arguments& args) { return gated(args, "geglu_tanh"); }

// (positions, query, key, head_size, cos_sin_cache, is_neox), query and key in place
Mapped rotary_embedding(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1) || !args.is_tensor(2) || args.rank(4) != 2)
    return no(unmapped::kNoShapes);
  const auto type = args.dtype(1), table = args.dtype(4);
  if (!type || !table) return no(unmapped::kNoDtype);
  const auto size = args.whole(3);
  if (!size || *size < 1) return no(unmapped::kNoArguments);
  const auto tokens = args.elements(0), head = static_cast<std::uint64_t>(*size);
  const auto rotated = args.shape(4)[1];
  if (tokens == 0 || args.elements(1) % (tokens * head) != 0 ||
      args.elements(2) % (tokens * head) != 0 || rotated > head)
    return no(unmapped::kContradiction);
  // Which positions are asked for is not told: sequences of a batch may share them, and one row of
  // the table serves all tokens of one position.
  const Sizes q = {tokens, args.elements(1) / (tokens * head), rotated},
              k = {tokens, args.elements(2) / (tokens * head), rotated};
  OwnWork work;
  work.read("positions", {tokens}, args.dtype(0).value_or("int64"));
  work.read("q", q, *type).read("k", k, *type).read("table", {rotated}, *table);
  work.write("rotated_q", q, *type).write("rotated_k", k, *type);
  return work.vector(3 * tokens * (q[1] + k[1]) * rotated);
}

// (out, a, b, a_scales, b_scales, bias)
Mapped cutlass_scaled_mm(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2 || args.rank(2) != 2) return no(unmapped::kNoShapes);
  const auto a = args.dtype(1), b = args.dtype(2), d = args.dtype(0);
  if (!a || !b || !d) return no(unmapped::kNoDtype);
  const auto &x = args.shape(1), &y = args.shape(2), &z = args.shape(0);
  if (x[1] != y[0] || z[0] != x[0] || z[1] != y[1]) return no(unmapped::kContradiction);
  Description gemm("gemm");
  gemm.count("m", x[0]).count("n", y[1]).count("k", x[1]);
  if (args.is_tensor(5)) gemm.flag("bias", true);
  return std::move(gemm.dtype("a", *a).dtype("b", *b).dtype("d", *d));
}

// (result, input, scale): a product for each value
Mapped quantize_by_known_scale(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto to = args.dtype(0), from = args.dtype(1);
  if (!to || !from) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("x", args.stored_shape(1), *from)
      .write("quantized", args.shape(0), *to)
      .vector(args.elements(1));
}
/// (result, input, new scales, ...): a scale for each row, or one for all.
Mapped quantize_of(const Arguments& args, bool by_rows) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto to = args.dtype(0), from = args.dtype(1);
  if (!to || !from) return no(unmapped::kNoDtype);
  const auto& shape = args.shape(1);
  const auto cols = by_rows ? shape.back() : args.elements(1);
  if (cols == 0) return no(unmapped::kContradiction);
  Description op("quantize");
  op.count("rows", args.elements(1) / cols).count("cols", cols).count("group", cols);
  return std::move(op.dtype("input", *from).dtype("output", *to));
}
Mapped quantize_by_rows(const Arguments& args) { return quantize_of(args, true); }
Mapped quantize_by_one_scale(const Arguments& args) { return quantize_of(args, false); }

/// The tokens' experts, from their first to their last product: (x[tokens, hidden],
/// w1[experts, gate and up, hidden], w2[experts, hidden, inner], weights[tokens, k], ids, ...).
/// Which experts the tokens chose is not told: the weights of k are the least, each token having k
/// different ones.
Mapped fused_experts(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 3 || args.rank(2) != 3 || args.rank(3) != 2)
    return no(unmapped::kNoShapes);
  const auto &x = args.shape(0), &w1 = args.shape(1), &w2 = args.shape(2);
  const auto type = args.dtype(0), weights = args.dtype(1);
  if (!type || !weights || args.dtype(2) != weights) return no(unmapped::kNoDtype);
  // Four bits an element, two or eight of which lie in a wider one.
  if (*weights == "uint8" || *weights == "int32" || w1[2] != x[1])
    return no(unmapped::kNotModelled);
  const auto k = args.shape(3)[1];
  const bool gated = w1[1] == 2 * w2[2];
  if (args.shape(3)[0] != x[0] || w2[0] != w1[0] || w2[1] != x[1] || k == 0 || k > w1[0] ||
      (!gated && w1[1] != w2[2]))
    return no(unmapped::kContradiction);
  // A map of experts says that some are elsewhere: how many rows are left is not told.
  for (std::size_t i = 5; i < args.size(); ++i)
    if (const auto other = args.dtype(i);
        args.is_tensor(i) && other && (other->starts_with("int") || *other == "boolean"))
      return no(unmapped::kLengths);
  OwnWork work;
  work.read("x", x, *type).read("routing", args.shape(3), args.dtype(3).value_or("fp32"));
  work.read("w1", {k, w1[1], w1[2]}, *weights).read("w2", {k, w2[1], w2[2]}, *weights);
  work.write("y", x, *type);
  return work.matmul(fmt::format("2*{}*{}*({}+{})", x[0], k, product(w1, 1), product(w2, 1)),
                     *weights);
}

// (input[tokens, k, hidden], result[tokens, hidden])
Mapped sum_of_experts(const Arguments& args) {
  if (args.rank(0) != 3 || args.rank(1) != 2) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Description op("reduction");
  op.sizes("shape", args.shape(0)).sizes("axes", {1}).word("kind", "sum");
  return std::move(op.dtype("input", *type));
}

/// gelu of the one half by the error function, and a product with the other.
Mapped gelu_and_mul(const Arguments& args) {
  if (!args.is_tensor(0) || args.elements(1) != 2 * args.elements(0))
    return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto count = args.elements(0);
  return OwnWork()
      .read("gate_up", args.stored_shape(1), *type)
      .write("y", args.shape(0), *type)
      .vector(5 * count, count);
}
// (result, input, scale): swiglu, and a product with the scale
Mapped silu_and_mul_quantized(const Arguments& args) {
  if (!args.is_tensor(0) || args.elements(1) != 2 * args.elements(0))
    return no(unmapped::kNoShapes);
  const auto to = args.dtype(0), from = args.dtype(1);
  if (!to || !from) return no(unmapped::kNoDtype);
  const auto count = args.elements(0);
  return OwnWork()
      .read("gate_up", args.stored_shape(1), *from)
      .write("quantized", args.shape(0), *to)
      .vector(4 * count, 2 * count);
}

// (input, result, new scales, group, ...)
Mapped quantize_by_groups(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto from = args.dtype(0), to = args.dtype(1);
  if (!to || !from) return no(unmapped::kNoDtype);
  const auto group = args.whole(3);
  const auto cols = args.shape(0).back();
  if (!group || *group < 1) return no(unmapped::kNoArguments);
  if (cols == 0) return no(unmapped::kContradiction);
  Description op("quantize");
  op.count("rows", args.elements(0) / cols).count("cols", cols);
  op.count("group", static_cast<std::uint64_t>(*group));
  return std::move(op.dtype("input", *from).dtype("output", *to));
}
// (input, result, new scales)
Mapped quantize_made_by_rows(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto from = args.dtype(0), to = args.dtype(1);
  if (!to || !from) return no(unmapped::kNoDtype);
  const auto cols = args.shape(0).back();
  if (cols == 0) return no(unmapped::kContradiction);
  Description op("quantize");
  op.count("rows", args.elements(0) / cols).count("cols", cols).count("group", cols);
  return std::move(op.dtype("input", *from).dtype("output", *to));
}

// (a[m, k], b[k, n], scales of a, of b, type of the result, bias)
Mapped product_by_scales(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2) return no(unmapped::kNoShapes);
  const auto a = args.dtype(0), b = args.dtype(1), d = scalar_type(args, 4);
  if (!a || !b) return no(unmapped::kNoDtype);
  if (!d) return no(unmapped::kNoArguments);
  const auto &x = args.shape(0), &y = args.shape(1);
  if (x[1] != y[0]) return no(unmapped::kContradiction);
  Description gemm("gemm");
  gemm.count("m", x[0]).count("n", y[1]).count("k", x[1]);
  if (args.is_tensor(5)) gemm.flag("bias", true).dtype("bias", args.dtype(5).value_or(*d));
  return std::move(gemm.dtype("a", *a).dtype("b", *b).dtype("d", *d));
}
/// (a[..., k], b[n, k], scales of a, of b, blocks, type of the result): the scales of blocks are
/// read as well, which are few.
Mapped block_scaled_mm(const Arguments& args) {
  if (args.rank(0) < 2 || args.rank(1) != 2 || !args.is_tensor(2) || !args.is_tensor(3))
    return no(unmapped::kNoShapes);
  const auto a = args.dtype(0), b = args.dtype(1), d = scalar_type(args, 5);
  if (!a || !b) return no(unmapped::kNoDtype);
  if (!d) return no(unmapped::kNoArguments);
  const auto &x = args.shape(0), &y = args.shape(1);
  if (x.back() != y[1]) return no(unmapped::kContradiction);
  const auto rows = product(x, 0, x.size() - 1);
  return OwnWork()
      .read("a", x, *a)
      .read("b", y, *b)
      .read("scales_a", args.stored_shape(2), args.dtype(2).value_or("fp32"))
      .read("scales_b", args.stored_shape(3), args.dtype(3).value_or("fp32"))
      .write("d", {rows, y[0]}, *d)
      .matmul(fmt::format("2*{}*{}*{}", rows, y[0], y[1]), *a);
}

/// (out[m, n], a[m, k / 2], b[n, k / 2], scales of a, of b, alpha): two values of four bits in a
/// byte.
Mapped fp4_scaled_mm(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2 || args.rank(2) != 2 || !args.is_tensor(3) ||
      !args.is_tensor(4))
    return no(unmapped::kNoShapes);
  const auto a = args.dtype(1), b = args.dtype(2), d = args.dtype(0), scale_a = args.dtype(3),
             scale_b = args.dtype(4);
  if (!a || !b || !d || !scale_a || !scale_b) return no(unmapped::kNoDtype);
  const auto &x = args.shape(1), &y = args.shape(2), &z = args.shape(0);
  if (*a != "uint8" || *b != "uint8" || x[1] != y[1] || z[0] != x[0] || z[1] != y[0])
    return no(unmapped::kContradiction);
  return OwnWork()
      .read("a", x, *a)
      .read("b", y, *b)
      .read("scales_a", args.stored_shape(3), *scale_a)
      .read("scales_b", args.stored_shape(4), *scale_b)
      .write("d", z, *d)
      .matmul(fmt::format("2*{}*{}*2*{}", z[0], z[1], x[1]), "fp4_e2m1");
}
/// A scale for each 16 values, two of which are a byte: the largest of a group, its scale and a
/// product for each value, behind `flops_each` and `sfu_each`. Scales may be padded.
Mapped fp4_of(const Arguments& args, std::size_t x, std::uint64_t count, std::uint64_t flops_each,
              std::uint64_t sfu_each) {
  const auto from = args.dtype(x);
  if (!from) return no(unmapped::kNoDtype);
  if (count == 0 || count % 16 != 0) return no(unmapped::kContradiction);
  return OwnWork()
      .read("x", args.stored_shape(x), *from)
      .write("quantized", {count / 2}, "uint8")
      .write("scales", {count / 16}, "uint8")
      .vector((flops_each + 2) * count, sfu_each * count + count / 16);
}
/// (result[rows, cols / 2], input[rows, cols], new scales, scale, ...), or (input, scale, ...).
Mapped quantize_to_fp4(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const std::size_t x = args.dtype(0) == "uint8" ? 1 : 0;
  if (!args.is_tensor(x)) return no(unmapped::kNoShapes);
  const auto count = args.elements(x);
  if (x == 1 && 2 * args.elements(0) != count) return no(unmapped::kContradiction);
  return fp4_of(args, x, count, 0, 0);
}
// (result[rows, cols / 2], new scales, input[rows, 2 cols], scale)
Mapped silu_and_mul_to_fp4(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto count = 2 * args.elements(0);
  if (args.elements(2) != 2 * count) return no(unmapped::kContradiction);
  return fp4_of(args, 2, count, 3, 2);
}

/// A cache of bytes holds FP8.
std::string_view cache_type(std::string_view type) { return type == "uint8" ? "fp8_e4m3" : type; }

/// (key[tokens, heads, dim], value, key_cache, value_cache, slots[tokens], ...): of the keys as
/// many as there are slots, none of which is taken to be padding.
Mapped cache_append(const Arguments& args) {
  if (args.rank(0) != 3 || args.rank(1) != 3 || args.rank(4) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), cache = args.dtype(2);
  if (!type || !cache) return no(unmapped::kNoDtype);
  const auto &key = args.shape(0), &value = args.shape(1);
  const auto tokens = args.elements(4);
  if (tokens > key[0] || key[1] != value[1]) return no(unmapped::kContradiction);
  Description op("kv_append");
  op.count("tokens", tokens).count("heads_kv", key[1]);
  op.count("head_dim", key[2]).count("head_dim_v", value[2]);
  return std::move(op.dtype("src", *type).dtype("cache", cache_type(*cache)));
}
// (latent[tokens, rank], rotated[tokens, dim], cache[..., row], slots[tokens], ...)
Mapped latent_cache_append(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2 || args.rank(2) < 2 || args.rank(3) != 1)
    return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), cache = args.dtype(2);
  if (!type || !cache) return no(unmapped::kNoDtype);
  const auto tokens = args.elements(3);
  if (tokens > args.shape(0)[0]) return no(unmapped::kContradiction);
  return OwnWork()
      .read("latent", {tokens, args.shape(0)[1]}, *type)
      .read("rotated", {tokens, args.shape(1)[1]}, *type)
      .read("slots", {tokens}, args.dtype(3).value_or("int64"))
      .write("cache", {tokens, args.shape(2).back()}, *cache)
      .vector(0);
}

/// (weights[tokens, k], experts[tokens, k], [rows[tokens, k],] scores[tokens, experts], ...): a
/// softmax of the scores and its k largest.
Mapped experts_by(const Arguments& args, std::size_t from) {
  if (args.rank(0) != 2 || args.rank(1) != 2 || args.rank(from) != 2)
    return no(unmapped::kNoShapes);
  const auto weight = args.dtype(0), index = args.dtype(1), type = args.dtype(from);
  if (!weight || !index || !type) return no(unmapped::kNoDtype);
  const auto& scores = args.shape(from);
  if (scores[0] != args.shape(0)[0] || scores[1] == 0) return no(unmapped::kContradiction);
  OwnWork work;
  work.read("scores", scores, *type);
  work.write("weights", args.shape(0), *weight).write("experts", args.shape(1), *index);
  if (from == 3 && args.is_tensor(2))
    work.write("rows", args.shape(2), args.dtype(2).value_or("int32"));
  // The largest, differences, their sum, products with its reciprocal: exponentials of all.
  return work.vector(scores[0] * (4 * scores[1] - 2), scores[0] * (scores[1] + 1));
}

Mapped chosen_experts(const Arguments& args) { return experts_by(args, 3); }
Mapped experts_of_sglang(const Arguments& args) { return experts_by(args, 2); }

constexpr Row kRows[] = {
    {"_C::rms_norm", &rms_norm},
    {"_C::fused_add_rms_norm", &fused_add_rms_norm},
    {"_C::silu_and_mul", &silu_and_mul},
    {"_C::gelu_tanh_and_mul", &gelu_tanh_and_mul},
    {"_C::rotary_embedding", &rotary_embedding},
    {"_C::cutlass_scaled_mm", &cutlass_scaled_mm},
    {"_C::cutlass_scaled_fp4_mm", &fp4_scaled_mm},
    {"_C::scaled_fp4_quant", &quantize_to_fp4},
    {"_C::silu_and_mul_nvfp4_quant", &silu_and_mul_to_fp4},
    {"_C::static_scaled_fp8_quant", &quantize_by_known_scale},
    {"_C::dynamic_scaled_fp8_quant", &quantize_by_one_scale},
    {"_C::dynamic_per_token_scaled_fp8_quant", &quantize_by_rows},
    {"_C::mul_and_silu", &silu_and_mul},
    {"_C::gelu_and_mul", &gelu_and_mul},
    {"_C::silu_and_mul_quant", &silu_and_mul_quantized},
    {"_C::per_token_group_fp8_quant", &quantize_by_groups},
    {"_C_cache_ops::reshape_and_cache", &cache_append},
    {"_C_cache_ops::reshape_and_cache_flash", &cache_append},
    {"_C_cache_ops::concat_and_cache_mla", &latent_cache_append},
    {"_moe_C::moe_sum", &sum_of_experts},
    {"_moe_C::topk_softmax", &chosen_experts},
    {"vllm::w8a8_triton_block_scaled_mm_func", &block_scaled_mm},
    {"vllm::w8a8_block_fp8_matmul_func", &block_scaled_mm},
    {"vllm::inplace_fused_experts", &fused_experts},
    {"vllm::outplace_fused_experts", &fused_experts},
    {"vllm::rocm_aiter_fused_moe", &fused_experts},
    {"vllm::rocm_unquantized_gemm", &map_linear},
    {"sglang::inplace_fused_experts", &fused_experts},
    {"sglang::outplace_fused_experts", &fused_experts},
    {"sgl_kernel::rmsnorm", &rms_norm},
    {"sgl_kernel::fused_add_rmsnorm", &fused_add_rms_norm},
    {"sgl_kernel::silu_and_mul", &silu_and_mul},
    {"sgl_kernel::gelu_tanh_and_mul", &gelu_tanh_and_mul},
    {"sgl_kernel::rotary_embedding", &rotary_embedding},
    {"sgl_kernel::gelu_and_mul", &gelu_and_mul},
    {"sgl_kernel::topk_softmax", &experts_of_sglang},
    {"sgl_kernel::fp8_scaled_mm", &product_by_scales},
    {"sgl_kernel::fp8_blockwise_scaled_mm", &product_by_scales},
    {"sgl_kernel::int8_scaled_mm", &product_by_scales},
    {"sgl_kernel::cutlass_scaled_fp4_mm", &fp4_scaled_mm},
    {"sgl_kernel::scaled_fp4_quant", &quantize_to_fp4},
    {"sgl_kernel::sgl_per_token_quant_fp8", &quantize_made_by_rows},
    {"sgl_kernel::sgl_per_token_group_quant_fp8", &quantize_by_groups},
    {"sgl_kernel::sgl_per_token_group_quant_8bit", &quantize_by_groups},
    {"flashinfer::rmsnorm", &rms_norm},
    {"flashinfer::fused_add_rmsnorm", &fused_add_rms_norm},
    {"flashinfer::silu_and_mul", &silu_and_mul},
    {"flashinfer::gelu_tanh_and_mul", &gelu_tanh_and_mul},
    {"flashinfer::gelu_and_mul", &gelu_and_mul},
    {"aiter::rmsnorm", &rms_norm},
    {"aiter::rmsnorm2d_fwd_ck", &rms_norm_made},
    {"aiter::add_rmsnorm", &add_rms_norm},
    {"aiter::rmsnorm2d_fwd_with_add", &add_rms_norm},
    {"aiter::rmsnorm2d_fwd_with_add_ck", &add_rms_norm},
};

}  // namespace

std::span<const Row> serving_ops() { return kRows; }

}  // namespace roofline::mapping
