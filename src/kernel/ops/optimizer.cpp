#include <fmt/format.h>

#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr std::string_view kKinds[] = {"sgd", "sgd_momentum", "adam", "adamw"};
constexpr ParamSpec kParams[] = {
    {.name = "params", .doc = "parameters updated"},
    {.name = "kind", .type = ParamType::choice, .doc = "the update rule", .choices = kKinds},
};
constexpr OperandSpec kOperands[] = {
    {.name = "p", .doc = "weights"},
    {.name = "g", .doc = "gradients", .default_dtype = "=p"},
    {.name = "m", .doc = "first moment (sgd_momentum, adam, adamw)", .default_dtype = "fp32"},
    {.name = "v", .doc = "second moment (adam, adamw)", .default_dtype = "fp32"},
    {.name = "master",
     .doc = "full-precision copy of the weights (adam, adamw); p is then only written",
     .optional = true},
};
constexpr ParamAlias kAliases[] = {{"n", "params"}, {"parameters", "params"}};

/// Adam: moments 3 and 4, corrections 2, epsilon 1, times the reciprocal 1, the step 2; a root and
/// a reciprocal. AdamW decays the weight in one more.
Counted optimizer(const OpInput& input) {
  const Count n = input.count("params");
  const auto kind = input.choice("kind", "sgd");
  const bool adam = kind == "adam" || kind == "adamw";
  if (input.has_dtype("master") && !adam)
    return refuse("master", fmt::format("{} keeps no master copy here", kind),
                  "master belongs to adam and adamw");
  Work work(Work::Headline::vector, vector_pipe(DType::fp32));
  const auto update = [&](std::string_view name) {
    const Count size = bytes(n, input.dtype(name));
    work.read(name, size).write(name, size);
  };
  if (kind == "sgd") {
    work.vector(n * 2);
    update("p");
  } else if (kind == "sgd_momentum") {
    work.vector(n * 4);
    update("p");
    update("m");
  } else {
    work.vector(n * (kind == "adam" ? 13 : 14)).sfu(n * 2);
    update("m");
    update("v");
    if (input.has_dtype("master")) {
      update("master");
      work.write("p", bytes(n, input.dtype("p")));
    } else {
      update("p");
    }
  }
  work.read("g", bytes(n, input.dtype("g")));
  return work;
}

}  // namespace

constexpr OpEntry kOptimizer = {
    .name = "optimizer",
    .family = "optimizer",
    .doc = "One optimiser step over all parameters",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "per parameter: sgd vector 2; sgd_momentum 4; adam vector 13, sfu 2; adamw vector 14, sfu "
        "2",
    .bytes =
        "g read, p and moments read and written; with master: master read and written, p written; "
        "adamw with bf16 p and g, fp32 m, v, master: 28 per parameter",
    .intensity = "that adamw: 16/28 = 0.57",
    .source = "Kingma and Ba 2015; Loshchilov and Hutter 2019; counted by docs/model.md, section 1",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: adamw_step
    op: optimizer
    params: 8030261248
    kind: adamw
    dtypes: {p: bf16, g: bf16, m: fp32, v: fp32, master: fp32}
)yaml",
    .model = &optimizer,
};

}  // namespace roofline::op_models
