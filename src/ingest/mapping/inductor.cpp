#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Triton kernels that torch.compile writes. Their names list what was fused
/// ("triton_red_fused_add_mean_mul_rsqrt_0"), their arguments are the tensors that they read and
/// write, which of the two is not told, and the sizes of their loops.
/// Source: torch/_inductor/codegen/triton.py and torch/_inductor/utils.py,
/// get_fused_kernel_name.
namespace roofline::mapping {
namespace {

/// Pointwise kernels and two kinds of reductions.
constexpr std::string_view kPrefixes[] = {"triton_poi_fused_", "triton_red_fused_",
                                          "triton_per_fused_"};

/// Operators by which a kernel may use a part of a tensor, or places of it that other values name.
constexpr std::string_view kPartial[] = {
    "arange",  "as_strided", "cat",    "chunk",  "constant_pad", "diagonal", "embedding", "flip",
    "gather",  "index",      "iota",   "masked", "narrow",       "pad",      "pool",      "roll",
    "scatter", "select",     "slice",  "sort",   "split",        "stack",    "take",      "topk",
    "tril",    "triu",       "unbind", "unfold", "upsample",     "nll_loss",
};

}  // namespace

bool is_inductor(std::string_view name) {
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

Mapped map_inductor(std::string_view name, const Arguments& args) {
  for (const auto part : kPartial)
    if (name.find(part) != std::string_view::npos) return no(unmapped::kNotModelled);
  OwnWork work;
  std::uint64_t largest = 0, loops = 1;
  bool told = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (const auto size = args.whole(i); size && *size > 0) {
      loops = product({loops, static_cast<std::uint64_t>(*size)});
      told = true;
    }
    if (!args.is_tensor(i)) continue;
    const auto type = args.dtype(i);
    if (!type) return no(unmapped::kNoDtype);
    const auto stored = args.stored_shape(i);
    largest = std::max(largest, product(stored));
    work.read("t" + std::to_string(i), stored, *type);
  }
  if (largest == 0) return no(unmapped::kNoShapes);
  if (!told) return no(unmapped::kNoArguments);
  // Loops over less than a tensor use a part of it.
  if (loops < largest) return no(unmapped::kLengths);
  return work.vector(0);
}

}  // namespace roofline::mapping
