#include <fmt/format.h>

#include <cmath>

#include "kernel/ops/activation_cost.hpp"
#include "kernel/ops/expected_experts.hpp"
#include "kernel/ops/models.hpp"

namespace roofline::op_models {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "tokens", .doc = "tokens routed"},
    {.name = "experts", .doc = "experts to choose from", .minimum = 1},
    {.name = "top_k", .doc = "experts per token", .minimum = 1},
    {.name = "hidden", .doc = "width of the tokens"},
    {.name = "inter", .doc = "width inside an expert"},
    {.name = "distinct",
     .required = false,
     .doc = "experts that some token picks, whose weights are read; real routing is skewed and "
            "touches fewer",
     .default_value = "round(E*(1 - (1 - top_k/E)^tokens)), uniform routing"},
    {.name = "gated",
     .type = ParamType::flag,
     .required = false,
     .doc = "three matrices per expert (gate, up, down) rather than two",
     .default_value = "true"},
    {.name = "activation",
     .type = ParamType::choice,
     .required = false,
     .doc = "inside an expert; gated experts take silu or swiglu, gelu_tanh or geglu_tanh, relu or "
            "reglu",
     .default_value = "swiglu when gated, else relu",
     .choices = kActivationNames},
    {.name = "shared_inter",
     .required = false,
     .doc = "width inside the shared expert that every token visits; 0: none",
     .default_value = "0"},
    {.name = "staged",
     .type = ParamType::flag,
     .required = false,
     .doc = "grouped products, activation and combination are kernels of their own, with tensors "
            "between them",
     .default_value = "false"},
};
constexpr OperandSpec kOperands[] = {
    {.name = "x",
     .doc = "tokens in and out, and what lies between stages",
     .traffic = "x y up_out act_out y_k shared_up shared_act shared_y"},
    {.name = "w",
     .doc = "expert weights",
     .default_dtype = "=x",
     .traffic = "experts shared",
     .partial = true},
    {.name = "router", .doc = "router weights", .default_dtype = "=x"},
};
constexpr ParamAlias kAliases[] = {
    {"num_experts", "experts"},         {"num_local_experts", "experts"},
    {"n_routed_experts", "experts"},    {"num_experts_per_tok", "top_k"},
    {"hidden_size", "hidden"},          {"intermediate_size", "inter"},
    {"moe_intermediate_size", "inter"},
};

/// The activation as its row of costs; gated experts may name it by its plain half. nullptr: it
/// does not fit `gated`.
const ActivationCost* expert_activation(std::string_view name, bool gated) {
  constexpr std::pair<std::string_view, std::string_view> kGatedForms[] = {
      {"silu", "swiglu"}, {"gelu_tanh", "geglu_tanh"}, {"relu", "reglu"}};
  if (gated)
    for (const auto& [plain, form] : kGatedForms)
      if (name == plain) name = form;
  const auto& cost = activation_cost(name);
  return cost.gated == gated ? &cost : nullptr;
}

/// The double nearest to the expectation, in as few digits as tell it from its neighbours.
std::string decimal(double value) {
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

struct Shape {
  Count tokens, experts, top_k, hidden, inter, shared, matrices;
  Count slots() const { return tokens * top_k; }
};

/// What crosses DRAM between the stages, written and read once each.
void staged_traffic(const Shape& s, DType x, Work& work) {
  const auto through = [&](std::string_view name, Count values) {
    work.write(name, bytes(values, x)).read(name, bytes(values, x));
  };
  through("up_out", s.slots() * s.inter * (s.matrices - 1));
  through("act_out", s.slots() * s.inter);
  through("y_k", s.slots() * s.hidden);
  if (s.shared == Count(0)) return;
  through("shared_up", s.tokens * s.shared * (s.matrices - 1));
  through("shared_act", s.tokens * s.shared);
  through("shared_y", s.tokens * s.hidden);
}

/// Router, routed experts, shared expert, combination. Picking the top k is not counted: how is up
/// to the kernel.
Counted moe(const OpInput& input) {
  const auto pipe = contraction_pipe(input, "x", "w");
  if (!pipe) return tl::unexpected(pipe.error());
  const bool gated = input.flag("gated", true);
  const Shape s{input.count("tokens"), input.count("experts", 1), input.count("top_k", 1),
                input.count("hidden"), input.count("inter"),      input.count("shared_inter"),
                gated ? 3 : 2};
  if (s.top_k > s.experts)
    return refuse(
        "top_k",
        fmt::format("{} of {} experts per token", s.top_k.to_string(), s.experts.to_string()),
        "top_k is at most experts");
  const auto* cost =
      expert_activation(input.choice("activation", gated ? "swiglu" : "relu"), gated);
  if (!cost)
    return refuse(
        "activation",
        gated ? "not an activation of gated experts" : "a gated activation in plain experts",
        "gated: true takes swiglu, geglu_tanh or reglu; gated: false the others");
  const double expected = expected_experts(s.experts, s.top_k, s.tokens);
  const Count distinct = input.count("distinct", std::llround(expected));
  if (const Count most = min(s.experts, s.slots()); distinct > most && !most.overflowed())
    return refuse("distinct",
                  fmt::format("{} distinct experts, but at most {} can be picked",
                              distinct.to_string(), most.to_string()),
                  "distinct is at most experts and at most tokens*top_k");

  const auto x = input.dtype("x"), w = input.dtype("w");
  const Count tokens = bytes(s.tokens * s.hidden, x);
  const Count router = s.tokens * s.hidden * s.experts * 2;
  const Count routed = s.slots() * s.matrices * s.hidden * s.inter * 2;
  const Count shared = s.tokens * s.matrices * s.hidden * s.shared * 2;
  const Count activated = s.slots() * s.inter + s.tokens * s.shared;
  const bool some = s.tokens > Count(0), has_shared = s.shared != Count(0);

  Work work(Work::Headline::matmul, *pipe);
  work.matmul(router + routed + shared);
  work.vector(activated * cost->vector);
  work.vector(s.slots() * s.hidden +
              s.tokens * (s.top_k - 1) * s.hidden);  // weight and add the experts' outputs
  if (has_shared) work.vector(s.tokens * s.hidden);
  work.vector(s.tokens * (s.experts * 4 - 2))
      .sfu(activated * cost->sfu + s.tokens * (s.experts + 1));  // router softmax
  work.read("x", tokens).write("y", tokens);
  work.read("router", bytes(some ? s.experts * s.hidden : Count(0), input.dtype("router")));
  work.read("experts", bytes(distinct * s.matrices * s.hidden * s.inter, w));
  if (has_shared) work.read("shared", bytes(some ? s.matrices * s.hidden * s.shared : Count(0), w));
  if (input.flag("staged", false)) staged_traffic(s, x, work);
  work.fact("router_flops", router).fact("routed_flops", routed).fact("shared_flops", shared);
  work.fact("expected_distinct_uniform", decimal(expected));
  return work;
}

}  // namespace

constexpr OpEntry kMoe = {
    .name = "moe",
    .family = "moe",
    .doc = "Mixture of experts: router, routed and shared experts, combination",
    .params = kParams,
    .operands = kOperands,
    .aliases = kAliases,
    .work =
        "T tokens, E experts, top k, hidden h, inter I, shared S, nm = 3 gated or 2: matmul 2ThE + "
        "2Tk*nm*hI + 2T*nm*hS; vector activation + Tkh + T(k-1)h (+ Th shared) + T(4E-2); sfu "
        "T(E+1) + activation",
    .bytes =
        "x, y, Eh router, distinct*nm*hI experts, nm*hS shared; staged: + up, activation and "
        "per-slot outputs written and read",
    .intensity = "decode: about 2*tokens*k/(distinct*s_w)",
    .source = "docs/model.md, section 1; expected experts E(1-(1-k/E)^T) under uniform routing",
    .example = R"yaml(schema: roofline.kernel/1
kernels:
  - name: experts
    op: moe
    tokens: 32
    experts: 256
    top_k: 8
    hidden: 7168
    inter: 2048
    shared_inter: 2048
    distinct: 163
    dtypes: {x: bf16, w: fp8_e4m3, router: fp32}
)yaml",
    .model = &moe,
};

}  // namespace roofline::op_models
