#include "kernel/model/traffic.hpp"

#include "kernel/ops/expected_experts.hpp"

namespace roofline {
namespace model {
namespace {

Count bytes_of(Count values, DType dtype) {
  return ceil_div(values * Count(describe(dtype).bits), 8);
}

bool is_expert(Slot slot) { return slot == Slot::expert_in || slot == Slot::expert_out; }

Count matrix_bytes(const ModelConfig& model, const Layer& layer, const StoredMatrix& matrix) {
  return weight_bytes(model.formats[layer.format(matrix.slot)], matrix.n, matrix.k) * matrix.copies;
}

/// A layer's weights without its experts.
Count dense_bytes(const ModelConfig& model, const Layer& layer) {
  Count sum = 0;
  for (const auto& matrix : matrices_of(layer, model.hidden))
    if (!is_expert(matrix.slot)) sum += matrix_bytes(model, layer, matrix);
  const auto vectors = vectors_of(layer, model.hidden);
  return sum + bytes_of(vectors.norms + vectors.biases + vectors.other, model.dtype);
}

/// One expert of a layer.
Count expert_bytes(const ModelConfig& model, const Layer& layer) {
  Count sum = 0;
  const Count held = held_experts(*layer.experts);
  for (const auto& matrix : matrices_of(layer, model.hidden))
    if (is_expert(matrix.slot)) sum += floor_div(matrix_bytes(model, layer, matrix), held);
  return sum + bytes_of(vectors_of(layer, model.hidden).expert_biases, model.dtype);
}

Count head_bytes(const ModelConfig& model) {
  const auto& head = model.head;
  const Count h = model.hidden;
  Count sum = bytes_of(head.pooler * (h * h + h) + head.classifier * (h + 1), model.dtype);
  if (!head.present) return sum;
  sum += weight_bytes(model.formats[head.tied ? 0 : model.head_format], head.rows, head.width);
  if (head.projected) sum += bytes_of(h * head.width, model.dtype);
  return sum + (head.bias ? bytes_of(head.rows, model.dtype) : Count(0));
}

/// What the embedding multiplies or normalises with: read in every step.
Count embedding_matrix_bytes(const ModelConfig& model) {
  const auto& table = model.embedding;
  Count values = norm_size(table.norm, table.width) + table.other_params;
  if (table.projected)
    values += table.width * model.hidden + (table.project_bias ? model.hidden : Count(0));
  if (table.patch_inputs > Count(0)) values += (table.patch_inputs + 1) * model.hidden;
  return bytes_of(values, model.dtype);
}

Count position_width(const EmbeddingBlock& table) {
  return table.position_width > Count(0) ? table.position_width : table.width;
}

Count cached_values(const AttentionBlock& a) {
  switch (a.kind) {
    case AttentionBlock::Kind::grouped: return a.kv_heads * (a.head_dim + a.value_dim);
    case AttentionBlock::Kind::latent: return a.kv_rank + a.rope_dim;
    default: return 0;
  }
}

/// One token's row of the cache of one layer.
Count row_bytes(const AttentionBlock& a, const StepShape& shape, const StepOptions& options) {
  if (a.kind == AttentionBlock::Kind::latent && options.latent_rows_656)
    return a.kv_rank + ceil_div(a.kv_rank, 128) * 4 + a.rope_dim * 2 +
           bytes_of(a.index_dim, shape.cache);
  return bytes_of(cached_values(a), shape.cache) + bytes_of(a.index_dim, shape.cache);
}

Count kept_keys(const AttentionBlock& a, Count keys) {
  if (a.window > Count(0)) keys = min(keys, a.window);
  return a.chunk > Count(0) ? min(keys, a.chunk) : keys;
}

/// Cache rows that a step reads: the keys that some new token of the sequence sees.
Count read_bytes(const AttentionBlock& a, const StepShape& shape, const StepOptions& options) {
  const Count row = row_bytes(a, shape, options), index = bytes_of(a.index_dim, shape.cache);
  if (!shape.decode) {  // the prefix, or as much of it as the first new token's window reaches
    const Count reach = a.window > Count(0) ? min(shape.cached, a.window - 1) : shape.cached;
    return row *
           (a.chunk > Count(0) ? shape.cached - floor_div(shape.cached, a.chunk) * a.chunk : reach);
  }
  const Count seen = visible_keys(a, shape.cached);
  // An indexer reads its key of every token before the few that it picks are read.
  return (row - index) * seen + index * shape.cached;
}

}  // namespace

Count stored_bytes(const ModelConfig& model) {
  const auto& table = model.embedding;
  Count sum = head_bytes(model) + embedding_matrix_bytes(model) +
              bytes_of(norm_size(model.final_norm, model.hidden), model.dtype);
  const Count rows = table.vocab * table.width + table.types * table.width +
                     table.positions * position_width(table);
  if (!(model.head.present && model.head.tied))
    sum += bytes_of(rows, model.dtype);
  else
    sum += bytes_of(rows - table.vocab * table.width, model.dtype);
  for (const auto& group : model.groups) {
    sum += group.stored * dense_bytes(model, group.layer);
    if (group.layer.experts)
      sum += group.stored * held_experts(*group.layer.experts) * expert_bytes(model, group.layer);
  }
  return sum;
}

Count cache_bytes_per_token(const ModelConfig& model, const StepShape& shape,
                            const StepOptions& options) {
  if (model.kind != ModelKind::decoder || shape.train) return 0;
  Count sum = 0;
  for (const auto& group : model.groups)
    sum += group.repeat * row_bytes(group.layer.attention, shape, options);
  return sum;
}

Count cache_bytes(const ModelConfig& model, const StepShape& shape, const StepOptions& options,
                  Count keys) {
  if (model.kind != ModelKind::decoder || shape.train) return 0;
  Count sum = 0;
  for (const auto& group : model.groups)
    sum += group.repeat * row_bytes(group.layer.attention, shape, options) *
           kept_keys(group.layer.attention, keys);
  return sum;
}

StepTraffic traffic_of(const ModelConfig& share, const StepShape& shape,
                       const StepOptions& options) {
  StepTraffic traffic;
  traffic.tokens_per_sequence = shape.queries;
  traffic.routed_groups = routed_groups(options);
  traffic.dense_weights = head_bytes(share) + embedding_matrix_bytes(share) +
                          bytes_of(norm_size(share.final_norm, share.hidden), share.dtype);
  for (const auto& group : share.groups) {
    traffic.dense_weights += group.stored * dense_bytes(share, group.layer);
    if (group.layer.experts) {
      const auto& e = *group.layer.experts;
      traffic.experts.push_back(
          {e.experts, e.top_k, held_experts(e), group.stored * expert_bytes(share, group.layer)});
    }
    if (share.kind != ModelKind::decoder || shape.train) continue;
    traffic.kv_read_per_sequence +=
        group.repeat * read_bytes(group.layer.attention, shape, options);
    traffic.kv_written_per_sequence +=
        group.repeat * row_bytes(group.layer.attention, shape, options) * shape.queries;
  }
  const auto& table = share.embedding;
  if (table.vocab > Count(0))
    traffic.rows_per_sequence +=
        bytes_of(min(shape.queries, table.vocab) * table.width, share.dtype);
  if (table.types > Count(0))
    traffic.shared_rows += bytes_of(table.types * table.width, share.dtype);
  if (table.positions >
      Count(0)) {  // new tokens of a prefill stand at the same positions in every sequence
    const Count rows =
        bytes_of(min(shape.queries, table.positions) * position_width(table), share.dtype);
    (shape.decode ? traffic.rows_per_sequence : traffic.shared_rows) += rows;
  }
  return traffic;
}

}  // namespace model

double StepTraffic::distinct_experts(const ExpertTraffic& e, Count batch) const {
  const double all =
      op_models::expected_experts(e.experts, e.top_k, batch * tokens_per_sequence * routed_groups);
  return all * e.held.to_double() / e.experts.to_double();
}

double StepTraffic::weights(Count batch) const {
  double sum = dense_weights.to_double();
  for (const auto& e : experts) sum += distinct_experts(e, batch) * e.bytes.to_double();
  return sum;
}

double StepTraffic::bytes(Count batch) const {
  return weights(batch) +
         ((rows_per_sequence + kv_read_per_sequence + kv_written_per_sequence) * batch +
          shared_rows + optimizer)
             .to_double();
}

}  // namespace roofline
