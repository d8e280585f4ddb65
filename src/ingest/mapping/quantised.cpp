#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Weights of 8 and 4 bits. Sources of the signatures: bitsandbytes/_ops.py;
/// aiter/ops/gemm_op_a8w8.py.
namespace roofline::mapping {
namespace {

// (a[m, k], b[n, k], scales of a, of b, out[m, n], ...), b in the order of a kernel or not
Mapped product_into_the_fifth(const Arguments& args) {
  if (args.rank(0) != 2 || args.rank(1) != 2 || args.rank(4) != 2) return no(unmapped::kNoShapes);
  const auto a = args.dtype(0), b = args.dtype(1), d = args.dtype(4);
  if (!a || !b || !d) return no(unmapped::kNoDtype);
  const auto &x = args.shape(0), &y = args.shape(1), &z = args.shape(4);
  if (x[1] != y[1] || z[0] != x[0] || z[1] != y[0]) return no(unmapped::kContradiction);
  Description gemm("gemm");
  gemm.count("m", x[0]).count("n", y[0]).count("k", x[1]);
  return std::move(gemm.dtype("a", *a).dtype("b", *b).dtype("d", *d));
}

// (a[..., k], b[n, k]) of 8 bits into 32
Mapped product_of_integers(const Arguments& args) {
  if (args.rank(0) < 2 || args.rank(1) != 2) return no(unmapped::kNoShapes);
  if (args.dtype(0) != "int8" || args.dtype(1) != "int8") return no(unmapped::kNoDtype);
  const auto &x = args.shape(0), &y = args.shape(1);
  if (x.back() != y[1]) return no(unmapped::kContradiction);
  Description gemm("gemm");
  gemm.count("m", product(x, 0, x.size() - 1)).count("n", y[0]).count("k", y[1]);
  return std::move(gemm.dtype("a", "int8").dtype("b", "int8").dtype("d", "int32"));
}

// (sums[m, n] of 32 bits, row_stats[m], col_stats[n], type of the result or half, bias[n])
Mapped scale_sums(const Arguments& args) {
  if (args.rank(0) < 2 || !args.is_tensor(1) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto from = args.dtype(0);
  const auto to = args.told(3) ? scalar_type(args, 3) : "fp16";
  if (!from) return no(unmapped::kNoDtype);
  if (!to) return no(unmapped::kNoArguments);
  const auto count = args.elements(0);
  OwnWork work;
  work.read("sums", args.shape(0), *from)
      .read("row_stats", args.shape(1), args.dtype(1).value_or("fp32"))
      .read("col_stats", args.shape(2), args.dtype(2).value_or("fp32"))
      .write("out", args.shape(0), *to);
  if (!args.is_tensor(4)) return work.vector(2 * count);
  return work.read("bias", args.shape(4), args.dtype(4).value_or(*to)).vector(3 * count);
}

/// A scale for each `block` values: the largest of them, and a product for each value.
Mapped quantise_blocks(const Arguments& args, std::uint64_t block, const Sizes& packed) {
  const auto from = args.dtype(0);
  if (!from) return no(unmapped::kNoDtype);
  const auto count = args.elements(0), blocks = count / block + (count % block != 0);
  return OwnWork()
      .read("x", args.stored_shape(0), *from)
      .write("quantised", packed, "uint8")
      .write("scales", {blocks}, "fp32")
      .vector(2 * count + blocks);
}
/// 0: not told.
std::uint64_t block_at(const Arguments& args, std::size_t i) {
  const auto block = args.whole(i).value_or(0);
  return block > 0 ? static_cast<std::uint64_t>(block) : 0;
}
// (x, block, "nf4" or "fp4", storage)
Mapped quantise_to_4_bits(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto block = block_at(args, 1);
  if (block == 0) return no(unmapped::kNoArguments);
  return quantise_blocks(args, block, {args.elements(0) / 2 + args.elements(0) % 2});
}
// (x, code[256], block)
Mapped quantise_to_8_bits(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto block = block_at(args, 2);
  if (block == 0) return no(unmapped::kNoArguments);
  return quantise_blocks(args, block, args.shape(0));
}
// (x[..., cols], threshold): columns beyond a threshold are picked out, how many is not told
Mapped quantise_rows(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  if (args.value(1) != "0.0" && args.value(1) != "0" && args.value(1) != "0.")
    return no(unmapped::kNoArguments);
  const auto cols = args.shape(0).back();
  if (cols == 0) return no(unmapped::kContradiction);
  return quantise_blocks(args, cols, args.shape(0));
}

/// What was packed, its scales, and a product for each value.
Mapped widen(const Arguments& args, const Sizes& shape, std::optional<std::string_view> to) {
  const auto packed = args.dtype(0), scale = args.dtype(1);
  if (!packed || !scale) return no(unmapped::kNoDtype);
  if (!to) return no(unmapped::kNoArguments);
  return OwnWork()
      .read("packed", args.shape(0), *packed)
      .read("scales", args.shape(1), *scale)
      .write("out", shape, *to)
      .vector(product(shape));
}
// (packed, scales, block, "nf4" or "fp4", shape, type)
Mapped widen_4_bits(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto shape = args.list(4);
  if (!shape) return no(unmapped::kNoArguments);
  return widen(args, *shape, scalar_type(args, 5));
}
// (packed, scales, code[256], block, type)
Mapped widen_8_bits(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  return widen(args, args.shape(0), scalar_type(args, 4));
}

// (a[..., k], packed, [n, k], scales, ...)
Mapped product_by_4_bits(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1) || !args.is_tensor(3))
    return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), packed = args.dtype(1), scale = args.dtype(3);
  if (!type || !packed || !scale) return no(unmapped::kNoDtype);
  const auto sizes = args.list(2);
  if (!sizes) return no(unmapped::kNoArguments);
  const auto& a = args.shape(0);
  if (sizes->size() != 2 || a.back() != sizes->back()) return no(unmapped::kContradiction);
  const auto rows = product(a, 0, a.size() - 1), n = sizes->front();
  return OwnWork()
      .read("a", a, *type)
      .read("b", args.shape(1), *packed)
      .read("scales", args.shape(3), *scale)
      .write("d", {rows, n}, *type)
      .matmul(fmt::format("2*{}*{}*{}", rows, n, a.back()), *type);
}

constexpr Row kRows[] = {
    {"aiter::gemm_a8w8_ck", &product_into_the_fifth},
    {"aiter::gemm_a8w8_bpreshuffle_ck", &product_into_the_fifth},
    {"aiter::gemm_a8w8_blockscale_ck", &product_into_the_fifth},
    {"aiter::gemm_a8w8_blockscale_cktile", &product_into_the_fifth},
    {"aiter::gemm_a8w8_blockscale_bpreshuffle_ck", &product_into_the_fifth},
    {"bitsandbytes::int8_linear_matmul", &product_of_integers},
    {"bitsandbytes::int8_mm_dequant", &scale_sums},
    {"bitsandbytes::int8_vectorwise_quant", &quantise_rows},
    {"bitsandbytes::quantize_4bit", &quantise_to_4_bits},
    {"bitsandbytes::quantize_blockwise", &quantise_to_8_bits},
    {"bitsandbytes::dequantize_4bit", &widen_4_bits},
    {"bitsandbytes::dequantize_blockwise", &widen_8_bits},
    {"bitsandbytes::gemv_4bit", &product_by_4_bits},
    {"bitsandbytes::gemm_4bit", &product_by_4_bits},
};

}  // namespace

std::span<const Row> quantised_ops() { return kRows; }

}  // namespace roofline::mapping
