#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Matrix products of PyTorch. Source of the signatures:
/// aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// D[m,n] = A[m,k] B[k,n], `batch` times; `d`: the operand whose type the result has.
Mapped product_of(const Arguments& args, std::size_t a, std::size_t b, std::uint64_t m,
                  std::uint64_t n, std::uint64_t k, std::uint64_t batch) {
  const auto type_a = args.matrix_dtype(a), type_b = args.matrix_dtype(b), type_d = args.dtype(a);
  if (!type_a || !type_b || !type_d) return no(unmapped::kNoDtype);
  Description gemm("gemm");
  gemm.count("m", m).count("n", n).count("k", k);
  if (batch > 1) gemm.count("batch", batch);
  return std::move(gemm.dtype("a", *type_a).dtype("b", *type_b).dtype("d", *type_d));
}

Mapped matrices(const Arguments& args, std::size_t a, std::size_t b) {
  if (args.rank(a) != 2 || args.rank(b) != 2) return no(unmapped::kNoShapes);
  const auto &x = args.shape(a), &y = args.shape(b);
  if (x[1] != y[0]) return no(unmapped::kContradiction);
  return product_of(args, a, b, x[0], y[1], x[1], 1);
}

Mapped batches(const Arguments& args, std::size_t a, std::size_t b) {
  if (args.rank(a) != 3 || args.rank(b) != 3) return no(unmapped::kNoShapes);
  const auto &x = args.shape(a), &y = args.shape(b);
  if (x[2] != y[1] || x[0] != y[0]) return no(unmapped::kContradiction);
  auto mapped = product_of(args, a, b, x[1], y[2], x[2], x[0]);
  if (!mapped) return mapped;
  // An expanded batch is in memory once.
  if (x[0] > 1 && args.stored_shape(a)[0] == 1) mapped->flag("a_broadcast", true);
  if (x[0] > 1 && args.stored_shape(b)[0] == 1) mapped->flag("b_broadcast", true);
  return mapped;
}

Mapped mm(const Arguments& args) { return matrices(args, 0, 1); }
Mapped bmm(const Arguments& args) { return batches(args, 0, 1); }

/// beta * C + alpha * A B: a vector C is a bias; factors that were not recorded are 1, as by
/// default.
Mapped with_addend(const Arguments& args, Mapped mapped, std::size_t beta, std::size_t alpha) {
  if (!mapped) return mapped;
  if (args.told(beta) && (args.value(beta) == "0" || args.value(beta) == "0.")) return mapped;
  const bool is_matrix = args.rank(0) >= 2 && product(args.stored_shape(0)) > args.shape(0).back();
  if (is_matrix)
    mapped->text("beta", "1").dtype("c", *args.dtype(0));
  else
    mapped->flag("bias", true).dtype("bias", *args.dtype(0));
  if (args.told(alpha) && args.value(alpha) != "1" && args.value(alpha) != "1.")
    mapped->text("alpha", "2");  // any factor that is not 1 costs the same
  return mapped;
}

Mapped addmm(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  if (!args.dtype(0)) return no(unmapped::kNoDtype);
  return with_addend(args, matrices(args, 1, 2), 3, 4);
}
Mapped baddbmm(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  if (!args.dtype(0)) return no(unmapped::kNoDtype);
  return with_addend(args, batches(args, 1, 2), 3, 4);
}

Mapped matmul(const Arguments& args) {
  const auto a = args.rank(0), b = args.rank(1);
  if (a == 2 && b == 2) return matrices(args, 0, 1);
  if (a == 3 && b == 3) return batches(args, 0, 1);
  if (a < 2 || b < 2) return no(unmapped::kNotModelled);
  const auto &x = args.shape(0), &y = args.shape(1);
  if (x[a - 1] != y[b - 2]) return no(unmapped::kContradiction);
  if (b == 2) return product_of(args, 0, 1, product(x, 0, a - 1), y[1], y[0], 1);
  if (a != b || product(x, 0, a - 2) != product(y, 0, b - 2)) return no(unmapped::kNotModelled);
  return product_of(args, 0, 1, x[a - 2], y[b - 1], x[a - 1], product(x, 0, a - 2));
}

Mapped mv(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Description gemv("gemv");
  gemv.count("m", args.shape(0)[0]).count("k", args.shape(0)[1]);
  return std::move(gemv.dtype("a", *type));
}

/// Products of narrow types: `bias` and `type` (of the result) are arguments.
Mapped scaled_product(const Arguments& args, std::size_t bias, std::size_t type) {
  auto mapped = matrices(args, 0, 1);
  if (!mapped) return mapped;
  const auto result = scalar_type(args, type);
  if (!result) return no(args.told(type) ? unmapped::kNoDtype : unmapped::kNoArguments);
  const auto &x = args.shape(0), &y = args.shape(1);
  // Two values of four bits are one element of a tensor.
  const std::uint64_t each = *args.dtype(0) == "fp4_e2m1" ? 2 : 1;
  Description gemm("gemm");
  gemm.count("m", x[0]).count("n", y[1]).count("k", each * x[1]);
  gemm.dtype("a", *args.dtype(0)).dtype("b", *args.dtype(1)).dtype("d", *result);
  if (args.is_tensor(bias)) gemm.flag("bias", true);
  return gemm;
}
// (a, b, scale_a, scale_b, bias, scale_result, out_dtype, ...)
Mapped scaled_mm(const Arguments& args) { return scaled_product(args, 4, 6); }
// (a, b, scales_a, recipe_a, swizzle_a, scales_b, recipe_b, swizzle_b, bias, out_dtype, ...)
Mapped scaled_mm_v2(const Arguments& args) { return scaled_product(args, 8, 9); }

// (a, b), of 8-bit integers
Mapped int_mm(const Arguments& args) {
  if (auto mapped = matrices(args, 0, 1); !mapped) return mapped;
  Description gemm("gemm");
  gemm.count("m", args.shape(0)[0]).count("n", args.shape(1)[1]).count("k", args.shape(0)[1]);
  return std::move(gemm.dtype("a", "int8").dtype("b", "int8").dtype("d", "int32"));
}

// (self[m], a[m, k], x[k], beta, alpha)
Mapped addmv(const Arguments& args) {
  if (args.rank(1) != 2 || args.rank(2) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(1);
  if (!type) return no(unmapped::kNoDtype);
  const auto& a = args.shape(1);
  if (a[1] != args.shape(2)[0]) return no(unmapped::kContradiction);
  Description gemv("gemv");
  gemv.count("m", a[0]).count("k", a[1]);
  const auto beta = args.value(3);
  if (beta != "0" && beta != "0.") gemv.text("beta", "1");
  return std::move(gemv.dtype("a", *type));
}

Mapped dot(const Arguments& args) {
  if (args.rank(0) != 1 || args.rank(1) != 1) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Description op("blas1");
  op.count("n", args.elements(0)).word("kind", "dot");
  return std::move(op.dtype("x", *type));
}

/// (a, b, offsets, ...): groups of rows end at the offsets, which may leave some out.
Mapped grouped_mm(const Arguments& args) {
  if (args.is_tensor(2)) return no(unmapped::kLengths);
  return batches(args, 0, 1);
}
Mapped scaled_grouped_mm(const Arguments& args) {
  return no(args.is_tensor(0) ? unmapped::kLengths : unmapped::kNoShapes);
}

// (a[m, k], b: four bits each, packed, group size, scales and zeros[k / group, n, 2])
Mapped int4_mm(const Arguments& args) {
  if (args.rank(0) != 2 || !args.is_tensor(1) || args.rank(3) != 3) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), packed = args.dtype(1), scale = args.dtype(3);
  if (!type || !packed || !scale) return no(unmapped::kNoDtype);
  const auto &a = args.shape(0), &scales = args.shape(3);
  const auto n = scales[1], words = args.elements(1);
  if (*packed != "int32" || 8 * words != n * a[1]) return no(unmapped::kContradiction);
  return OwnWork()
      .read("a", a, *type)
      .read("b", {words}, *packed)
      .read("scales", scales, *scale)
      .write("d", {a[0], n}, *type)
      .matmul(fmt::format("2*{}*{}*{}", a[0], n, a[1]), *type);
}
// (a[m, k], b[n, k] of 8 bits, scales[n])
Mapped int8_mm(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), narrow = args.dtype(1);
  if (!type || !narrow) return no(unmapped::kNoDtype);
  const auto &a = args.shape(0), &b = args.shape(1);
  if (a[1] != b[1]) return no(unmapped::kContradiction);
  return OwnWork()
      .read("a", a, *type)
      .read("b", b, *narrow)
      .read("scales", {b[0]}, args.dtype(2).value_or(*type))
      .write("d", {a[0], b[0]}, *type)
      .matmul(fmt::format("2*{}*{}*{}", a[0], b[0], a[1]), *type);
}

constexpr Row kRows[] = {{"mm", &mm},
                         {"addmm", &addmm},
                         {"bmm", &bmm},
                         {"baddbmm", &baddbmm},
                         {"linear", &map_linear},
                         {"matmul", &matmul},
                         {"mv", &mv},
                         {"_scaled_mm", &scaled_mm},
                         {"_scaled_mm_v2", &scaled_mm_v2},
                         {"_int_mm", &int_mm},
                         {"_addmm_activation", &addmm},
                         {"addmv", &addmv},
                         {"addmv_", &addmv},
                         {"dot", &dot},
                         {"vdot", &dot},
                         {"_grouped_mm", &grouped_mm},
                         {"_scaled_grouped_mm", &scaled_grouped_mm},
                         {"_weight_int4pack_mm", &int4_mm},
                         {"_weight_int8pack_mm", &int8_mm}};

}  // namespace

std::optional<std::string_view> scalar_type(const Arguments& args, std::size_t i) {
  switch (args.whole(i).value_or(-1)) {
    case 5: return "fp16";
    case 6: return "fp32";
    case 15: return "bf16";
    case 23:
    case 25: return "fp8_e5m2";
    case 24:
    case 26: return "fp8_e4m3";
    default: return std::nullopt;
  }
}

Mapped map_linear(const Arguments& args) {
  if (!args.is_tensor(0) || args.rank(1) != 2) return no(unmapped::kNoShapes);
  const auto &x = args.shape(0), &w = args.shape(1);
  if (x.back() != w[1]) return no(unmapped::kContradiction);
  auto mapped = product_of(args, 0, 1, product(x, 0, x.size() - 1), w[0], w[1], 1);
  if (mapped && args.is_tensor(2) && args.dtype(2))
    mapped->flag("bias", true).dtype("bias", *args.dtype(2));
  return mapped;
}

std::span<const Row> products() { return kRows; }

}  // namespace roofline::mapping
