#include "ingest/mapping/families.hpp"
#include "ingest/mapping/own_work.hpp"

/// Group normalization of PyTorch, counted as the layer norm of its groups (docs/ops.md) with one
/// weight and bias for each channel. Source of the signatures:
/// aten/src/ATen/native/native_functions.yaml.
namespace roofline::mapping {
namespace {

struct Groups {
  std::uint64_t samples, channels, rest, groups;
  std::uint64_t rows() const { return samples * groups; }
  std::uint64_t elements() const { return samples * channels * rest; }
};

/// (..., N, C, HxW, group): four numbers from `first` on.
std::optional<Groups> groups_of(const Arguments& args, std::size_t first) {
  std::uint64_t numbers[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto whole = args.whole(first + i);
    if (!whole || *whole < 1) return std::nullopt;
    numbers[i] = static_cast<std::uint64_t>(*whole);
  }
  return Groups{numbers[0], numbers[1], numbers[2], numbers[3]};
}

// (x, weight, bias, N, C, HxW, group, eps)
Mapped forward(const Arguments& args) {
  if (!args.is_tensor(0)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(0);
  if (!type) return no(unmapped::kNoDtype);
  const auto groups = groups_of(args, 3);
  if (!groups) return no(unmapped::kNoArguments);
  if (groups->elements() != args.elements(0) || groups->channels % groups->groups != 0)
    return no(unmapped::kContradiction);
  const auto parameters = args.dtype(1).value_or(*type);
  const auto n = groups->elements();
  OwnWork work;
  work.read("x", args.shape(0), *type).write("y", args.shape(0), *type);
  work.write("mean", {groups->rows()}, parameters).write("rstd", {groups->rows()}, parameters);
  std::uint64_t flops = 5 * n + groups->rows();
  if (args.is_tensor(1)) work.read("weight", {groups->channels}, parameters), flops += n;
  if (args.is_tensor(2)) work.read("bias", {groups->channels}, parameters), flops += n;
  return work.vector(flops, groups->rows());
}

// (dy, x, mean, rstd, weight, N, C, HxW, group, output_mask)
Mapped backward(const Arguments& args) {
  if (!args.is_tensor(0) || !args.is_tensor(1)) return no(unmapped::kNoShapes);
  const auto type = args.dtype(1);
  if (!type) return no(unmapped::kNoDtype);
  const auto groups = groups_of(args, 5);
  if (!groups) return no(unmapped::kNoArguments);
  if (groups->elements() != args.elements(1)) return no(unmapped::kContradiction);
  const auto parameters = args.dtype(4).value_or(*type);
  OwnWork work;
  work.read("dy", args.stored_shape(0), *type).read("x", args.shape(1), *type);
  work.read("mean", {groups->rows()}, parameters).read("rstd", {groups->rows()}, parameters);
  if (args.is_tensor(4)) work.read("weight", {groups->channels}, parameters);
  work.write("dx", args.shape(1), *type);
  std::uint64_t flops = 11 * groups->elements();
  if (args.is_tensor(4)) {
    work.write("dweight", {groups->channels}, parameters);
    work.write("dbias", {groups->channels}, parameters);
    flops += 2 * (groups->samples * groups->rest - 1) * groups->channels;
  }
  return work.vector(flops);
}

constexpr Row kRows[] = {{"native_group_norm", &forward},
                         {"native_group_norm_backward", &backward}};

}  // namespace

std::span<const Row> group_norms() { return kRows; }

}  // namespace roofline::mapping
