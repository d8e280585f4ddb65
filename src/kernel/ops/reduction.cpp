#include <fmt/format.h>

#include <vector>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kKinds[] = {"sum",  "mean",   "max",    "min",
                                       "prod", "argmax", "l2norm", "sum_abs"};
constexpr ParamSpec kParams[] = {
    {.name = "shape", .type = ParamType::counts, .doc = "sizes of the input"},
    {.name = "axes",
     .type = ParamType::counts,
     .doc = "axes that disappear, from 0; -1 is the last",
     .minimum = -64},
    {.name = "kind", .type = ParamType::choice, .doc = "what is reduced", .choices = kKinds},
};
constexpr OperandSpec kOperands[] = {
    {.name = "input", .doc = "values", .traffic = "x"},
    {.name = "output",
     .doc = "results; the input's dtype unless given, int64 for argmax",
     .optional = true,
     .traffic = "y"},
};
constexpr ParamAlias kAliases[] = {{"dims", "axes"}};

/// Which axes are reduced, or the error that an axis is not there or is named twice.
tl::expected<std::vector<bool>, OpError> reduced_axes(const OpInput& input, std::size_t rank) {
  std::vector<bool> reduced(rank, false);
  for (const Count axis : input.counts("axes")) {
    const Count at = axis < Count(0) ? axis + Count(rank) : axis;
    if (at < Count(0) || at >= Count(rank))
      return refuse("axes", fmt::format("axis {} of a shape with {} axes", axis.to_string(), rank),
                    "axes count from 0; -1 is the last");
    const auto position = static_cast<std::size_t>(at.to_int64());
    if (reduced[position])
      return refuse("axes", fmt::format("axis {} is named twice", axis.to_string()),
                    "name each axis once");
    reduced[position] = true;
  }
  return reduced;
}

/// n values become `out`: n - out operations, and one write per result even where there was nothing
/// to reduce.
Counted reduction(const OpInput& input) {
  static const ValueList kScalar;
  const auto* shape = list_of(input, "shape");
  if (!shape) shape = &kScalar;
  const auto reduced = reduced_axes(input, shape->size());
  if (!reduced) return tl::unexpected(reduced.error());
  ValueList kept;
  for (std::size_t i = 0; i < shape->size(); ++i)
    if (!(*reduced)[i]) kept.push_back((*shape)[i]);

  const auto kind = input.choice("kind", "sum");
  const Count n = elements(*shape), out = elements(kept);
  const Count results = n == Count(0) ? Count(0) : out;
  Work work(Work::Headline::vector, vector_pipe(input.dtype("input")));
  work.vector(max(0, n - out));
  if (kind == "mean") work.vector(results);           // * 1/count
  if (kind == "l2norm") work.vector(n).sfu(results);  // squares, and a root each
  const auto narrow = kind == "argmax" ? DType::int64 : input.dtype("input");
  work.read("x", bytes(n, input.dtype("input")));
  work.write("y", bytes(out, input.has_dtype("output") ? input.dtype("output") : narrow));
  return work;
}

}  // namespace

constexpr OpEntry kReduction = {
    .name = "reduction",
    .family = "reduction",
    .doc = "Sum, mean, maximum, argmax or norm over some axes of a tensor",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work = "vector n - out (n inputs, out results); mean + out; l2norm + n, sfu out",
    .bytes = "n*s_in + out*s_out",
    .intensity = "about 1/s_in; l2norm 2/s_in",
    .source =
        "docs/model.md, section 1: reducing n values takes n-1 operations, as in XLA's "
        "HandleReduce",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: bias_gradient
    op: reduction
    kind: sum
    shape: [8192, 8192]
    axes: [0]
    dtypes: {input: bf16, output: fp32}
)yaml",
    .model = &reduction,
};

}  // namespace roofline::op_models
