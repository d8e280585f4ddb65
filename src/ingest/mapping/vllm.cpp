#include "ingest/mapping/families.hpp"

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

constexpr Row kRows[] = {
    {"_C::rms_norm", &rms_norm},
    {"_C::fused_add_rms_norm", &fused_add_rms_norm},
    {"_C::silu_and_mul", &silu_and_mul},
    {"_C::gelu_tanh_and_mul", &gelu_tanh_and_mul},
};

}  // namespace

std::span<const Row> vllm_ops() { return kRows; }

}  // namespace roofline::mapping
