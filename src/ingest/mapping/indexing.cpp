#include <algorithm>

#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Operators of PyTorch that write by index. Which places the indices name is not in a trace: the
/// least is that as many as can be are one. What the others hold is neither read nor written.
/// Source of the signatures: aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

/// The axis that an argument names of a tensor, from either end.
std::optional<std::size_t> axis_of(const Arguments& args, std::size_t tensor,
                                   std::size_t axis_argument) {
  auto axis = args.whole(axis_argument);
  const auto rank = static_cast<long long>(args.rank(tensor));
  if (axis && *axis < 0) *axis += rank;
  return axis && *axis >= 0 && *axis < rank ? std::optional(static_cast<std::size_t>(*axis))
                                            : std::nullopt;
}

/// (self, dim, index, src or value, ...): indices that differ in another axis than `dim` name
/// different places. Where `dim` was not recorded all may name one.
Mapped scatter_of(const Arguments& args, bool adds) {
  if (!args.is_tensor(0) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(2);
  if (!type || !index) return no(unmapped::kNoDtype);
  const auto dim = axis_of(args, 2, 1);
  const auto count = args.elements(2), along = dim ? args.shape(2)[*dim] : count;
  if (count == 0) return no(unmapped::kContradiction);
  OwnWork work;
  work.read("index", args.stored_shape(2), *index);
  // A source that is larger than the index is read in part.
  if (args.is_tensor(3)) {
    const auto stored = product(args.stored_shape(3));
    work.read("src", {std::min(stored, count)}, args.dtype(3).value_or(*type));
  }
  if (adds) work.read("self", {count / along}, *type);
  work.write("scattered", {count / along}, *type);
  return work.vector(adds ? count : 0);
}
Mapped scatter(const Arguments& args) { return scatter_of(args, false); }
Mapped scatter_add(const Arguments& args) { return scatter_of(args, true); }

/// (self, dim, index, source, ...): whole slices go to where a vector of indices says.
Mapped slices_of(const Arguments& args, bool adds) {
  if (!args.is_tensor(0) || args.rank(2) != 1 || !args.is_tensor(3)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(2);
  if (!type || !index) return no(unmapped::kNoDtype);
  const auto count = args.elements(2), all = args.elements(3);
  if (count == 0 || all % count != 0) return no(unmapped::kContradiction);
  OwnWork work;
  work.read("index", args.stored_shape(2), *index);
  work.read("source", args.stored_shape(3), args.dtype(3).value_or(*type));
  if (adds) work.read("self", {all / count}, *type);
  work.write("written", {all / count}, *type);
  return work.vector(adds ? all : 0);
}
Mapped index_add(const Arguments& args) { return slices_of(args, true); }
Mapped index_copy(const Arguments& args) { return slices_of(args, false); }

/// (self, indices, values, accumulate, ...): the sizes of the indices are not recorded, those of
/// what is written are.
Mapped index_put(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  if (!args.told(3)) return no(unmapped::kNoArguments);
  OwnWork work;
  work.read("values", args.stored_shape(2), args.dtype(2).value_or(*type));
  work.write("written", {1}, *type);
  return work.vector(args.truth(3) ? args.elements(2) : 0);
}

/// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq): the gradients of all
/// tokens are added into rows that another operator has filled with zeros. Those of the padding are
/// not even read.
Mapped embedding_backward(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(1);
  if (!type || !index) return no(unmapped::kNoDtype);
  const auto padding = args.whole(3);
  if (!padding) return no(unmapped::kNoArguments);
  if (*padding >= 0) return no(unmapped::kLengths);
  const auto tokens = args.elements(1), width = args.shape(0).back();
  if (tokens == 0 || args.elements(0) != tokens * width) return no(unmapped::kContradiction);
  return OwnWork()
      .read("dy", args.stored_shape(0), *type)
      .read("indices", args.stored_shape(1), *index)
      .write("dw", {width}, *type)
      .vector((tokens - 1) * width);
}

/// (x[n, classes], target[n], ...): of each row the class that its target names, unless that is to
/// be ignored: no row is the least.
Mapped nll_loss(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), target = args.dtype(1);
  if (!type || !target) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("target", args.stored_shape(1), *target)
      .write("loss", {1}, *type)
      .vector(0);
}
/// (dy, x[n, classes], target[n], ...): into zeros of another operator.
Mapped nll_loss_backward(const Arguments& args) {
  if (!args.is_tensor(1) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(1), target = args.dtype(2);
  if (!type || !target) return no(unmapped::kNoDtype);
  return OwnWork().read("target", args.stored_shape(2), *target).read("dy", {1}, *type).vector(0);
}

constexpr Row kRows[] = {
    {"scatter", &scatter},
    {"scatter_", &scatter},
    {"scatter_add", &scatter_add},
    {"scatter_add_", &scatter_add},
    {"scatter_reduce", &scatter_add},
    {"scatter_reduce_", &scatter_add},
    {"index_add", &index_add},
    {"index_add_", &index_add},
    {"index_copy", &index_copy},
    {"index_copy_", &index_copy},
    {"index_put_", &index_put},
    {"_index_put_impl_", &index_put},
    {"embedding_dense_backward", &embedding_backward},
    {"nll_loss_forward", &nll_loss},
    {"nll_loss2d_forward", &nll_loss},
    {"nll_loss_backward", &nll_loss_backward},
    {"nll_loss2d_backward", &nll_loss_backward},
};

}  // namespace

std::span<const Row> indexings() { return kRows; }

}  // namespace roofline::mapping
