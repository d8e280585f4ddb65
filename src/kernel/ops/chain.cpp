#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "shape",
     .type = ParamType::counts,
     .doc = "sizes that all tensors of the chain share"},
    {.name = "steps",
     .type = ParamType::steps,
     .doc = "kernels in order: {reads: [names], writes: [names], flops: per element, sfu: per "
            "element}"},
    {.name = "outputs", .type = ParamType::names, .doc = "tensors that later code needs"},
    {.name = "fused",
     .type = ParamType::flag,
     .required = false,
     .doc =
         "true: one kernel, intermediates stay on chip; false: every step is a kernel of its own",
     .default_value = "true"},
};

struct Step {
  std::vector<std::string_view> reads, writes;
  Count flops, sfu;
};
using Steps = std::vector<Step>;

std::vector<std::string_view> names_of(const Value* value) {
  std::vector<std::string_view> names;
  if (const auto* list = value ? std::get_if<ValueList>(&value->data) : nullptr)
    for (const auto& item : *list) names.push_back(text_of(item));
  return names;
}

Steps steps_of(const OpInput& input) {
  Steps steps;
  if (const auto* list = list_of(input, "steps"))
    for (const auto& item : *list)
      if (const auto* map = std::get_if<ValueMap>(&item.data)) {
        const auto count = [map](std::string_view name) {
          const auto* value = field(*map, name);
          return value ? count_of(*value) : Count(0);
        };
        steps.push_back({names_of(field(*map, "reads")), names_of(field(*map, "writes")),
                         count("flops"), count("sfu")});
      }
  return steps;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool written_by(const Steps& steps, std::string_view name) {
  return std::any_of(steps.begin(), steps.end(),
                     [name](const Step& step) { return contains(step.writes, name); });
}

/// Moves whole tensors, and remembers the first that has no dtype.
class Mover {
 public:
  Mover(const OpInput& input, Work& work, Count n) : input_(input), work_(work), n_(n) {}
  void read(std::string_view tensor) { work_.read(tensor, size(tensor)); }
  void write(std::string_view tensor) { work_.write(tensor, size(tensor)); }
  Count size(std::string_view tensor) {
    if (!input_.has_dtype(tensor)) {
      if (missing_.empty()) missing_ = tensor;
      return 0;
    }
    return bytes(n_, input_.dtype(tensor));
  }
  std::string_view missing() const { return missing_; }

 private:
  const OpInput& input_;
  Work& work_;
  Count n_;
  std::string_view missing_;
};

void move_unfused(const Steps& steps, Mover& mover) {
  for (const auto& step : steps) {
    for (const auto tensor : step.reads) mover.read(tensor);
    for (const auto tensor : step.writes) mover.write(tensor);
  }
}

/// Only what enters or leaves the chain crosses DRAM, once each.
void move_fused(const Steps& steps, std::vector<std::string_view> outputs, Mover& mover) {
  std::vector<std::string_view> entered;
  for (const auto& step : steps)
    for (const auto tensor : step.reads)
      if (!written_by(steps, tensor) && !contains(entered, tensor)) {
        entered.push_back(tensor);
        mover.read(tensor);
      }
  std::sort(outputs.begin(), outputs.end());
  outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  for (const auto tensor : outputs) mover.write(tensor);
}

/// A tensor that a step reads before any step has written it, although one does later: its old
/// value would enter the chain under the name of an intermediate. Empty when there is none.
std::string_view read_too_early(const Steps& steps) {
  std::vector<std::string_view> made;
  for (const auto& step : steps) {
    for (const auto tensor : step.reads)
      if (written_by(steps, tensor) && !contains(made, tensor)) return tensor;
    made.insert(made.end(), step.writes.begin(), step.writes.end());
  }
  return {};
}

Counted fused_chain(const OpInput& input) {
  const auto steps = steps_of(input);
  const auto outputs = names_of(input.find("outputs"));
  const bool fused = input.flag("fused", true);
  const Count n = elements(input, "shape");
  if (outputs.empty())
    return refuse("outputs", "a chain needs at least one output", "name the tensor that is kept");
  for (const auto output : outputs)
    if (!written_by(steps, output))
      return refuse("outputs", fmt::format("no step writes the output '{}'", output),
                    "outputs are names from the `writes` of a step");
  if (const auto tensor = fused ? read_too_early(steps) : std::string_view(); !tensor.empty())
    return refuse("steps", fmt::format("'{}' is read before the step that writes it", tensor),
                  "give the old and the new value different names");

  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  Mover mover(input, work, n);
  for (const auto& step : steps) work.vector(n * step.flops).sfu(n * step.sfu);
  if (fused) {
    move_fused(steps, outputs, mover);
  } else {
    move_unfused(steps, mover);
  }
  const Count pass = mover.size(outputs.front());
  if (const auto tensor = mover.missing(); !tensor.empty())
    return refuse("steps", fmt::format("tensor '{}' has no dtype", tensor),
                  "add it under `dtypes`, or give `dtype` for all");
  work.fact("passes", n == Count(0) ? Count(0) : floor_div(work.bytes(), max(1, pass)));
  return work;
}

}  // namespace

constexpr OpEntry kFusedChain = {
    .name = "fused_chain",
    .family = "elementwise",
    .doc = "Elementwise steps over one shape, as one kernel or as one kernel each",
    .params = kParams,
    .operands = {},
    .aliases = {},
    .work = "sum over steps: vector flops*n, sfu*n",
    .bytes =
        "fused: tensors that enter, read once, + outputs written once; not fused: each step's "
        "reads + writes",
    .intensity = "k unary steps: fused is k times the unfused intensity",
    .source = "docs/model.md, section 1: an intermediate of a fused chain never crosses DRAM",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: norm_silu_mul_add
    op: fused_chain
    shape: [8192, 8192]
    fused: true
    steps:
      - {reads: [x], writes: [h], flops: 3}
      - {reads: [h], writes: [s], flops: 2, sfu: 2}
      - {reads: [s, g], writes: [t], flops: 1}
      - {reads: [t, x], writes: [y], flops: 1}
    outputs: [y]
    dtype: bf16
)yaml",
    .model = &fused_chain,
};

}  // namespace roofline::op_models
