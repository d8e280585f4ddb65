#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Operators that vLLM registers. Source of the signatures: vllm, csrc/torch_bindings.cpp.
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
// (input, residual, weight, epsilon), both in place
Mapped fused_add_rms_norm(const Arguments& args) { return rms_norm_of(args, 0, 2, true); }

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

constexpr Row kRows[] = {
    {"_C::rms_norm", &rms_norm},
    {"_C::fused_add_rms_norm", &fused_add_rms_norm},
    {"_C::silu_and_mul", &silu_and_mul},
    {"_C::gelu_tanh_and_mul", &gelu_tanh_and_mul},
    {"_C::rotary_embedding", &rotary_embedding},
    {"_C::cutlass_scaled_mm", &cutlass_scaled_mm},
};

}  // namespace

std::span<const Row> vllm_ops() { return kRows; }

}  // namespace roofline::mapping
