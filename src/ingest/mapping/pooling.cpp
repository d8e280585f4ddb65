#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Pooling of PyTorch. Source of the signatures: aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// A list that has one number for all axes, or one for each. nullopt: not told, or neither.
std::optional<Sizes> axes(const Arguments& args, std::size_t i, std::size_t count) {
  auto list = args.list(i);
  if (list && list->size() == 1) list->resize(count, list->front());
  return list && list->size() == count ? list : std::nullopt;
}

struct Window {
  Sizes in, kernel, stride, pad;
};

/// (x, kernel_size, stride, padding, ...): no stride is that of the window.
std::optional<Window> window_of(const Arguments& args, std::size_t count) {
  const auto& shape = args.shape(0);
  const auto kernel = axes(args, 1, count), pad = axes(args, 3, count);
  const auto strides = args.list(2);
  const auto stride = strides && strides->empty() ? kernel : axes(args, 2, count);
  if (!kernel || !stride || !pad) return std::nullopt;
  return Window{
      {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()}, *kernel, *stride, *pad};
}

Mapped pool(const Arguments& args, std::string_view kind, const Window& window, bool indices) {
  const auto& shape = args.shape(0);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto spatial = window.in.size();
  const auto channels = shape[shape.size() - spatial - 1];
  Description op("pool");
  op.count("batch", product(shape, 0, shape.size() - spatial - 1)).count("channels", channels);
  op.sizes("in", window.in).sizes("kernel", window.kernel).sizes("stride", window.stride);
  op.sizes("pad", window.pad).word("kind", kind);
  if (indices) op.flag("indices", true);
  return std::move(op.dtype("x", *type));
}

Mapped max_pool(const Arguments& args, std::size_t count, bool indices) {
  if (args.rank(0) < count + 1) return no(unmapped::kNoShapes);
  const auto window = window_of(args, count);
  const auto dilation = axes(args, 4, count);
  if (!window || !dilation || !args.told(5)) return no(unmapped::kNoArguments);
  if (product(*dilation) != 1 || args.truth(5)) return no(unmapped::kNotModelled);
  return pool(args, "max", *window, indices);
}
// (x, kernel_size, stride, padding, dilation, ceil_mode)
Mapped max_pool2d(const Arguments& args) { return max_pool(args, 2, false); }
Mapped max_pool2d_with_indices(const Arguments& args) { return max_pool(args, 2, true); }
Mapped max_pool3d_with_indices(const Arguments& args) { return max_pool(args, 3, true); }

// (x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
Mapped avg_pool2d(const Arguments& args) {
  if (args.rank(0) < 3) return no(unmapped::kNoShapes);
  const auto window = window_of(args, 2);
  if (!window || !args.told(4)) return no(unmapped::kNoArguments);
  if (args.truth(4)) return no(unmapped::kNotModelled);
  return pool(args, "avg", *window, false);
}

/// (x, output_size): windows of one size where it divides the input; else they overlap by turns.
Mapped adaptive_avg_pool2d(const Arguments& args) {
  if (args.rank(0) < 3) return no(unmapped::kNoShapes);
  const auto out = axes(args, 1, 2);
  if (!out) return no(unmapped::kNoArguments);
  const auto& shape = args.shape(0);
  Window window{{shape.end() - 2, shape.end()}, {}, {}, {0, 0}};
  for (std::size_t i = 0; i < 2; ++i) {
    if ((*out)[i] == 0 || window.in[i] % (*out)[i] != 0) return no(unmapped::kNotModelled);
    window.kernel.push_back(window.in[i] / (*out)[i]);
  }
  window.stride = window.kernel;
  return pool(args, "avg", window, false);
}

/// (dy, x, ..., indices): each gradient is added where its maximum was; x itself is not needed.
Mapped max_pool2d_backward(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("dy", args.shape(0), *type)
      .read("indices", args.shape(0), "int64")
      .write("dx", args.shape(1), *type)
      .vector(args.elements(0));
}

/// (dy, x): each value of dy divided, and repeated over its window.
Mapped adaptive_avg_pool2d_backward(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("dy", args.stored_shape(0), *type)
      .write("dx", args.shape(1), *type)
      .vector(args.elements(0), args.elements(0));
}

constexpr Row kRows[] = {
    {"max_pool2d", &max_pool2d},
    {"max_pool2d_with_indices", &max_pool2d_with_indices},
    {"max_pool3d_with_indices", &max_pool3d_with_indices},
    {"max_pool2d_with_indices_backward", &max_pool2d_backward},
    {"avg_pool2d", &avg_pool2d},
    {"_adaptive_avg_pool2d", &adaptive_avg_pool2d},
    {"adaptive_avg_pool2d", &adaptive_avg_pool2d},
    {"_adaptive_avg_pool2d_backward", &adaptive_avg_pool2d_backward},
};

}  // namespace

std::span<const Row> pools() { return kRows; }

}  // namespace roofline::mapping
