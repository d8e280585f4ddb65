#include "ingest/mapping/families.hpp"

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

/// Codes of c10::ScalarType, as a concrete argument gives them.
std::optional<std::string_view> scalar_type(long long code) {
  switch (code) {
    case 5: return "fp16";
    case 6: return "fp32";
    case 15: return "bf16";
    case 23: return "fp8_e5m2";
    case 24: return "fp8_e4m3";
    default: return std::nullopt;
  }
}

/// _scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype, ...).
Mapped scaled_mm(const Arguments& args) {
  auto mapped = matrices(args, 0, 1);
  if (!mapped) return mapped;
  const auto code = args.whole(6);
  const auto result = code ? scalar_type(*code) : std::nullopt;
  if (!result) return no(args.told(6) ? unmapped::kNoDtype : unmapped::kNoArguments);
  const auto &x = args.shape(0), &y = args.shape(1);
  Description gemm("gemm");
  gemm.count("m", x[0]).count("n", y[1]).count("k", x[1]);
  gemm.dtype("a", *args.dtype(0)).dtype("b", *args.dtype(1)).dtype("d", *result);
  if (args.is_tensor(4)) gemm.flag("bias", true);
  return gemm;
}

// (a, b), of 8-bit integers
Mapped int_mm(const Arguments& args) {
  if (auto mapped = matrices(args, 0, 1); !mapped) return mapped;
  Description gemm("gemm");
  gemm.count("m", args.shape(0)[0]).count("n", args.shape(1)[1]).count("k", args.shape(0)[1]);
  return std::move(gemm.dtype("a", "int8").dtype("b", "int8").dtype("d", "int32"));
}

constexpr Row kRows[] = {{"mm", &mm},           {"addmm", &addmm},          {"bmm", &bmm},
                         {"baddbmm", &baddbmm}, {"linear", &map_linear},    {"matmul", &matmul},
                         {"mv", &mv},           {"_scaled_mm", &scaled_mm}, {"_int_mm", &int_mm}};

}  // namespace

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
