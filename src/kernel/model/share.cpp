#include "kernel/model/share.hpp"

#include "kernel/model/inventory.hpp"

namespace roofline::model {
namespace {

/// Divides sizes among GPUs and collects what does not divide.
class Divider {
 public:
  Divider(const ModelConfig& model, Count ranks, std::string_view option)
      : model_(model), ranks_(ranks), option_(option) {}

  void divide(Count& size, std::string_view what) {
    if (floor_div(size, ranks_) * ranks_ == size) {
      size = floor_div(size, ranks_);
      return;
    }
    const std::string sentence = std::string(what) + " " + size.to_string() +
                                 " does not divide among " + ranks_.to_string() + " GPUs";
    for (const auto& error : errors)
      if (error.what == sentence) return;
    errors.push_back({Code::contradiction,
                      model_.place,
                      sentence,
                      "choose " + option_ + " so that every GPU holds the same",
                      {}});
  }

  Errors errors;

 private:
  const ModelConfig& model_;
  Count ranks_;
  std::string option_;
};

void share_attention(AttentionBlock& a, Count ranks, Divider& divider, bool& repeated) {
  if (a.kind != AttentionBlock::Kind::grouped && a.kind != AttentionBlock::Kind::latent) return;
  const Count heads = a.heads, kv_heads = a.kv_heads;
  divider.divide(a.heads, "the number of heads");
  if (a.kind == AttentionBlock::Kind::latent) {
    a.kv_heads = a.heads;
    return;
  }
  // Fewer key-value heads than GPUs: each is held by several.
  const bool copies = kv_heads < ranks && floor_div(ranks, kv_heads) * kv_heads == ranks;
  if (copies)
    a.kv_heads = 1;
  else
    divider.divide(a.kv_heads, "the number of key-value heads");
  repeated = repeated || (copies && kv_heads != ranks);
  if (a.q_norm_size > a.head_dim) a.q_norm_size = floor_div(a.q_norm_size * a.heads, heads);
  if (a.k_norm_size > a.head_dim) a.k_norm_size = floor_div(a.k_norm_size * a.kv_heads, kv_heads);
}

void share_layer(Layer& layer, const StepOptions& options, Divider& tensor, Divider& expert,
                 bool& repeated) {
  share_attention(layer.attention, options.tensor_parallel, tensor, repeated);
  if (layer.dense && layer.dense->inter > Count(0))
    tensor.divide(layer.dense->inter, "the width of the feed-forward part");
  if (!layer.experts) return;
  auto& e = *layer.experts;
  e.local_experts = e.experts;
  if (options.expert_parallel > Count(1))
    expert.divide(e.local_experts, "the number of experts");
  else
    tensor.divide(e.inter, "the width of an expert");
  if (e.shared_inter > Count(0)) tensor.divide(e.shared_inter, "the width of the shared expert");
}

constexpr Slot kLinear[] = {Slot::query_down, Slot::qkv,           Slot::latent_down,
                            Slot::latent_up,  Slot::attention_out, Slot::indexer,
                            Slot::dense_in,   Slot::dense_out,     Slot::expert_in,
                            Slot::expert_out, Slot::shared_in,     Slot::shared_out};

void store_all(ModelConfig& model, const WeightFormat& format) {
  model.formats = {plain_format(model.dtype), format};
  model.quantization = format.name;
  for (auto& group : model.groups) {
    group.layer.formats = {};
    for (const auto slot : kLinear) group.layer.formats[static_cast<std::size_t>(slot)] = 1;
    if (format.every_matrix) group.layer.formats[static_cast<std::size_t>(Slot::router)] = 1;
  }
  model.head_format = format.every_matrix && !model.head.tied ? 1 : 0;
}

bool is_wide(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::fp16 || dtype == DType::fp32 ||
         dtype == DType::tf32 || dtype == DType::fp64;
}

}  // namespace

Checked<ModelConfig> stored_as(const ModelConfig& model, const StepOptions& options,
                               std::vector<std::string>& statements) {
  ModelConfig stored = model;
  if (options.weights) {
    const auto& format = *options.weights;
    if (format.every_matrix && is_wide(format.dtype)) {
      stored.dtype = format.dtype;
      stored.formats = {plain_format(format.dtype)};
      stored.quantization.clear();
      for (auto& group : stored.groups) group.layer.formats = {};
      stored.head_format = 0;
    } else {
      store_all(stored, format);
      if (format.every_matrix)
        statements.push_back("weights are " + format.name +
                             " without scales: every matrix but the tables");
    }
  } else if (options.phase == Phase::train && !stored.quantization.empty()) {
    statements.push_back("training keeps weights as " + std::string(describe(stored.dtype).name) +
                         ", not as " + stored.quantization);
    stored.formats = {plain_format(stored.dtype)};
    stored.quantization.clear();
    for (auto& group : stored.groups) group.layer.formats = {};
  }
  if (!options.activations) return stored;
  if (stored.formats.size() == 1)
    return tl::unexpected(
        Errors{{Code::bad_option,
                {},
                "--activations says what narrow weights are multiplied with, and these are " +
                    stored.formats[0].name,
                "--weights fp8 --activations fp8, or leave it out",
                {}}});
  for (std::size_t i = 1; i < stored.formats.size(); ++i) {
    auto changed = with_activation(stored.formats[i], *options.activations);
    if (!changed) return tl::unexpected(Errors{changed.error()});
    stored.formats[i] = std::move(*changed);
  }
  return stored;
}

Checked<ModelConfig> share_of(const ModelConfig& model, const StepOptions& options,
                              std::vector<std::string>& statements) {
  ModelConfig share = model;
  const Count tp = options.tensor_parallel, ep = options.expert_parallel;
  Divider tensor(model, tp, "--tp"), expert(model, ep, "--ep");
  bool repeated = false;
  for (auto& group : share.groups) share_layer(group.layer, options, tensor, expert, repeated);
  const auto in_stages = [&](Count layers) {
    return floor_div(layers, options.pipeline_parallel) * options.pipeline_parallel == layers;
  };
  if (!in_stages(Count(static_cast<long long>(model.order.size()))))
    tensor.errors.push_back({Code::contradiction,
                             model.place,
                             std::to_string(model.order.size()) + " layers do not divide among " +
                                 options.pipeline_parallel.to_string() + " stages",
                             "choose --pp so that every stage holds the same",
                             {}});
  for (auto& error : expert.errors) tensor.errors.push_back(std::move(error));
  if (!tensor.errors.empty()) return tl::unexpected(std::move(tensor.errors));
  if (repeated)
    statements.push_back(
        "there are fewer key-value heads than GPUs: each is held by several of them");
  if (tp > Count(1)) {
    const bool even = floor_div(model.embedding.vocab, tp) * tp == model.embedding.vocab;
    share.embedding.vocab = ceil_div(model.embedding.vocab, tp);
    share.head.rows = ceil_div(model.head.rows, tp);
    if (!even)
      statements.push_back(
          "the vocabulary does not divide: the GPU with the larger share is counted");
  }
  return share;
}

}  // namespace roofline::model
