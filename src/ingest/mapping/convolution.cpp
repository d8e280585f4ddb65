#include "ingest/mapping/families.hpp"

/// Convolutions of PyTorch. Source of the signatures: aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// Which arguments say what.
struct Layout {
  std::size_t x = 0, w = 1, stride = 0, pad = 0, dilation = 0, groups = 0;
  std::optional<std::size_t> transposed, bias;
};

/// "[2]" stands for all axes, as in the Python call.
std::optional<Sizes> per_axis(const Arguments& args, std::size_t i, std::size_t axes) {
  auto sizes = args.list(i);
  if (!sizes || sizes->empty()) return std::nullopt;
  if (sizes->size() == 1) sizes->resize(axes, sizes->front());
  return sizes->size() == axes ? sizes : std::nullopt;
}

Mapped convolution(const Arguments& args, const Layout& layout) {
  const auto rank = args.rank(layout.x);
  if (rank < 3 || args.rank(layout.w) != rank) return no(unmapped::kNoShapes);
  const auto type = args.matrix_dtype(layout.x), type_y = args.dtype(layout.x);
  if (!type || !type_y) return no(unmapped::kNoDtype);
  const auto axes = rank - 2;
  const auto stride = per_axis(args, layout.stride, axes), pad = per_axis(args, layout.pad, axes),
             dilation = per_axis(args, layout.dilation, axes);
  const auto groups = args.whole(layout.groups);
  if (!stride || !pad || !dilation || !groups || *groups < 1) return no(unmapped::kNoArguments);
  if (layout.transposed && !args.told(*layout.transposed)) return no(unmapped::kNoArguments);
  if (layout.transposed && args.truth(*layout.transposed)) return no(unmapped::kNotModelled);
  const auto &x = args.shape(layout.x), &w = args.shape(layout.w);
  if (x[1] != w[1] * static_cast<std::uint64_t>(*groups)) return no(unmapped::kContradiction);
  Description conv("conv");
  conv.count("batch", x[0]).count("c_in", x[1]).count("c_out", w[0]);
  conv.sizes("in", Sizes(x.begin() + 2, x.end())).sizes("kernel", Sizes(w.begin() + 2, w.end()));
  conv.sizes("stride", *stride).sizes("pad", *pad).sizes("dilation", *dilation);
  conv.count("groups", static_cast<std::uint64_t>(*groups));
  conv.dtype("x", *type).dtype("w", *type).dtype("y", *type_y == "fp32" ? *type : *type_y);
  if (layout.bias && args.is_tensor(*layout.bias)) conv.flag("bias", true);
  return conv;
}

// (x, w, bias, stride, padding, dilation, transposed, output_padding, groups, ...)
Mapped general(const Arguments& args) {
  return convolution(
      args, {.stride = 3, .pad = 4, .dilation = 5, .groups = 8, .transposed = 6, .bias = 2});
}
// (x, w, padding, stride, dilation, groups, ...)
Mapped cudnn(const Arguments& args) {
  return convolution(args, {.stride = 3, .pad = 2, .dilation = 4, .groups = 5});
}
// (x, w, bias, padding, stride, dilation, groups, ...)
Mapped miopen(const Arguments& args) {
  return convolution(args, {.stride = 4, .pad = 3, .dilation = 5, .groups = 6, .bias = 2});
}
// (x, w, bias, stride, padding, dilation, groups)
Mapped conv2d(const Arguments& args) {
  return convolution(args, {.stride = 3, .pad = 4, .dilation = 5, .groups = 6, .bias = 2});
}

constexpr Row kRows[] = {
    {"convolution", &general},     {"_convolution", &general},
    {"cudnn_convolution", &cudnn}, {"miopen_convolution", &miopen},
    {"conv1d", &conv2d},           {"conv2d", &conv2d},
    {"conv3d", &conv2d},
};

}  // namespace

std::span<const Row> convolutions() { return kRows; }

}  // namespace roofline::mapping
