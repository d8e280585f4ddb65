#include "roofline/kernel/transformer.hpp"

#include <algorithm>

#include "kernel/model/kernel_list.hpp"
#include "kernel/model/share.hpp"
#include "kernel/model/traffic.hpp"

namespace roofline {
namespace {

constexpr std::pair<std::string_view, Phase> kPhases[] = {
    {"prefill", Phase::prefill}, {"decode", Phase::decode}, {"train", Phase::train}};

tl::unexpected<Errors> refuse(const ModelConfig& model, Code code, std::string what,
                              std::string hint) {
  return tl::unexpected(Errors{{code, model.place, std::move(what), std::move(hint), {}}});
}

/// Defaults of what was not asked, and what contradicts the model.
Checked<StepOptions> complete(const ModelConfig& model, StepOptions options) {
  const bool decoder = model.kind == ModelKind::decoder;
  if (!decoder && options.phase == Phase::decode)
    return refuse(model, Code::contradiction,
                  model.model_type + " reads its whole input at once: it has no decode step",
                  "--phase prefill");
  if (model.kind == ModelKind::vision) {
    if (options.tokens == Count(0)) options.tokens = model.embedding.positions;
  }
  if (options.phase != Phase::decode && options.tokens == Count(0))
    return refuse(model, Code::missing_argument, "how many tokens does a sequence have?",
                  "--tokens 2048");
  if (options.prefix > Count(0) && (!decoder || options.phase != Phase::prefill))
    return refuse(model, Code::contradiction,
                  "only the prefill of a decoder has a prefix in the cache", "leave --prefix out");
  if (options.batch < Count(1))
    return refuse(model, Code::out_of_range, "the batch is at least 1", "--batch 1");
  const Count tp = options.tensor_parallel, ep = options.expert_parallel;
  const bool nested = floor_div(ep, tp) * tp == ep || floor_div(tp, ep) * ep == tp;
  if (ep > Count(1) && !nested)
    return refuse(
        model, Code::contradiction,
        "--ep " + ep.to_string() + " and --tp " + tp.to_string() + " do not divide one another",
        "choose one as a multiple of the other");
  if (ep > Count(1) && ep < tp)
    return refuse(
        model, Code::contradiction,
        "--ep " + ep.to_string() + " is less than --tp " + tp.to_string(),
        "experts are spread over all GPUs of a tensor-parallel group: --ep " + tp.to_string());
  const bool has_experts =
      std::any_of(model.groups.begin(), model.groups.end(),
                  [](const auto& group) { return group.layer.experts.has_value(); });
  if (ep > Count(1) && !has_experts)
    return refuse(model, Code::contradiction, "the model has no experts to spread",
                  "leave --ep out");
  return options;
}

model::StepShape shape_of(const ModelConfig& model, const StepOptions& options) {
  model::StepShape shape;
  shape.decode = options.phase == Phase::decode;
  shape.train = options.phase == Phase::train;
  shape.batch = options.batch;
  shape.queries = shape.decode ? Count(1) : options.tokens;
  shape.cached = shape.decode ? options.context : options.prefix;
  shape.x = model.dtype;
  shape.cache = options.kv_dtype ? *options.kv_dtype : model.kv_dtype.value_or(model.dtype);
  return shape;
}

void emit_loss(model::KernelList& list) {
  const auto& head = list.model().head;
  if (!head.present) return;
  OpInput input;
  input.set("rows", {list.shape().tokens()});
  input.set("vocab", {head.rows});
  input.set("phase", {std::string("fwd")});
  input.set("save_lse", {true});
  input.set_dtype("logits", list.shape().x);
  input.set_dtype("labels", DType::int64);
  input.set_dtype("loss", DType::fp32);
  list.add("loss", "cross_entropy", std::move(input));
}

void emit_stages(model::KernelList& list) {
  const Count stages = list.options().pipeline_parallel;
  if (stages <= Count(1)) return;
  list.begin("between stages", stages - 1);
  list.collective("send", "broadcast", stages,
                  list.bytes(list.shape().tokens() * list.model().hidden));
}

void add_terms(const Kernel& kernel, ModelStep& step) {
  for (const auto& term : kernel.work.terms()) {
    if (!term.contraction) continue;
    const Count amount = term.amount * kernel.repeat;
    step.matmul_flops += amount;
    const auto known = std::find_if(step.matmul.begin(), step.matmul.end(),
                                    [&](const Term& t) { return t.pipe == term.pipe; });
    if (known == step.matmul.end())
      step.matmul.push_back({term.pipe, true, amount});
    else
      known->amount += amount;
  }
}

void say_what_is_assumed(const ModelConfig& model, const StepOptions& options, ModelStep& step) {
  auto& said = step.statements;
  said.insert(said.end(), model.assumptions.begin(), model.assumptions.end());
  const bool experts = !step.traffic.experts.empty();
  if (experts)
    said.push_back(
        "experts are picked uniformly and independently; real routing is skewed and touches fewer");
  if (options.phase == Phase::train)
    said.push_back(
        "training: forward, backward without recomputation of layers (attention recomputes its "
        "scores), AdamW; no reduction of gradients between replicas");
  for (const auto& group : model.groups)
    if (group.layer.attention.index_top_k > Count(0)) {
      said.push_back("sparse attention: every token sees the " +
                     group.layer.attention.index_top_k.to_string() +
                     " keys that the indexer picks; the picking itself is not counted");
      break;
    }
  if (options.pipeline_parallel > Count(1))
    said.push_back(
        "pipeline stages run one after another for one batch; memory is an even share of them, "
        "tokens/s counts a batch in every stage");
  if (model.max_positions > Count(0) &&
      max(options.context, options.prefix + options.tokens) > model.max_positions &&
      model.kind == ModelKind::decoder)
    said.push_back("the context is longer than the " + model.max_positions.to_string() +
                   " positions of the config");
}

}  // namespace

std::string_view phase_name(Phase phase) {
  for (const auto& [name, known] : kPhases)
    if (known == phase) return name;
  return "decode";
}

std::optional<Phase> find_phase(std::string_view name) {
  for (const auto& [known, phase] : kPhases)
    if (known == name) return phase;
  return std::nullopt;
}

Checked<ModelStep> plan_step(const ModelConfig& asked, const StepOptions& wanted) {
  ModelStep step;
  auto options = complete(asked, wanted);
  if (!options) return tl::unexpected(options.error());
  step.options = *options;
  auto stored = model::stored_as(asked, step.options, step.statements);
  if (!stored) return tl::unexpected(stored.error());
  auto share = model::share_of(*stored, step.options, step.statements);
  if (!share) return tl::unexpected(share.error());
  step.share = std::move(*share);

  const auto shape = shape_of(step.share, step.options);
  model::KernelList list(step.share, shape, step.options);
  model::emit_embedding(list);
  for (std::size_t i = 0; i < step.share.groups.size(); ++i)
    model::emit_layer(list, step.share.groups[i], i);
  emit_stages(list);
  model::emit_head(list);
  if (shape.train) emit_loss(list);
  if (!list.errors.empty()) return tl::unexpected(std::move(list.errors));
  for (const auto& kernel : list.kernels) add_terms(kernel, step);
  step.forward_flops = step.matmul_flops;
  const Count parameters = count_parameters(step.share).total();
  step.traffic = model::traffic_of(step.share, shape, step.options);
  if (shape.train) {
    const auto forward = list.kernels.size();
    model::emit_backward(list, forward, list.sections.size());
    model::emit_optimizer(list, parameters);
    if (!list.errors.empty()) return tl::unexpected(std::move(list.errors));
    for (std::size_t i = forward; i < list.kernels.size(); ++i) add_terms(list.kernels[i], step);
    step.optimizer_bytes = parameters * (4 * 3) + list.bytes(parameters);
    // Gradients are written by the backward pass and read by the optimizer; the optimizer's own
    // traffic is its op's.
    step.traffic.optimizer = list.kernels.back().work.bytes() + list.bytes(parameters);
  }
  step.workload.kernels = std::move(list.kernels);
  std::erase_if(list.sections, [](const StepSection& section) { return section.count == 0; });
  step.sections = std::move(list.sections);

  step.weight_bytes = model::stored_bytes(step.share);
  step.model_weight_bytes = model::stored_bytes(*stored);
  step.kv_bytes_per_token = model::cache_bytes_per_token(*stored, shape, step.options);
  const Count before = shape.cached, after = shape.cached + shape.queries;
  step.kv_bytes = shape.batch * model::cache_bytes(step.share, shape, step.options,
                                                   shape.decode ? before : after);
  step.kv_bytes_after = shape.batch * model::cache_bytes(step.share, shape, step.options, after);
  if (const Count stages = step.options.pipeline_parallel; stages > Count(1)) {
    step.weight_bytes = ceil_div(step.weight_bytes, stages);
    step.kv_bytes = ceil_div(step.kv_bytes, stages);
    step.kv_bytes_after = ceil_div(step.kv_bytes_after, stages);
    step.optimizer_bytes = ceil_div(step.optimizer_bytes, stages);
  }
  step.tokens = shape.tokens();
  say_what_is_assumed(step.share, step.options, step);
  return step;
}

}  // namespace roofline
