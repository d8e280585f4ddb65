#include <fmt/format.h>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Convolutions of PyTorch. Source of the signatures: aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// Which arguments say what.
struct Layout {
  std::size_t x = 0, w = 1, stride = 0, pad = 0, dilation = 0, groups = 0;
  std::optional<std::size_t> transposed, bias, output_pad;
  bool always_transposed = false;
};

/// "[2]" stands for all axes, as in the Python call.
std::optional<Sizes> per_axis(const Arguments& args, std::size_t i, std::size_t axes) {
  auto sizes = args.list(i);
  if (!sizes || sizes->empty()) return std::nullopt;
  if (sizes->size() == 1) sizes->resize(axes, sizes->front());
  return sizes->size() == axes ? sizes : std::nullopt;
}

/// The gradient of another's input: each value of x meets the whole window of its channel.
Mapped transposed(const Arguments& args, const Layout& layout, std::uint64_t groups,
                  const Sizes& stride, const Sizes& pad, const Sizes& dilation) {
  const auto &x = args.shape(layout.x), &w = args.shape(layout.w);
  const auto type = args.matrix_dtype(layout.x), stored = args.dtype(layout.x);
  const auto more = per_axis(args, *layout.output_pad, stride.size());
  if (!more) return no(unmapped::kNoArguments);
  if (x[1] != w[0]) return no(unmapped::kContradiction);
  Sizes y = {x[0], w[1] * groups};
  for (std::size_t i = 0; i < stride.size(); ++i) {
    const auto whole = (x[i + 2] - 1) * stride[i] + dilation[i] * (w[i + 2] - 1) + 1 + (*more)[i];
    if (x[i + 2] == 0 || w[i + 2] == 0 || whole < 2 * pad[i]) return no(unmapped::kContradiction);
    y.push_back(whole - 2 * pad[i]);
  }
  OwnWork work;
  work.read("x", x, *stored).read("w", w, *stored).write("y", y, *stored);
  if (layout.bias && args.is_tensor(*layout.bias)) work.read("bias", {y[1]}, *stored);
  return work.matmul(fmt::format("2*{}*{}", product(x), product(w, 1)), *type);
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
  if (layout.always_transposed || (layout.transposed && args.truth(*layout.transposed)))
    return transposed(args, layout, static_cast<std::uint64_t>(*groups), *stride, *pad, *dilation);
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
  return convolution(args, {.stride = 3,
                            .pad = 4,
                            .dilation = 5,
                            .groups = 8,
                            .transposed = 6,
                            .bias = 2,
                            .output_pad = 7});
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

// (x, w, padding, output_padding, stride, dilation, groups, ...)
Mapped cudnn_transposed(const Arguments& args) {
  return convolution(args, {.stride = 4,
                            .pad = 2,
                            .dilation = 5,
                            .groups = 6,
                            .output_pad = 3,
                            .always_transposed = true});
}
// (x, w, bias, padding, output_padding, stride, dilation, groups, ...)
Mapped miopen_transposed(const Arguments& args) {
  return convolution(args, {.stride = 5,
                            .pad = 3,
                            .dilation = 6,
                            .groups = 7,
                            .bias = 2,
                            .output_pad = 4,
                            .always_transposed = true});
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
  if (*groups < 1) return no(unmapped::kNotModelled);
  // Transposed, x stands where dy does otherwise.
  const auto &narrow = args.truth(7) ? x : dy, &wide = args.truth(7) ? dy : x;
  if (dy[0] != x[0] || narrow[1] != w[0] || wide[1] != w[1] * static_cast<std::uint64_t>(*groups))
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
  OwnWork work;
  work.read("dy", dy, *stored);
  if (input) work.read("w", w, *stored).write("dx", x, *stored);
  if (weights) work.read("x", x, *stored).write("dw", w, *stored);
  return work.matmul(fmt::format("{}*2*{}*{}", (input ? 1 : 0) + (weights ? 1 : 0), product(narrow),
                                 product(w, 1)),
                     *type);
}

/// One gradient alone, as cuDNN computed it for PyTorch until 2021: the sizes of the result are an
/// argument, then come the gradient dy and the other operand.
Mapped one_gradient(const Arguments& args, bool weights) {
  const auto rank = args.rank(1);
  if (rank < 3 || args.rank(2) != rank) return no(unmapped::kNoShapes);
  const auto type = args.matrix_dtype(1), stored = args.dtype(1);
  if (!type || !stored) return no(unmapped::kNoDtype);
  const auto result = args.list(0);
  if (!result || result->size() != rank) return no(unmapped::kNoArguments);
  const auto& dy = args.shape(1);
  const auto &w = weights ? *result : args.shape(2), &x = weights ? args.shape(2) : *result;
  if (dy[0] != x[0] || dy[1] != w[0]) return no(unmapped::kContradiction);
  return OwnWork()
      .read("dy", dy, *stored)
      .read(weights ? "x" : "w", args.shape(2), *stored)
      .write(weights ? "dw" : "dx", *result, *stored)
      .matmul(fmt::format("2*{}*{}", product(dy), product(w, 1)), *type);
}
// (input sizes, dy, w, ...)
Mapped backward_input(const Arguments& args) { return one_gradient(args, false); }
// (weight sizes, dy, x, ...)
Mapped backward_weight(const Arguments& args) { return one_gradient(args, true); }

constexpr Row kRows[] = {
    {"cudnn_convolution_backward_input", &backward_input},
    {"cudnn_convolution_backward_weight", &backward_weight},
    {"convolution_backward", &backward},
    {"convolution", &general},
    {"_convolution", &general},
    {"cudnn_convolution", &cudnn},
    {"miopen_convolution", &miopen},
    {"cudnn_convolution_transpose", &cudnn_transposed},
    {"miopen_convolution_transpose", &miopen_transposed},
    {"conv1d", &conv2d},
    {"conv2d", &conv2d},
    {"conv3d", &conv2d},
};

}  // namespace

std::span<const Row> convolutions() { return kRows; }

}  // namespace roofline::mapping
