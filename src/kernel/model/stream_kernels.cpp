#include "kernel/model/kernel_list.hpp"

namespace roofline::model {
namespace {

/// The stream of a layer: branches leave it, are computed, and are added back. An addition waits
/// for the norm that follows it, because one kernel does both; what a layer leaves waiting, the
/// next layer's first norm adds.
class Stream {
 public:
  Stream(KernelList& list, const Layer& layer)
      : list_(list), layer_(layer), rows_(list.shape().tokens()), width_(list.model().hidden) {
    waiting_ = leaves_waiting(layer);
  }

  void norm(std::string_view name, const Norm& norm) {
    if (!norm) return;
    list_.norm(name, norm, rows_, width_, waiting_);
    waiting_ = false;
  }

  void add_branch(std::string_view norm_name, const Norm& after, Count branches = 1) {
    if (layer_.norm_on_sum) {
      add(branches);
      list_.norm(norm_name, after, rows_, width_);
      return;
    }
    list_.norm(norm_name, after, rows_, width_);
    if (branches > Count(1)) return add(branches);
    if (waiting_) add(1);
    waiting_ = true;
  }

  void finish() {
    if (waiting_ && !leaves_waiting(layer_)) add(1);
  }

  /// What reads the stream without a norm in front needs the addition done.
  void settle() {
    if (waiting_) add(1);
  }

  /// A layer that begins with a norm takes the addition of the layer before. The first layer has
  /// none before it, the final norm has one that is not counted with it: the sum over the model is
  /// exact.
  static bool leaves_waiting(const Layer& layer) {
    const bool attends = layer.attention.kind != AttentionBlock::Kind::none;
    if (!attends && !layer.dense && !layer.experts) return true;  // an empty layer passes it on
    return !layer.parallel &&
           static_cast<bool>(attends ? layer.before_attention : layer.before_ffn);
  }

 private:
  void add(Count branches) {
    const Count shape[] = {rows_, width_};
    list_.elementwise("residual_add", shape, {branches + 1, branches, 0});
    waiting_ = false;
  }

  KernelList& list_;
  const Layer& layer_;
  Count rows_, width_;
  bool waiting_ = false;
};

void all_reduce(KernelList& list, std::string_view name) {
  const Count ranks = list.options().tensor_parallel;
  if (ranks > Count(1))
    list.collective(name, "all_reduce", ranks,
                    list.bytes(list.shape().tokens() * list.model().hidden));
}

/// Experts on other GPUs bring their sums back themselves; else every GPU holds a slice of each.
bool reduces_feed_forward(const KernelList& list, const Layer& layer) {
  return !layer.experts || routed_groups(list.options()) <= Count(1);
}

std::string section_name(const KernelList& list, const Layer& layer, std::size_t index) {
  std::string name = "layer";
  if (list.model().groups.size() > 1)
    name += " " + std::string(1, static_cast<char>('A' + index % 26));
  if (layer.experts) name += ", experts";
  if (layer.attention.window > Count(0)) name += ", window " + layer.attention.window.to_string();
  if (layer.attention.chunk > Count(0)) name += ", chunks of " + layer.attention.chunk.to_string();
  return name;
}

void lookup(KernelList& list, std::string_view name, Count tokens, Count rows, Count width) {
  OpInput input;
  input.set("tokens", {tokens});
  input.set("vocab", {rows});
  input.set("hidden", {width});
  input.set("phase", {std::string("fwd")});
  input.set_dtype("table", list.shape().x);
  input.set_dtype("ids", DType::int64);
  input.set_dtype("y", list.shape().x);
  list.add(name, "embedding", std::move(input));
}

}  // namespace

void emit_layer(KernelList& list, const LayerGroup& group, std::size_t index) {
  const auto& layer = group.layer;
  const bool attends = layer.attention.kind != AttentionBlock::Kind::none,
             feeds = layer.dense || layer.experts;
  if (!attends && !feeds) return;
  list.begin(section_name(list, layer, index), group.repeat);
  Stream stream(list, layer);
  stream.norm("input_norm", layer.before_attention);
  emit_attention(list, layer);
  if (layer.parallel) {
    list.norm("ffn_norm", layer.before_ffn, list.shape().tokens(), list.model().hidden);
    emit_feed_forward(list, layer);
    if (list.options().tensor_parallel > Count(1)) all_reduce(list, "all_reduce");
    stream.add_branch("ffn_out_norm", layer.after_ffn, 2);
    return;
  }
  if (attends) {
    all_reduce(list, "attention_all_reduce");
    stream.add_branch("attention_out_norm", layer.after_attention);
  }
  if (feeds) {
    if (!layer.before_ffn) stream.settle();
    stream.norm("ffn_norm", layer.before_ffn);
    emit_feed_forward(list, layer);
    if (reduces_feed_forward(list, layer)) all_reduce(list, "ffn_all_reduce");
    stream.add_branch("ffn_out_norm", layer.after_ffn);
  }
  stream.finish();
}

void emit_embedding(KernelList& list) {
  const auto& model = list.model();
  const auto& table = model.embedding;
  const auto& shape = list.shape();
  const Count tokens = shape.tokens();
  list.begin("embedding", 1);
  Count tables = 0;
  if (table.vocab > Count(0)) {
    lookup(list, "token_embedding", tokens, table.vocab, table.width);
    tables += 1;
  }
  if (table.patch_inputs > Count(0)) {
    list.product("patch_embedding", 0, tokens, model.hidden, table.patch_inputs, true);
    tables += 1;
  }
  const Count position_width = table.position_width > Count(0) ? table.position_width : table.width;
  const bool inside =
      table.projected && position_width == model.hidden && position_width != table.width;
  if (table.projected && inside)
    list.product("embedding_projection", 0, tokens, model.hidden, table.width, table.project_bias);
  if (table.positions > Count(0)) {
    lookup(list, "position_embedding", tokens, table.positions, position_width);
    tables += 1;
  }
  if (table.types > Count(0)) {
    lookup(list, "type_embedding", tokens, table.types, table.width);
    tables += 1;
  }
  const Count sum[] = {tokens, inside ? model.hidden : table.width};
  if (tables > Count(1)) list.elementwise("embedding_sum", sum, {tables, tables - 1, 0});
  list.norm("embedding_norm", table.norm, tokens, table.width);
  if (table.projected && !inside)
    list.product("embedding_projection", 0, tokens, model.hidden, table.width, table.project_bias);
}

void emit_head(KernelList& list) {
  const auto& model = list.model();
  const auto& shape = list.shape();
  const auto& head = model.head;
  const Count h = model.hidden;
  const bool every = shape.train || list.options().all_logits || shape.decode;
  const Count rows = every ? shape.tokens() : shape.batch;
  list.begin("head", 1);
  list.norm("final_norm", model.final_norm, shape.tokens(), h);
  if (head.present) {
    if (head.projected) list.product("head_projection", 0, rows, head.width, h, false);
    list.product("lm_head", head.tied ? static_cast<unsigned char>(0) : model.head_format, rows,
                 head.rows, head.width, head.bias);
  }
  if (head.pooler > Count(0)) {
    list.product("pooler", 0, shape.batch, h, h, true);
    list.activation("pooler_tanh", "tanh", false, shape.batch, h);
  }
  if (head.classifier > Count(0))
    list.product("classifier", 0, shape.batch, head.classifier, h, true);
}

}  // namespace roofline::model
