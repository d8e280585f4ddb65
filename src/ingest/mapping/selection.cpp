#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Operators of PyTorch that sort, pick and accumulate along an axis. Comparisons of a sort are no
/// FLOPs: how many there are is the algorithm's. Source of the signatures:
/// aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

std::optional<std::uint64_t> axis_size(const Arguments& args, std::size_t axis_argument) {
  auto axis = args.whole(axis_argument);
  const auto rank = static_cast<long long>(args.rank(0));
  if (axis && *axis < 0) *axis += rank;
  if (!axis || *axis < 0 || *axis >= rank) return std::nullopt;
  const auto size = args.shape(0)[static_cast<std::size_t>(*axis)];
  return size > 0 ? std::optional(size) : std::nullopt;
}

// (x, [stable,] dim, descending)
Mapped sort(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("values", args.shape(0), *type)
      .write("indices", args.shape(0), "int64")
      .vector(0);
}

// (x, k, dim, largest, sorted)
Mapped topk(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto k = args.whole(1);
  const auto size = axis_size(args, 2);
  if (!k || *k < 0 || !size) return no(unmapped::kNoArguments);
  const Sizes kept = {args.elements(0) / *size, static_cast<std::uint64_t>(*k)};
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("values", kept, *type)
      .write("indices", kept, "int64")
      .vector(0);
}

// (x, dim, dtype): integers are summed as int64
Mapped cumsum(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto size = axis_size(args, 1);
  if (!size || (args.size() > 2 && args.told(2) && !args.value(2).empty()))
    return no(unmapped::kNoArguments);
  const bool real = type->starts_with("fp") || type->starts_with("bf");
  return OwnWork()
      .read("x", args.stored_shape(0), *type)
      .write("y", args.shape(0), real ? *type : "int64")
      .vector(real ? args.elements(0) - args.elements(0) / *size : 0);
}

// (x, dim, index): which elements is not told; of x one is the least.
Mapped gather(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(2)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0), index = args.dtype(2);
  if (!type || !index) return no(unmapped::kNoDtype);
  return OwnWork()
      .read("x", {1}, *type)
      .read("index", args.stored_shape(2), *index)
      .write("y", args.shape(2), *type)
      .vector(0);
}

constexpr Row kRows[] = {{"sort", &sort},
                         {"topk", &topk},
                         {"cumsum", &cumsum},
                         {"cumprod", &cumsum},
                         {"gather", &gather}};

}  // namespace

std::span<const Row> selections() { return kRows; }

}  // namespace roofline::mapping
