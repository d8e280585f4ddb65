#include <fmt/format.h>

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

std::string tensor(std::string_view name, const Sizes& shape, std::string_view type,
                   std::string_view access) {
  return fmt::format("{{\"name\": \"{}\", \"shape\": [{}], \"dtype\": \"{}\", \"access\": \"{}\"}}",
                     name, fmt::join(shape, ","), type, access);
}

// (dy, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
// output_mask): the gradients of the input and of the weights, as far as the mask asks for them.
// Each is the forward pass's product once (docs/model.md, section 1).
Mapped backward(const Arguments& args) {
  const auto rank = args.rank(0);
  if (rank < 3 || args.rank(1) != rank || args.rank(2) != rank) return no(unmapped::kNoShapes);
  const auto type = args.matrix_dtype(1), stored = args.dtype(1);
  if (!type || !stored) return no(unmapped::kNoDtype);
  const auto groups = args.whole(9);
  const auto mask = args.value(10);
  if (!args.told(7) || !groups || mask.empty()) return no(unmapped::kNoArguments);
  const auto &dy = args.shape(0), &x = args.shape(1), &w = args.shape(2);
  if (args.truth(7) || *groups < 1) return no(unmapped::kNotModelled);
  if (dy[0] != x[0] || dy[1] != w[0] || x[1] != w[1] * static_cast<std::uint64_t>(*groups))
    return no(unmapped::kContradiction);
  const auto asked = [&](std::size_t place) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < place && at != std::string_view::npos; ++i)
      at = mask.find(',', at + 1);
    return at != std::string_view::npos &&
           mask.substr(at, mask.find(',', at + 1) - at).find("True") != std::string_view::npos;
  };
  const bool input = asked(0), weights = asked(1);
  if (!input && !weights) return no(unmapped::kNotModelled);
  std::string tensors = '[' + tensor("dy", dy, *stored, "read");
  if (input)
    tensors += ", " + tensor("w", w, *stored, "read") + ", " + tensor("dx", x, *stored, "write");
  if (weights)
    tensors += ", " + tensor("x", x, *stored, "read") + ", " + tensor("dw", w, *stored, "write");
  const bool on_vector = *type == "fp32" || *type == "fp64";
  Description op("generic");
  op.text("tensors", tensors + ']');
  op.text("flops", fmt::format("{}*2*{}*{}", (input ? 1 : 0) + (weights ? 1 : 0), product(dy),
                               product(w, 1)));
  op.word("primary", "matmul");
  op.word("pipe", fmt::format("{}:{}", on_vector ? "vector" : "tensor", *type));
  return op;
}

constexpr Row kRows[] = {
    {"convolution_backward", &backward},
    {"convolution", &general},
    {"_convolution", &general},
    {"cudnn_convolution", &cudnn},
    {"miopen_convolution", &miopen},
    {"conv1d", &conv2d},
    {"conv2d", &conv2d},
    {"conv3d", &conv2d},
};

}  // namespace

std::span<const Row> convolutions() { return kRows; }

}  // namespace roofline::mapping
