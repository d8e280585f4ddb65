#include "kernel/model/odd_families.hpp"

#include <algorithm>

#include "kernel/model/config_keys.hpp"

namespace roofline::model {
namespace {

const YamlNode& empty_map() {
  static const YamlNode kEmpty = [] {
    YamlNode node;
    node.kind = YamlNode::Kind::map;
    return node;
  }();
  return kEmpty;
}

/// The map under `key`, or an empty one.
const YamlNode& map_under(ConfigKeys& keys, std::string_view key) {
  const auto* node = keys.find(key);
  if (node == nullptr) return empty_map();
  if (!node->is_map()) keys.fail(Code::wrong_type, key, std::string(key) + " must be a map");
  return node->is_map() ? *node : empty_map();
}

constexpr double kMostRatio = 1000;  ///< of an inner width to the hidden size

void set_kv_heads(AttentionBlock& attention, Count kv_heads) { attention.kv_heads = kv_heads; }

}  // namespace

void bitnet_inner_norms(ConfigKeys&, Draft& draft, ModelConfig&) {
  draft.base.attention.inner_norm = {NormKind::rms};
  draft.dense.inner_norm = {NormKind::rms};
}

void bigcode_queries(ConfigKeys& keys, Draft& draft, ModelConfig&) {
  if (keys.flag_or("multi_query", true)) set_kv_heads(draft.base.attention, 1);
}

void chatglm_groups(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  if (keys.flag_or("multi_query_attention", false))
    set_kv_heads(draft.base.attention,
                 keys.need("multi_query_group_num", "how many key-value heads there are"));
  auto& attention = draft.base.attention;
  attention.q_bias = attention.k_bias = attention.v_bias =
      keys.flag_or("add_qkv_bias", false) || attention.out_bias;
  if (!keys.flag_or("rmsnorm", true)) {
    const Norm layer_norm{NormKind::layer, true, true};
    draft.base.before_attention = draft.base.before_ffn = model.final_norm = layer_norm;
  }
  if (!keys.flag_or("post_layer_norm", true)) model.final_norm = {};
}

void dbrx_parts(ConfigKeys& keys, Draft& draft, ModelConfig&) {
  ConfigKeys attention(keys.document(), map_under(keys, "attn_config"), keys.errors());
  set_kv_heads(draft.base.attention, attention.count_or("kv_n_heads", 1, 1));
  ConfigKeys ffn(keys.document(), map_under(keys, "ffn_config"), keys.errors());
  ExpertBlock experts;
  experts.inter = ffn.need("ffn_hidden_size", "how wide an expert is");
  experts.experts = ffn.need("moe_num_experts", "how many experts there are");
  experts.top_k = ffn.need("moe_top_k", "how many experts a token visits");
  draft.experts = experts;
}

void falcon_heads(ConfigKeys& keys, Draft& draft, ModelConfig&) {
  auto& attention = draft.base.attention;
  const bool grouped = keys.flag_or("new_decoder_architecture", false);
  const bool single = keys.flag_or("multi_query", true);
  if (grouped)
    set_kv_heads(attention, keys.count_or("num_kv_heads n_head_kv", attention.heads, 1));
  else if (single)
    set_kv_heads(attention, 1);
  keys.know("num_kv_heads n_head_kv");
  if (keys.flag_or("alibi", false)) attention.rotary_dim = 0;
  const bool two_norms = grouped && keys.count_or("num_ln_in_parallel_attn", 2, 1) == Count(2);
  if (grouped) draft.base.parallel = true;
  draft.base.before_ffn = two_norms || !draft.base.parallel ? draft.base.before_attention : Norm{};
}

void minimax_checks(ConfigKeys& keys, Draft&, ModelConfig& model) {
  for (const auto type : keys.counts("attn_type_list"))
    if (type != Count(1)) {
      keys.fail(Code::unknown_name, "attn_type_list",
                "attn_type_list has layers of linear attention, which are not counted",
                "only layers of type 1 (full attention) are");
      break;
    }
  keys.know("use_mtp mtp_transformer_layers num_mtp_modules use_routing_bias");
  if (keys.flag_or("use_mtp", false) && keys.count_or("num_mtp_modules", 0) > Count(0))
    model.not_counted.push_back(
        "num_mtp_modules (multi-token-prediction modules, whose weights are not published)");
}

void mpt_parts(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  ConfigKeys attention(keys.document(), map_under(keys, "attn_config"), keys.errors());
  set_kv_heads(draft.base.attention,
               attention.count_or("kv_n_heads", draft.base.attention.heads, 1));
  for (const std::string_view odd : {"qk_ln", "qk_gn"})
    if (attention.flag_or(odd, false))
      attention.fail(Code::unknown_name, odd,
                     "attn_config." + std::string(odd) + " is not counted");
  if (!attention.flag_or("alibi", true)) {
    if (keys.flag_or("learned_pos_emb", true)) {
      model.embedding.positions = keys.need("max_seq_len", "how many positions there are");
      model.embedding.position_width = model.hidden;
    }
  }
  keys.know("learned_pos_emb no_bias norm_type");
  const double ratio = keys.number_or("expansion_ratio", 4);
  if (!(ratio > 0 && ratio <= kMostRatio))
    return keys.fail(Code::out_of_range, "expansion_ratio",
                     "expansion_ratio must be more than 0 and at most 1000");
  const Count inter = Count(static_cast<long long>(ratio * model.hidden.to_double()));
  draft.dense_inter = inter;
  if (!keys.flag_or("no_bias", true)) {
    auto& layer = draft.base;
    layer.attention.q_bias = layer.attention.k_bias = layer.attention.v_bias =
        layer.attention.out_bias = true;
    draft.dense.in_bias = draft.dense.out_bias = true;
    layer.before_attention.bias = layer.before_ffn.bias = model.final_norm.bias = true;
  }
}

void opt_places(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  auto& layer = draft.base;
  if (!keys.flag_or("do_layer_norm_before", true)) {
    layer.after_attention = layer.before_attention;
    layer.after_ffn = layer.before_ffn;
    layer.before_attention = layer.before_ffn = model.final_norm = {};
    layer.norm_on_sum = true;
  }
  if (keys.flag_or("_remove_final_layer_norm", false)) model.final_norm = {};
  model.embedding.position_width =
      model.hidden;  // the table of positions is added after the projection
}

void qwen1_halves(ConfigKeys& keys, Draft& draft, ModelConfig&) {
  const Count both = keys.need("intermediate_size", "how wide the feed-forward part is");
  draft.dense_inter = floor_div(both, 2);  // the file counts gate and up together
  if (!keys.flag_or("no_bias", true))
    draft.base.attention.out_bias = draft.dense.in_bias = draft.dense.out_bias = true;
}

void vision_patches(ConfigKeys& keys, Draft&, ModelConfig& model) {
  const auto side = [&](std::string_view key, Count otherwise) {
    const auto* node = keys.find(key);
    if (node == nullptr || !node->is_list())
      return std::pair(keys.count_or(key, otherwise, 1), keys.count_or(key, otherwise, 1));
    const auto sides = keys.counts(key);
    if (sides.size() != 2) {
      keys.fail(Code::wrong_type, key, std::string(key) + " must be one number or two");
      return std::pair(Count(1), Count(1));
    }
    return std::pair(sides[0], sides[1]);
  };
  const auto [height, width] = side("image_size", 224);
  const auto [rows, columns] = side("patch_size", 16);
  const Count channels = keys.count_or("num_channels", 3, 1);
  const Count patches = floor_div(height, max(rows, 1)) * floor_div(width, max(columns, 1));
  const Count tokens =
      model.model_type == "deit" ? 2 : 1;  // class token, and DeiT's distillation token
  auto& embedding = model.embedding;
  embedding.patch_inputs = rows * columns * channels;
  embedding.positions = patches + tokens;
  embedding.other_params = tokens * model.hidden;
  model.max_positions = patches + tokens;
  keys.know("encoder_stride pooler_output_size pooler_act");
  const auto& name = model.architecture;
  const auto* labels = keys.find("id2label");
  const Count rows_out = labels != nullptr ? Count(static_cast<long long>(labels->items.size()))
                                           : keys.count_or("num_labels", 2, 1);
  if (name.ends_with("ForImageClassificationWithTeacher"))
    model.head.classifier = rows_out * 2;
  else if (name.ends_with("ForImageClassification"))
    model.head.classifier = rows_out;
  if (model.head.classifier > Count(0)) model.head.pooler = 0;
}

void albert_sharing(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  const Count groups = keys.count_or("num_hidden_groups", 1, 1),
              inner = keys.count_or("inner_group_num", 1, 1);
  if (groups > draft.layers)
    keys.fail(Code::contradiction, "num_hidden_groups",
              "num_hidden_groups is " + groups.to_string() + ", but there are " +
                  draft.layers.to_string() + " layers");
  model.embedding.projected = model.embedding.project_bias =
      true;  // there even where both widths agree
  model.groups = {{draft.list.front(), draft.layers * inner, groups * inner}};
  model.order.assign(static_cast<std::size_t>((draft.layers * inner).to_int64()), 0);
  keys.know("net_structure_type gap_size num_memory_blocks down_scale_factor");
}

void deci_blocks(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  const auto* blocks = keys.find("block_configs");
  if (blocks == nullptr || !blocks->is_list()) {
    keys.fail(Code::missing_key, "block_configs", "the config does not say what its layers are",
              "it needs the list \"block_configs\"");
    return;
  }
  if (blocks->items.size() != draft.list.size()) {
    keys.fail(Code::contradiction, "block_configs",
              "block_configs has " + std::to_string(blocks->items.size()) +
                  " layers, but num_hidden_layers is " + std::to_string(draft.list.size()));
    return;
  }
  for (std::size_t i = 0; i < draft.list.size() && !keys.failed(); ++i) {
    auto& layer = draft.list[i];
    const auto part = [&](std::string_view key) -> const YamlNode& {
      const auto* node = blocks->items[i].find(key);
      return node != nullptr && node->is_map() ? *node : empty_map();
    };
    ConfigKeys attention(keys.document(), part("attention"), keys.errors());
    ConfigKeys ffn(keys.document(), part("ffn"), keys.errors());
    for (const std::string_view odd : {"sparsify", "num_sink_tokens"})
      for (auto* side : {&attention, &ffn})
        if (side->states(odd))
          side->fail(Code::unknown_name, odd, std::string(odd) + " in a block is not counted");
    layer.attention.window = attention.count_or("window_length", 0);
    if (attention.flag_or("no_op", false)) {
      layer.attention = AttentionBlock{.kind = AttentionBlock::Kind::none};
      layer.before_attention = {};
    } else if (attention.flag_or("replace_with_linear", false)) {
      layer.attention = AttentionBlock{.kind = AttentionBlock::Kind::linear_layer};
    } else {
      const Count in_group =
          attention.need("n_heads_in_group", "how many query heads share a key-value head");
      if (floor_div(layer.attention.heads, in_group) * in_group != layer.attention.heads)
        attention.fail(Code::contradiction, "n_heads_in_group",
                       layer.attention.heads.to_string() + " heads do not divide into groups of " +
                           in_group.to_string());
      layer.attention.kv_heads = floor_div(layer.attention.heads, in_group);
    }
    if (ffn.flag_or("no_op", false)) {
      layer.dense.reset();
      layer.before_ffn = {};
    } else if (ffn.flag_or("replace_with_linear", false)) {
      layer.dense = DenseBlock{.inter = 0};  // one matrix, hidden x hidden
    } else {
      // Two thirds of the multiple, rounded up to 256: as Llama's own code sizes its feed-forward
      // part.
      const double mult = ffn.number_or("ffn_mult", 0);
      if (!(mult > 0 && mult <= kMostRatio))
        return ffn.fail(Code::missing_key, "ffn_mult",
                        "a block does not say how wide its feed-forward part is",
                        "it needs ffn_mult, more than 0 and at most 1000");
      const Count wide = Count(static_cast<long long>(2 * mult * model.hidden.to_double() / 3));
      layer.dense->inter = ceil_div(wide, 256) * 256;
    }
  }
}

void gemma4_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  for (const std::string_view odd : {"num_kv_shared_layers", "hidden_size_per_layer_input"})
    if (keys.count_or(odd, 0) > Count(0))
      keys.fail(Code::unknown_name, odd, std::string(odd) + " is not counted",
                "only models without it are");
  if (keys.flag_or("use_double_wide_mlp", false))
    keys.fail(Code::unknown_name, "use_double_wide_mlp", "use_double_wide_mlp is not counted");
  keys.know("vocab_size_per_layer_input rope_parameters use_bidirectional_attention");
  const Count dim = keys.count_or("global_head_dim", 512, 1);
  const bool same = keys.flag_or("attention_k_eq_v", false);
  const auto kv_heads = keys.count("num_global_key_value_heads");
  std::optional<ExpertBlock> experts;
  if (keys.flag_or("enable_moe_block", false)) {
    ExpertBlock block;
    block.experts = keys.need("num_experts", "how many experts there are");
    block.top_k = keys.need("top_k_experts", "how many experts a token visits");
    block.inter = keys.need("moe_intermediate_size", "how wide an expert is");
    block.activation = draft.dense.activation;
    block.router_params = model.hidden + block.experts;
    experts = block;
  }
  for (auto& layer : draft.list) {
    auto& attention = layer.attention;
    attention.value_norm = true;
    if (attention.window == Count(0)) {
      attention.head_dim = attention.value_dim = attention.q_norm_size = attention.k_norm_size =
          dim;
      attention.rotary_dim = floor_div(dim, 4);
      attention.values_are_keys = same;
      if (same && kv_heads) attention.kv_heads = *kv_heads;
    }
    if (experts) {
      layer.experts = experts;
      layer.after_dense = layer.before_experts = layer.after_experts = {NormKind::rms};
    }
  }
}

void llama4_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  const Count mlp = keys.count_or("intermediate_size_mlp", 0),
              chunk = keys.count_or("attention_chunk_size", 8192, 1);
  const bool normed = keys.flag_or("use_qk_norm", true);
  const auto rotary = keys.counts("no_rope_layers");  // 1: this layer has a rotary embedding
  const Count interval = keys.count_or("no_rope_layer_interval", 4, 1);
  const bool told = keys.states("layer_types");
  if (!rotary.empty() && rotary.size() != draft.list.size())
    return keys.fail(Code::contradiction, "no_rope_layers",
                     "no_rope_layers has " + std::to_string(rotary.size()) + " entries for " +
                         std::to_string(draft.list.size()) + " layers");
  (void)model;
  for (std::size_t i = 0; i < draft.list.size(); ++i) {
    auto& layer = draft.list[i];
    const Count next = Count(static_cast<long long>(i) + 1);
    const bool rope =
        rotary.empty() ? floor_div(next, interval) * interval != next : rotary[i] == Count(1);
    if (!told && rope) layer.attention.chunk = chunk;
    if (!rope) layer.attention.rotary_dim = 0;
    if (rope && normed) layer.attention.qk_norm = {NormKind::rms, false, false};
    if (layer.dense && mlp > Count(0)) layer.dense->inter = mlp;
    if (layer.experts) layer.experts->shared_inter = layer.experts->inter;
  }
}

void neo_windows(ConfigKeys& keys, Draft& draft, ModelConfig&) {
  const Count window = keys.count_or("window_size", 256, 1);
  const auto kinds = keys.names("attention_layers");
  keys.know("attention_types");
  for (std::size_t i = 0; i < draft.list.size(); ++i) {
    const bool local = i < kinds.size() ? kinds[i] == "local" : kinds.empty() && i % 2 == 1;
    if (local) draft.list[i].attention.window = window;
  }
}

}  // namespace roofline::model
