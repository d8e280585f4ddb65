#include "kernel/model/inventory.hpp"

#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace model {
namespace {

void add_grouped(const AttentionBlock& a, Count hidden, std::vector<StoredMatrix>& list) {
  list.push_back({Slot::qkv, a.heads * a.head_dim, hidden});
  list.push_back({Slot::qkv, a.kv_heads * a.head_dim, hidden});
  if (!a.values_are_keys) list.push_back({Slot::qkv, a.kv_heads * a.value_dim, hidden});
  list.push_back({Slot::attention_out, hidden, a.heads * a.value_dim});
}

void add_latent(const AttentionBlock& a, Count hidden, std::vector<StoredMatrix>& list) {
  if (a.q_rank > Count(0)) list.push_back({Slot::query_down, a.q_rank, hidden});
  list.push_back({Slot::qkv, a.heads * a.head_dim, a.q_rank > Count(0) ? a.q_rank : hidden});
  list.push_back({Slot::latent_down, a.kv_rank + a.rope_dim, hidden});
  list.push_back({Slot::latent_up, a.heads * (a.nope_dim() + a.value_dim), a.kv_rank});
  list.push_back({Slot::attention_out, hidden, a.heads * a.value_dim});
  if (a.index_heads == Count(0)) return;
  list.push_back({Slot::indexer, a.index_heads * a.index_dim, a.q_rank});
  list.push_back({Slot::indexer, a.index_dim, hidden});
  list.push_back({Slot::indexer, a.index_heads, hidden});
}

void add_dense(const DenseBlock& block, Count hidden, std::vector<StoredMatrix>& list) {
  if (block.inter == Count(0)) {  // one matrix instead of a feed-forward part
    list.push_back({Slot::dense_out, hidden, hidden});
    return;
  }
  list.push_back({Slot::dense_in, block.inter, hidden, block.gated ? 2 : 1});
  list.push_back({Slot::dense_out, hidden, block.inter});
}

void add_experts(const ExpertBlock& block, Count hidden, std::vector<StoredMatrix>& list) {
  const Count matrices_in = block.gated ? 2 : 1, held = held_experts(block);
  list.push_back({Slot::router, block.experts, hidden});
  list.push_back({Slot::expert_in, block.inter, hidden, held * matrices_in});
  list.push_back({Slot::expert_out, hidden, block.inter, held});
  if (block.shared_inter == Count(0)) return;
  list.push_back({Slot::shared_in, block.shared_inter, hidden, matrices_in});
  list.push_back({Slot::shared_out, hidden, block.shared_inter});
  if (block.shared_gate) list.push_back({Slot::router, 1, hidden});
}

Count when(bool yes, Count n) { return yes ? n : Count(0); }

Count qk_norm_size(const Norm& norm, Count width) {
  return norm ? norm_size(norm, width) : Count(0);
}

void add_attention_vectors(const AttentionBlock& a, Count hidden, StoredVectors& sum) {
  const bool latent = a.kind == AttentionBlock::Kind::latent;
  if (a.kind == AttentionBlock::Kind::none || a.kind == AttentionBlock::Kind::linear_layer) return;
  sum.norms += qk_norm_size(a.qk_norm, a.q_norm_size) + qk_norm_size(a.qk_norm, a.k_norm_size);
  sum.norms += norm_size(a.inner_norm, a.heads * a.value_dim);
  if (latent) {
    sum.norms += a.q_rank + a.kv_rank;
    sum.biases += when(a.q_bias, a.q_rank) + when(a.k_bias, a.kv_rank + a.rope_dim) +
                  when(a.out_bias, hidden);
    if (a.index_heads > Count(0))
      sum.norms += a.index_dim * 2;  // a layer norm of the indexer's keys
    return;
  }
  sum.biases += when(a.q_bias, a.heads * a.head_dim) + when(a.k_bias, a.kv_heads * a.head_dim) +
                when(a.v_bias && !a.values_are_keys, a.kv_heads * a.value_dim) +
                when(a.out_bias, hidden);
  sum.other += when(a.sinks, a.heads);
}

}  // namespace

Count held_experts(const ExpertBlock& experts) {
  return experts.local_experts > Count(0) ? experts.local_experts : experts.experts;
}

Count norm_size(const Norm& norm, Count width) {
  if (!norm) return 0;
  return when(norm.weight, width) + when(norm.bias, width);
}

std::vector<StoredMatrix> matrices_of(const Layer& layer, Count hidden) {
  std::vector<StoredMatrix> list;
  switch (layer.attention.kind) {
    case AttentionBlock::Kind::grouped: add_grouped(layer.attention, hidden, list); break;
    case AttentionBlock::Kind::latent: add_latent(layer.attention, hidden, list); break;
    case AttentionBlock::Kind::linear_layer:
      list.push_back({Slot::attention_out, hidden, hidden});
      break;
    case AttentionBlock::Kind::none: break;
  }
  if (layer.dense) add_dense(*layer.dense, hidden, list);
  if (layer.experts) add_experts(*layer.experts, hidden, list);
  return list;
}

StoredVectors vectors_of(const Layer& layer, Count hidden) {
  StoredVectors sum;
  for (const auto* norm :
       {&layer.before_attention, &layer.after_attention, &layer.before_ffn, &layer.after_ffn,
        &layer.after_dense, &layer.before_experts, &layer.after_experts})
    sum.norms += norm_size(*norm, hidden);
  add_attention_vectors(layer.attention, hidden, sum);
  if (layer.dense) {
    const auto& d = *layer.dense;
    sum.norms += norm_size(d.inner_norm, d.inter);
    sum.biases += when(d.in_bias, d.inter * Count(d.gated ? 2 : 1)) + when(d.out_bias, hidden);
    sum.other += d.activation_params;
  }
  if (layer.experts) {
    const auto& e = *layer.experts;
    sum.biases += when(e.router_bias, e.experts) + when(e.correction_bias, e.experts);
    sum.expert_biases = when(e.bias, e.inter * Count(e.gated ? 2 : 1) + hidden);
    sum.other += e.router_params;
  }
  return sum;
}

Count layer_parameters(const Layer& layer, Count hidden) {
  Count total = 0;
  for (const auto& matrix : matrices_of(layer, hidden)) total += matrix.parameters();
  const auto vectors = vectors_of(layer, hidden);
  total += vectors.norms + vectors.biases + vectors.other;
  if (layer.experts) total += vectors.expert_biases * held_experts(*layer.experts);
  return total;
}

namespace {

/// Where the parameters of a slot are summed.
Count Parameters::*role_of(Slot slot) {
  switch (slot) {
    case Slot::dense_in:
    case Slot::dense_out: return &Parameters::dense;
    case Slot::expert_in:
    case Slot::expert_out: return &Parameters::experts;
    case Slot::shared_in:
    case Slot::shared_out: return &Parameters::shared;
    case Slot::router: return &Parameters::router;
    default: return &Parameters::attention;
  }
}

void add_layer(const LayerGroup& group, Count hidden, Parameters& sum) {
  const auto& layer = group.layer;
  for (const auto& matrix : matrices_of(layer, hidden))
    sum.*role_of(matrix.slot) += group.stored * matrix.parameters();
  const auto vectors = vectors_of(layer, hidden);
  sum.norms += group.stored * vectors.norms;
  sum.biases += group.stored * vectors.biases;
  sum.other += group.stored * vectors.other;
  if (!layer.experts) return;
  const auto& e = *layer.experts;
  const Count held = held_experts(e),
              each = e.inter * hidden * Count(e.gated ? 3 : 2) + vectors.expert_biases;
  sum.biases += group.stored * vectors.expert_biases * held;
  sum.idle_experts += group.stored * (held - min(e.top_k, held)) * each;
  sum.idle_matrices += group.stored * (held - min(e.top_k, held)) * (each - vectors.expert_biases);
}

void add_tables(const ModelConfig& model, Parameters& sum) {
  const auto& table = model.embedding;
  const Count position_width = table.position_width > Count(0) ? table.position_width : table.width;
  sum.embedding +=
      table.vocab * table.width + table.types * table.width + table.positions * position_width;
  sum.embedding +=
      table.patch_inputs > Count(0) ? (table.patch_inputs + 1) * model.hidden : Count(0);
  if (table.projected) {
    sum.embedding += table.width * model.hidden + when(table.project_bias, model.hidden);
    sum.end_matrices += table.width * model.hidden;
  }
  sum.other += table.other_params;
  sum.norms += norm_size(table.norm, table.width) + norm_size(model.final_norm, model.hidden);
}

void add_head(const ModelConfig& model, Parameters& sum) {
  const auto& head = model.head;
  const Count h = model.hidden;
  if (head.present) {
    const Count matrix = head.rows * head.width;
    if (!head.tied) sum.head += matrix;
    if (head.projected) sum.head += h * head.width;
    sum.biases += when(head.bias, head.rows);
    sum.end_matrices += matrix + when(head.projected, h * head.width);
  }
  sum.head += head.pooler * (h * h + h) + head.classifier * (h + 1);
}

}  // namespace
}  // namespace model

Count Parameters::total() const {
  return embedding + head + norms + biases + attention + dense + experts + router + shared + other;
}

Count Parameters::active() const { return total() - idle_experts; }

Count Parameters::matmul_active() const {
  return attention + dense + router + shared + experts - idle_matrices + end_matrices;
}

Parameters count_parameters(const ModelConfig& config) {
  Parameters sum;
  model::add_tables(config, sum);
  for (const auto& group : config.groups) model::add_layer(group, config.hidden, sum);
  model::add_head(config, sum);
  for (const auto& extra : config.extras) sum.extra += extra.parameters;
  return sum;
}

}  // namespace roofline
