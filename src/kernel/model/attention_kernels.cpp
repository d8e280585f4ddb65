#include "kernel/model/kernel_list.hpp"

namespace roofline::model {
namespace {

Value number(Count value) { return {value}; }

std::vector<StoredMatrix> stored_in(const Layer& layer, Count hidden, Slot slot) {
  std::vector<StoredMatrix> list;
  for (const auto& matrix : matrices_of(layer, hidden))
    if (matrix.slot == slot) list.push_back(matrix);
  return list;
}

void rope(KernelList& list, Count heads_q, Count heads_kv, Count rotary_dim) {
  if (rotary_dim == Count(0)) return;
  OpInput input;
  input.set("tokens", number(list.shape().tokens()));
  input.set("heads_q", number(heads_q));
  input.set("heads_kv", number(heads_kv));
  input.set("rotary_dim", number(rotary_dim));
  input.set_dtype("x", list.shape().x);
  input.set_dtype("table", DType::fp32);
  list.add("rope", "rope", std::move(input));
}

void append(KernelList& list, Count heads_kv, Count head_dim, Count value_dim) {
  if (list.shape().train || list.model().kind != ModelKind::decoder) return;
  OpInput input;
  input.set("tokens", number(list.shape().tokens()));
  input.set("heads_kv", number(heads_kv));
  input.set("head_dim", number(head_dim));
  input.set("head_dim_v", number(value_dim));
  input.set_dtype("src", list.shape().x);
  input.set_dtype("cache", list.shape().cache);
  list.add("kv_append", "kv_append", std::move(input));
}

/// Sequences of equal size that one attention kernel runs over.
struct Blocks {
  Count batch, queries, keys;
};

/// Block by block where attention is chunked, equal blocks together: the rest of a block that the
/// prefix began, whole blocks, what is left. Queries and keys are aligned at the last of both.
std::vector<Blocks> chunked(const StepShape& shape, Count chunk) {
  const Count end = shape.cached + shape.queries;
  const Count first_end = min(ceil_div(shape.cached, chunk) * chunk, end);
  std::vector<Blocks> list;
  if (first_end > shape.cached)
    list.push_back({shape.batch, first_end - shape.cached,
                    first_end - floor_div(shape.cached, chunk) * chunk});
  const Count start = max(first_end, shape.cached), whole = floor_div(end - start, chunk);
  if (whole > Count(0)) list.push_back({shape.batch * whole, chunk, chunk});
  if (const Count rest = end - start - whole * chunk; rest > Count(0))
    list.push_back({shape.batch, rest, rest});
  return list;
}

/// The scores, the softmax and the sum over values, in one kernel that keeps scores on chip.
void attend(KernelList& list, const AttentionBlock& a, Count heads_kv, const Blocks& blocks) {
  const auto& shape = list.shape();
  OpInput input;
  input.set("heads_q", number(a.heads));
  input.set("heads_kv", number(heads_kv));
  input.set("head_dim", number(a.head_dim));
  input.set("head_dim_v", number(a.value_dim));
  input.set("batch", number(blocks.batch));
  input.set("seq_q", number(blocks.queries));
  input.set("seq_k", number(blocks.keys));
  const Count window = a.index_top_k > Count(0) ? a.index_top_k : a.window;
  if (!shape.decode && window > Count(0) && window < blocks.keys) {
    input.set("mask", {std::string("window")});
    input.set("left", number(window - 1));
    input.set("right", number(a.causal ? Count(0) : window - 1));
  } else {
    input.set("mask", {std::string(a.causal ? "causal" : "full")});
  }
  input.set("phase", {std::string("fwd")});
  if (shape.train) input.set("save_lse", {true});
  const DType keys = shape.cached > Count(0) ? shape.cache : shape.x;
  input.set_dtype("q", shape.x);
  input.set_dtype("k", keys);
  input.set_dtype("v", keys);
  input.set_dtype("o", shape.x);
  input.set_dtype("s", shape.x);
  list.add("attention", "attention", std::move(input));
  if (a.sinks) list.also_reads("sinks", list.bytes(a.heads));
}

void attend(KernelList& list, const AttentionBlock& a, Count heads_kv) {
  const auto& shape = list.shape();
  if (shape.decode)
    return attend(list, a, heads_kv, {shape.batch, shape.queries, visible_keys(a, shape.keys())});
  if (a.chunk == Count(0))
    return attend(list, a, heads_kv, {shape.batch, shape.queries, shape.keys()});
  for (const auto& blocks : chunked(shape, a.chunk)) attend(list, a, heads_kv, blocks);
}

void query_key_norms(KernelList& list, const AttentionBlock& a) {
  if (!a.qk_norm && !a.value_norm) return;
  const Count tokens = list.shape().tokens();
  if (a.qk_norm) {
    const Count q = a.heads * a.head_dim, k = a.kv_heads * a.head_dim;
    list.norm("q_norm", a.qk_norm, a.norm_whole_width ? tokens : tokens * a.heads,
              a.norm_whole_width ? q : a.head_dim);
    list.norm("k_norm", a.qk_norm, a.norm_whole_width ? tokens : tokens * a.kv_heads,
              a.norm_whole_width ? k : a.head_dim);
  }
  if (a.value_norm)
    list.norm("v_norm", {NormKind::rms, false, false}, tokens * a.kv_heads, a.value_dim);
}

void grouped_attention(KernelList& list, const Layer& layer) {
  const auto& a = layer.attention;
  const Count tokens = list.shape().tokens(), h = list.model().hidden;
  const auto qkv = stored_in(layer, h, Slot::qkv);
  list.product("qkv", layer.format(Slot::qkv), tokens, qkv, a.q_bias);
  query_key_norms(list, a);
  rope(list, a.heads, a.kv_heads, a.rotary_dim);
  append(list, a.kv_heads, a.head_dim, a.value_dim);
  attend(list, a, a.kv_heads);
  list.norm("attention_inner_norm", a.inner_norm, tokens, a.heads * a.value_dim);
}

/// Scores of the indexer: one small query per head and token against one key per token, summed over
/// heads, and the choice of the best. The choice itself is not counted, as with experts.
void indexer(KernelList& list, const Layer& layer) {
  const auto& a = layer.attention;
  const auto& shape = list.shape();
  const auto f = layer.format(Slot::indexer);
  const Count tokens = shape.tokens(), h = list.model().hidden;
  list.product("index_q", f, tokens, a.index_heads * a.index_dim, a.q_rank, false);
  list.product("index_k", f, tokens, a.index_dim, h, false);
  list.product("index_weights", f, tokens, a.index_heads, h, false);
  list.norm("index_k_norm", {NormKind::layer, true, true}, tokens, a.index_dim);
  OpInput input;
  input.set("m", number(a.index_heads * shape.queries));
  input.set("n", number(shape.keys()));
  input.set("k", number(a.index_dim));
  input.set("batch", number(shape.batch));
  input.set_dtype("a", shape.cache);
  input.set_dtype("b", shape.cache);
  for (const std::string_view operand : {"d", "c", "bias"})
    input.set_dtype(operand, DType::fp8_e4m3);
  list.add("index_scores", "gemm", std::move(input));
}

void latent_decode(KernelList& list, const Layer& layer) {
  const auto& a = layer.attention;
  const auto& shape = list.shape();
  const auto up = layer.format(Slot::latent_up);
  list.head_products("q_absorb", up, a.heads, shape.tokens(), a.kv_rank, a.nope_dim());
  OpInput input;
  input.set("batch", number(shape.batch));
  input.set("heads", number(a.heads));
  input.set("seq_q", number(shape.queries));
  input.set("context", number(visible_keys(a, shape.keys())));
  input.set("latent", number(a.kv_rank));
  input.set("rope", number(a.rope_dim));
  input.set("mask", {std::string("full")});
  if (list.options().latent_rows_656)
    input.set("token_bytes", number(a.kv_rank + ceil_div(a.kv_rank, 128) * 4 + a.rope_dim * 2));
  input.set_dtype("q", shape.x);
  input.set_dtype("kv", shape.cache);
  input.set_dtype("o", shape.x);
  list.add("attention", "mla_decode", std::move(input));
  list.head_products("value_up", up, a.heads, shape.tokens(), a.value_dim, a.kv_rank);
}

void latent_attention(KernelList& list, const Layer& layer) {
  const auto& a = layer.attention;
  const auto& shape = list.shape();
  const Count tokens = shape.tokens(), h = list.model().hidden;
  const Norm norm{NormKind::rms};
  if (a.q_rank > Count(0)) {
    list.product("q_down", layer.format(Slot::query_down), tokens, a.q_rank, h, a.q_bias);
    list.norm("q_down_norm", norm, tokens, a.q_rank);
  }
  list.product("q_up", layer.format(Slot::qkv), tokens, a.heads * a.head_dim,
               a.q_rank > Count(0) ? a.q_rank : h, false);
  list.product("kv_down", layer.format(Slot::latent_down), tokens, a.kv_rank + a.rope_dim, h,
               a.k_bias);
  list.norm("kv_down_norm", norm, tokens, a.kv_rank);
  rope(list, a.heads, 1, a.rope_dim);
  append(list, 1, a.kv_rank, a.rope_dim);
  if (a.index_heads > Count(0)) indexer(list, layer);
  if (shape.decode) return latent_decode(list, layer);
  list.product("kv_up", layer.format(Slot::latent_up), shape.batch * shape.keys(),
               a.heads * (a.nope_dim() + a.value_dim), a.kv_rank, false);
  attend(list, a, a.heads);
}

}  // namespace

Count visible_keys(const AttentionBlock& a, Count keys) {
  if (a.index_top_k > Count(0)) keys = min(keys, a.index_top_k);
  if (a.window > Count(0)) keys = min(keys, a.window);
  if (a.chunk > Count(0) && keys > Count(0))
    keys = (keys - 1) - floor_div(keys - 1, a.chunk) * a.chunk + 1;
  return keys;
}

void emit_attention(KernelList& list, const Layer& layer) {
  const auto& a = layer.attention;
  const Count tokens = list.shape().tokens(), h = list.model().hidden;
  const auto out = layer.format(Slot::attention_out);
  switch (a.kind) {
    case AttentionBlock::Kind::none: return;
    case AttentionBlock::Kind::linear_layer:
      return list.product("attention_linear", out, tokens, h, h, false);
    case AttentionBlock::Kind::grouped: grouped_attention(list, layer); break;
    case AttentionBlock::Kind::latent: latent_attention(list, layer); break;
  }
  list.product("attention_out", out, tokens, h, a.heads * a.value_dim, a.out_bias);
}

}  // namespace roofline::model
