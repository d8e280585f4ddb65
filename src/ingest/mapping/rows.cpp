#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Norms, softmax and reductions of PyTorch. Source of the signatures:
/// aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

struct NormShape {
  std::uint64_t rows = 0, cols = 0;
};

/// `shape_argument`: normalized_shape, "[768]".
std::optional<NormShape> norm_shape(const Arguments& args, std::size_t x,
                                    std::size_t shape_argument) {
  const auto normalised = args.list(shape_argument);
  const auto& shape = args.shape(x);
  if (!normalised || normalised->empty() || normalised->size() > shape.size()) return std::nullopt;
  return NormShape{product(shape, 0, shape.size() - normalised->size()), product(*normalised)};
}

Mapped layer_norm_of(const Arguments& args, bool saves) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto shape = norm_shape(args, 0, 1);
  if (!shape) return no(unmapped::kNoArguments);
  Description norm("layernorm");
  norm.count("rows", shape->rows).count("cols", shape->cols);
  norm.flag("weight", args.is_tensor(2)).flag("bias", args.is_tensor(3));
  if (saves) norm.flag("save_stats", true);
  return std::move(norm.dtype("x", *type).dtype("weight", args.dtype(2).value_or(*type)));
}
Mapped native_layer_norm(const Arguments& args) { return layer_norm_of(args, true); }
Mapped layer_norm(const Arguments& args) { return layer_norm_of(args, false); }

// (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Mapped layer_norm_backward(const Arguments& args) {
  if (!args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(1);
  if (!type) return no(unmapped::kNoDtype);
  const auto shape = norm_shape(args, 1, 2);
  if (!shape) return no(unmapped::kNoArguments);
  Description norm("layernorm");
  norm.count("rows", shape->rows).count("cols", shape->cols).word("phase", "bwd");
  return std::move(norm.dtype("x", *type));
}

Mapped rms_norm(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto shape = norm_shape(args, 0, 1);
  if (!shape) return no(unmapped::kNoArguments);
  Description norm("rmsnorm");
  norm.count("rows", shape->rows).count("cols", shape->cols).flag("weight", args.is_tensor(2));
  return std::move(norm.dtype("x", *type));
}

// (grad_out, input, normalized_shape, rstd, weight, output_mask)
Mapped rms_norm_backward(const Arguments& args) {
  if (!args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(1);
  if (!type) return no(unmapped::kNoDtype);
  const auto shape = norm_shape(args, 1, 2);
  if (!shape) return no(unmapped::kNoArguments);
  // Without a weight the gradient is r * (dy - x * r^2 * mean(dy * x)) of each row, r being rstd.
  if (!args.is_tensor(4)) {
    const Sizes all = {shape->rows, shape->cols}, rows = {shape->rows};
    return OwnWork()
        .read("dy", all, args.dtype(0).value_or(*type))
        .read("x", all, *type)
        .read("rstd", rows, args.dtype(3).value_or("fp32"))
        .write("dx", all, *type)
        .vector(5 * shape->rows * shape->cols + 2 * shape->rows);
  }
  Description norm("rmsnorm");
  norm.count("rows", shape->rows).count("cols", shape->cols).word("phase", "bwd");
  return std::move(norm.dtype("x", *type));
}

/// An axis counted from either end.
std::optional<std::size_t> axis_of(long long axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<long long>(rank);
  return axis >= 0 && axis < static_cast<long long>(rank)
             ? std::optional(static_cast<std::size_t>(axis))
             : std::nullopt;
}

Mapped softmax_of(const Arguments& args, std::string_view phase, std::size_t axis_argument,
                  std::optional<std::string_view> output) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto whole = args.whole(axis_argument);
  const auto axis = whole ? axis_of(*whole, args.rank(0)) : std::nullopt;
  if (!axis) return no(unmapped::kNoArguments);
  const auto cols = args.shape(0)[*axis];
  if (cols == 0) return no(unmapped::kContradiction);
  Description op("softmax");
  op.count("rows", args.elements(0) / cols).count("cols", cols).word("phase", phase);
  return std::move(op.dtype("input", *type).dtype("output", output.value_or(*type)));
}
// A logarithm and a subtraction stand for the reciprocal and the product: the same counts.
Mapped softmax(const Arguments& args) {
  return softmax_of(args, "fwd", 1,
                    args.truth(2) ? std::optional<std::string_view>("fp32") : std::nullopt);
}
Mapped softmax_backward(const Arguments& args) { return softmax_of(args, "bwd", 2, {}); }

/// The axes that a reduction leaves out: no list of them is all. nullopt: they were not told.
std::optional<Sizes> reduced_axes(const Arguments& args, std::size_t axes_argument) {
  const auto rank = args.rank(0);
  std::vector<bool> goes(rank, false);
  if (args.size() <= axes_argument ||
      (args.value(axes_argument).empty() && args.size() <= axes_argument + 1)) {
    std::fill(goes.begin(), goes.end(), true);
  } else {
    auto text = args.value(axes_argument);
    if (text.empty()) return std::nullopt;
    if (text.front() == '[') text = text.substr(1, text.size() - 2);
    if (text.empty()) std::fill(goes.begin(), goes.end(), true);
    while (!text.empty()) {
      const auto comma = text.find(',');
      const Operand word{.type = {}, .value = std::string(text.substr(0, comma))};
      const Operation one{.name = {}, .operands = {word}, .attributes = {}};
      const auto whole = Arguments(one, {}).whole(0);
      const auto axis = whole ? axis_of(*whole, rank) : std::nullopt;
      if (!axis) return std::nullopt;
      goes[*axis] = true;
      text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
  }
  Sizes axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (goes[i]) axes.push_back(i);
  return axes;
}

/// kind(x, axes, keepdim, ...). `axes_argument`: which lists them; `output`: where it is not x's.
Mapped reduction_of(const Arguments& args, std::string_view kind, std::size_t axes_argument = 1,
                    std::optional<std::string_view> output = std::nullopt) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto axes = reduced_axes(args, axes_argument);
  if (!axes) return no(unmapped::kNoArguments);
  Description op("reduction");
  op.sizes("shape", args.stored_shape(0)).sizes("axes", *axes).word("kind", kind);
  op.dtype("input", *type);
  if (output) op.dtype("output", *output);
  return op;
}
Mapped sum(const Arguments& args) { return reduction_of(args, "sum"); }
Mapped mean(const Arguments& args) { return reduction_of(args, "mean"); }
Mapped largest(const Arguments& args) { return reduction_of(args, "max"); }
Mapped least(const Arguments& args) { return reduction_of(args, "min"); }
Mapped argmax(const Arguments& args) { return reduction_of(args, "argmax"); }
// As costly as the largest one.
Mapped argmin(const Arguments& args) { return reduction_of(args, "argmax"); }

Mapped product_of_all(const Arguments& args) { return reduction_of(args, "prod"); }
// Of truths the largest is whether any is, the smallest whether all are.
Mapped any(const Arguments& args) { return reduction_of(args, "max", 1, "boolean"); }
Mapped all(const Arguments& args) { return reduction_of(args, "min", 1, "boolean"); }

/// (x, axes, correction, keepdim), or (x, unbiased): the mean, the squares of the differences from
/// it, their mean.
Mapped variance_of(const Arguments& args, bool root, bool with_mean) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  Sizes axes(args.rank(0));
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  // No axes beside a correction that was recorded are all of them.
  if (args.size() > 2 && (args.told(1) || !args.told(2))) {
    const auto told = reduced_axes(args, 1);
    if (!told) return no(unmapped::kNoArguments);
    axes = *told;
  }
  std::uint64_t along = 1;
  for (const auto axis : axes) along *= args.shape(0)[axis];
  const auto all = args.elements(0);
  if (along == 0 || all == 0) return no(unmapped::kContradiction);
  const auto left = all / along;
  OwnWork work;
  work.read("x", args.stored_shape(0), *type).write("variance", {left}, *type);
  if (with_mean) work.write("mean", {left}, *type);
  return work.vector(4 * all, root ? left : 0);
}
Mapped var(const Arguments& args) { return variance_of(args, false, false); }
Mapped standard_deviation(const Arguments& args) { return variance_of(args, true, false); }
Mapped var_mean(const Arguments& args) { return variance_of(args, false, true); }
Mapped std_mean(const Arguments& args) { return variance_of(args, true, true); }

// (x, order, axes, keepdim, dtype): 2 by default
Mapped vector_norm(const Arguments& args) {
  if (!args.told(1)) return no(unmapped::kNoArguments);
  const auto order = args.value(1);
  if (order == "2" || order == "2." || order == "2.0") return reduction_of(args, "l2norm", 2);
  if (order == "1" || order == "1." || order == "1.0") return reduction_of(args, "sum_abs", 2);
  return no(unmapped::kNotModelled);
}

/// max(x), max(x, axis, keepdim) with where they are, or the larger one of two tensors.
Mapped extreme_of(const Arguments& args, std::string_view kind, std::string_view of_two) {
  if (args.is_tensor(1)) return map_elementwise(of_two, args);
  if (args.size() <= 1) return reduction_of(args, kind);
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto whole = args.whole(1);
  const auto axis = whole ? axis_of(*whole, args.rank(0)) : std::nullopt;
  if (!axis) return no(unmapped::kNoArguments);
  const auto along = args.shape(0)[*axis];
  if (along == 0) return no(unmapped::kContradiction);
  const auto left = args.elements(0) / along;
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("values", {left}, *type)
      .write("indices", {left}, "int64")
      .vector(args.elements(0) - left);
}
Mapped max(const Arguments& args) { return extreme_of(args, "max", "maximum"); }
Mapped min(const Arguments& args) { return extreme_of(args, "min", "minimum"); }

// (x, p, train): a product with the mask and one with its scale, as in the gradient; the random
// numbers are integer operations, and not counted.
Mapped native_dropout(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("y", args.shape(0), *type)
      .write("mask", args.shape(0), "bool")
      .vector(2 * args.elements(0));
}

/// Without weight and bias, or without running statistics: the arithmetic of `batchnorm` less
/// theirs.
Description plain_batch_norm(const Arguments& args, std::string_view phase, std::string_view type) {
  const auto& shape = args.shape(0);
  const std::uint64_t channels = shape[1], each = args.elements(0) / channels;
  const Sizes one = {channels}, two = {2, channels};
  const bool training = phase == "train_fwd", weight = args.is_tensor(1), bias = args.is_tensor(2),
             running = args.is_tensor(3);
  OwnWork work;
  work.read("x", shape, type).write("y", shape, type);
  if (weight) work.read("weight", one, args.dtype(1).value_or("fp32"));
  if (bias) work.read("bias", one, args.dtype(2).value_or("fp32"));
  if (running) work.read("running", two, args.dtype(3).value_or("fp32"));
  if (!training) return work.vector(channels * (2 * each + 4));
  if (running) work.write("new_running", two, args.dtype(3).value_or("fp32"));
  work.write("saved_stats", two, "fp32");
  return work.vector(channels * (6 * each + 2 + (weight || bias ? 2 : 0) + (running ? 6 : 0)),
                     channels);
}
Description plain_batch_norm_backward(const Arguments& args, std::string_view type) {
  const auto& shape = args.shape(0);
  const std::uint64_t channels = shape[1], each = args.elements(0) / channels;
  OwnWork work;
  work.read("x", shape, type).read("dy", shape, type).read("saved_stats", {2, channels}, "fp32");
  return work.write("dx", shape, type).vector(channels * (9 * each + 1));
}

Mapped batch_norm_of(const Arguments& args, std::string_view phase, std::size_t x) {
  if (args.rank(x) < 2) return no(unmapped::kNoShapes);
  const auto type = args.dtype(x);
  if (!type) return no(unmapped::kNoDtype);
  const auto& shape = args.shape(x);
  const bool backward = phase == "bwd",
             affine = backward ? args.is_tensor(2) : args.is_tensor(1) && args.is_tensor(2);
  if (args.elements(x) > 0 && (!affine || (!backward && !args.is_tensor(3))))
    return backward ? plain_batch_norm_backward(args, *type) : plain_batch_norm(args, phase, *type);
  Description op("batchnorm");
  op.count("batch", shape[0]).count("channels", shape[1]);
  op.sizes("spatial", shape.size() > 2 ? Sizes(shape.begin() + 2, shape.end()) : Sizes{1});
  return std::move(op.word("phase", phase).dtype("x", *type));
}
// (input, weight, bias, running_mean, running_var, training, ...)
Mapped batch_norm(const Arguments& args) {
  if (!args.told(5)) return no(unmapped::kNoArguments);
  return batch_norm_of(args, args.truth(5) ? "train_fwd" : "infer", 0);
}
// The same, or without what runs: (input, weight, bias, training, ...)
Mapped batch_norm_legit(const Arguments& args) {
  if (args.is_tensor(3) || args.size() > 6) return batch_norm(args);
  if (!args.told(3)) return no(unmapped::kNoArguments);
  return batch_norm_of(args, args.truth(3) ? "train_fwd" : "infer", 0);
}
// (input, weight, bias, running_mean, running_var, momentum, eps)
Mapped batch_norm_updates(const Arguments& args) { return batch_norm_of(args, "train_fwd", 0); }
Mapped batch_norm_infers(const Arguments& args) { return batch_norm_of(args, "infer", 0); }
// (input, grad_output, ...) of cuDNN, (grad_output, input, ...) elsewhere: of one shape
Mapped batch_norm_backward(const Arguments& args) { return batch_norm_of(args, "bwd", 0); }

constexpr Row kRows[] = {
    {"native_layer_norm", &native_layer_norm},
    {"layer_norm", &layer_norm},
    {"native_layer_norm_backward", &layer_norm_backward},
    {"rms_norm", &rms_norm},
    {"_fused_rms_norm", &rms_norm},
    {"_fused_rms_norm_backward", &rms_norm_backward},
    {"_softmax", &softmax},
    {"softmax", &softmax},
    {"_log_softmax", &softmax},
    {"log_softmax", &softmax},
    {"_softmax_backward_data", &softmax_backward},
    {"_log_softmax_backward_data", &softmax_backward},
    {"sum", &sum},
    {"mean", &mean},
    {"amax", &largest},
    {"amin", &least},
    {"argmax", &argmax},
    {"argmin", &argmin},
    {"max", &max},
    {"min", &min},
    {"prod", &product_of_all},
    {"nansum", &sum},
    {"any", &any},
    {"all", &all},
    {"var", &var},
    {"std", &standard_deviation},
    {"var_mean", &var_mean},
    {"std_mean", &std_mean},
    {"linalg_vector_norm", &vector_norm},
    {"native_dropout", &native_dropout},
    {"_fused_dropout", &native_dropout},
    {"batch_norm", &batch_norm},
    {"native_batch_norm", &batch_norm},
    {"cudnn_batch_norm", &batch_norm},
    {"miopen_batch_norm", &batch_norm},
    {"_native_batch_norm_legit", &batch_norm_legit},
    {"_batch_norm_with_update", &batch_norm_updates},
    {"_batch_norm_no_update", &batch_norm_infers},
    {"_native_batch_norm_legit_no_training", &batch_norm_infers},
    {"native_batch_norm_backward", &batch_norm_backward},
    {"batch_norm_backward", &batch_norm_backward},
    {"cudnn_batch_norm_backward", &batch_norm_backward},
    {"miopen_batch_norm_backward", &batch_norm_backward},
};

}  // namespace

std::span<const Row> row_ops() { return kRows; }

}  // namespace roofline::mapping
