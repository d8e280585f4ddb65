#include "kernel/model/layer_plan.hpp"

#include <algorithm>
#include <array>

#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"

namespace roofline::model {
namespace {

/// Spellings of activation functions -> ours (the op `activation`, and two that only one family
/// has).
constexpr std::pair<std::string_view, std::string_view> kActivations[] = {
    {"silu", "silu"},           {"swish", "silu"},           {"gelu", "gelu_erf"},
    {"gelu_new", "gelu_tanh"},  {"gelu_fast", "gelu_tanh"},  {"gelu_pytorch_tanh", "gelu_tanh"},
    {"gelu_tanh", "gelu_tanh"}, {"gelu_python", "gelu_erf"}, {"quick_gelu", "quick_gelu"},
    {"relu", "relu"},           {"relu2", "relu2"},          {"relu_squared", "relu2"},
    {"tanh", "tanh"},           {"sigmoid", "sigmoid"},      {"xielu", "xielu"},
    {"gpt_oss", "gpt_oss"},
};

std::string_view activation_of(ConfigKeys& keys, const Family& family) {
  const auto stated =
      family.activation_keys.empty() ? std::nullopt : keys.text(family.activation_keys);
  const std::string name = stated.value_or(std::string(family.activation));
  for (const auto& [spelling, ours] : kActivations)
    if (spelling == name) return ours;
  std::vector<std::string_view> known;
  for (const auto& row : kActivations) known.push_back(row.first);
  keys.fail(Code::unknown_name, family.activation_keys,
            "unknown activation function " + quoted(name), did_you_mean(name, known));
  return "silu";
}

void divides(ConfigKeys& keys, std::string_view key, Count whole, std::string_view whole_name,
             Count part, std::string_view part_name) {
  if (keys.failed() || part == Count(0) || floor_div(whole, part) * part == whole) return;
  keys.fail(Code::contradiction, key,
            std::string(whole_name) + " " + whole.to_string() + " is not a multiple of " +
                std::string(part_name) + " " + part.to_string());
}

Count head_dim_of(ConfigKeys& keys, const Family& family, const ModelConfig& model, Count heads) {
  if (!family.head_dim.empty())
    if (const auto stated = keys.count(family.head_dim)) return *stated;
  if (family.head_dim_default > 0) return family.head_dim_default;
  divides(keys, family.heads, model.hidden, "the hidden size", heads, "the number of heads");
  return floor_div(model.hidden, heads);
}

Count rotary_of(ConfigKeys& keys, const Family& family, Count head_dim) {
  if (family.positions != Positions::rotary) return 0;
  if (!family.rotary_dim.empty())
    if (const auto stated = keys.count(family.rotary_dim)) return *stated;
  double share = keys.number_or(family.rotary_share, -1);
  if (share < 0)  // newer files keep it with the other settings of the rotary embedding
    if (const auto* map = keys.find("rope_parameters"); map != nullptr && map->is_map())
      share = ConfigKeys(keys.document(), *map, keys.errors()).number_or(family.rotary_share, -1);
  if (share < 0) share = family.rotary_share_default;
  if (share > 1)
    keys.fail(Code::out_of_range, family.rotary_share, "the rotary share of a head is more than 1");
  return Count(static_cast<long long>(share * head_dim.to_double()));
}

void grouped_attention(ConfigKeys& keys, const Family& family, const ModelConfig& model,
                       AttentionBlock& a) {
  a.kv_heads = family.kv_heads.empty() ? a.heads : keys.count_or(family.kv_heads, a.heads, 1);
  a.head_dim = a.value_dim = head_dim_of(keys, family, model, a.heads);
  a.q_bias = a.k_bias = a.v_bias = keys.flag(family.qkv_bias);
  a.out_bias = keys.flag(family.out_bias);
  a.rotary_dim = rotary_of(keys, family, a.head_dim);
  a.sinks = family.sinks;
}

void latent_attention(ConfigKeys& keys, const Family& family, AttentionBlock& a) {
  a.kind = AttentionBlock::Kind::latent;
  keys.know("head_dim");  // of the rotated part, where it is given at all
  a.q_rank = keys.count_or("q_lora_rank", 0);
  a.kv_rank = keys.need("kv_lora_rank", "the rank of the latent keys and values");
  a.rope_dim = a.rotary_dim = keys.need("qk_rope_head_dim", "how much of a head is rotated");
  const Count nope = keys.need("qk_nope_head_dim", "how much of a head is not rotated");
  a.head_dim = nope + a.rope_dim;
  a.value_dim = keys.need("v_head_dim", "how wide a value head is");
  if (const auto whole = keys.count("qk_head_dim"); whole && *whole != a.head_dim)
    keys.fail(Code::contradiction, "qk_head_dim",
              "qk_head_dim is " + whole->to_string() + ", but its two parts make " +
                  a.head_dim.to_string());
  if (const auto kv = keys.count("num_key_value_heads"); kv && *kv != a.heads)
    keys.fail(Code::contradiction, "num_key_value_heads",
              "latent attention has as many key-value heads as heads: " + a.heads.to_string());
  a.kv_heads = a.heads;
  a.q_bias = a.k_bias = keys.flag(family.qkv_bias);
  a.out_bias = keys.flag(family.out_bias);
  if (!family.indexer) return;
  a.index_heads = keys.need("index_n_heads", "how many heads the indexer has");
  a.index_dim = keys.need("index_head_dim", "how wide a head of the indexer is");
  a.index_top_k = keys.need("index_topk", "how many keys the indexer picks");
}

void query_key_norm(ConfigKeys& keys, const Family& family, AttentionBlock& a) {
  if (family.qk_norm == QkNorm::none || !keys.flag(family.qk_norm_if)) return;
  a.qk_norm = {family.qk_norm_kind, true, family.qk_norm_bias};
  const bool one = family.qk_norm == QkNorm::per_head;
  a.q_norm_size = a.head_dim * (one ? Count(1) : a.heads);
  a.k_norm_size = a.head_dim * (one ? Count(1) : a.kv_heads);
  a.norm_whole_width = family.qk_norm == QkNorm::whole_width;
}

void place_norms(const Family& family, const Norm& norm, Layer& layer) {
  const bool before = family.places == Places::before || family.places == Places::both;
  if (before) {
    layer.before_attention = norm;
    if (!layer.parallel || family.parallel_norms == 2) layer.before_ffn = norm;
  }
  if (family.places != Places::before) layer.after_attention = layer.after_ffn = norm;
  layer.norm_on_sum = family.places == Places::after_sum;
}

constexpr Count kMostExperts = 65'536;  ///< each is a group of the products that a step makes

std::optional<ExpertBlock> expert_template(ConfigKeys& keys, const Draft& draft) {
  if (draft.family.experts == nullptr) return std::nullopt;
  const auto& names = *draft.family.experts;
  ExpertBlock block;
  const auto experts = keys.count(names.experts, 0);
  if (!experts) {
    // An absent or null number of experts: the dense form of the family (DeepSeek allows it).
    if (!keys.states("kv_lora_rank")) keys.need(names.experts, "how many experts there are");
    return std::nullopt;
  }
  if (*experts == Count(0)) return std::nullopt;
  if (*experts > kMostExperts)
    keys.fail(Code::limit_exceeded, names.experts,
              experts->to_string() + " experts are more than the " + kMostExperts.to_string() +
                  " that are counted");
  block.experts = *experts;
  block.top_k = keys.need(names.top_k, "how many experts a token visits");
  if (block.top_k > block.experts)
    keys.fail(Code::contradiction, names.top_k,
              "a token visits " + block.top_k.to_string() + " of only " +
                  block.experts.to_string() + " experts");
  block.inter = names.inter.empty() && draft.dense_inter
                    ? *draft.dense_inter
                    : keys.need(names.inter.empty() ? draft.family.inter : names.inter,
                                "how wide an expert is");
  block.gated = names.gated;
  block.bias = names.bias;
  block.router_bias = names.router_bias;
  block.correction_bias = names.correction_bias ||
                          (!names.correction_if.empty() &&
                           keys.text(names.correction_if).value_or("") == names.correction_value);
  if (!names.shared_count.empty())
    block.shared_inter = keys.count_or(names.shared_count, 0) * block.inter;
  if (!names.shared_inter.empty()) block.shared_inter = keys.count_or(names.shared_inter, 0);
  block.shared_gate = names.shared_gate && block.shared_inter > Count(0);
  block.activation = draft.dense.activation;
  return block;
}

/// Which layers have experts.
std::vector<bool> expert_layers(ConfigKeys& keys, const Draft& draft, std::size_t layers) {
  std::vector<bool> has(layers, draft.experts.has_value());
  if (!draft.experts || draft.family.experts == nullptr) return has;
  const auto& names = *draft.family.experts;
  const Count first = keys.count_or(names.first_dense, 0),
              step = keys.count_or(names.step, names.step_default, 1);
  const auto last = names.last.empty() ? std::nullopt : keys.count(names.last, -1);
  for (std::size_t i = 0; i < layers; ++i) {
    const Count at = Count(static_cast<long long>(i) + (names.step_at_end ? 1 : 0));
    const Count index = Count(static_cast<long long>(i));
    has[i] = index >= first && floor_div(at, step) * step == at &&
             (!last || *last < Count(0) || index <= *last);
  }
  if (!names.dense_list.empty())
    for (const auto index : keys.counts(names.dense_list))
      if (index < Count(static_cast<long long>(layers)))
        has[static_cast<std::size_t>(index.to_int64())] = false;
  if (keys.states("moe_layers") && keys.find("moe_layers")->is_list()) {
    has.assign(layers, false);
    for (const auto index : keys.counts("moe_layers"))
      if (index < Count(static_cast<long long>(layers)))
        has[static_cast<std::size_t>(index.to_int64())] = true;
  }
  if (const auto kinds = keys.names("mlp_layer_types"); kinds.size() == layers)
    for (std::size_t i = 0; i < layers; ++i) has[i] = kinds[i] != "dense";
  return has;
}

/// The window of every layer: 0 where it sees all keys.
class WindowPlan {
 public:
  WindowPlan(ConfigKeys& keys, const Family& family, std::size_t layers)
      : keys_(keys), family_(family) {
    const auto* null = keys.map().find("sliding_window");
    if (null == nullptr || !null->is_null())
      window_ = keys.count_or("sliding_window", family.window_default);
    keys.know("sliding_window");
    types_ = keys.names("layer_types");
    if (!types_.empty() && types_.size() != layers)
      keys.fail(Code::contradiction, "layer_types",
                "layer_types has " + std::to_string(types_.size()) + " entries for " +
                    std::to_string(layers) + " layers");
    keys.know("use_sliding_window max_window_layers sliding_window_pattern");
    switch (family.windows) {
      case Windows::upper_layers:
        if (!keys.flag_or("use_sliding_window", false)) window_ = 0;
        from_ = keys.count_or("max_window_layers", 0);
        break;
      case Windows::all_but_every: every_ = read_every(); break;
      default: break;
    }
  }

  void apply(std::size_t i, AttentionBlock& attention) {
    if (i < types_.size()) return by_type(i, attention);
    const Count index = Count(static_cast<long long>(i));
    bool windowed = false;
    switch (family_.windows) {
      case Windows::none:
      case Windows::listed: break;
      case Windows::all: windowed = true; break;
      case Windows::upper_layers: windowed = index >= from_; break;
      case Windows::even_layers: windowed = i % 2 == 0; break;
      case Windows::all_but_every:
        windowed = every_ > Count(0) && floor_div(index + 1, every_) * every_ != index + 1;
        break;
    }
    if (windowed) attention.window = window_;
  }

 private:
  /// A number, or a pattern of letters as "LLLG" whose length counts.
  Count read_every() {
    const auto* node = keys_.find("sliding_window_pattern");
    if (node != nullptr && node->is_scalar() && node->quoted)
      return Count(static_cast<long long>(node->text.size()));
    return keys_.count_or("sliding_window_pattern", family_.window_every);
  }

  void by_type(std::size_t i, AttentionBlock& attention) {
    const auto& type = types_[i];
    if (type == "full_attention" || type == "attention") return;
    if (type == "sliding_attention") {
      if (window_ == Count(0) && !said_) {
        said_ = true;
        keys_.fail(Code::missing_key, "layer_types",
                   "layer_types has sliding_attention, but no sliding_window is given");
      }
      attention.window = window_;
    } else if (type == "chunked_attention") {
      attention.chunk = keys_.count_or("attention_chunk_size", 8192, 1);
    } else if (!said_) {
      said_ = true;
      keys_.fail(Code::unknown_name, "layer_types",
                 "layers of " + quoted(type) + " in layer_types are not counted",
                 "full_attention, sliding_attention and chunked_attention are");
    }
  }

  ConfigKeys& keys_;
  const Family& family_;
  Count window_ = 0, from_ = 0, every_ = 0;
  std::vector<std::string> types_;
  bool said_ = false;
};

}  // namespace

void draft_base(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  const auto& family = draft.family;
  auto& layer = draft.base;
  auto& attention = layer.attention;
  attention.heads = keys.need(family.heads, "how many attention heads there are");
  attention.causal = family.kind == ModelKind::decoder;
  layer.parallel = keys.flag(family.parallel);
  const Norm norm{family.norm, keys.flag(family.norm_weight), keys.flag(family.norm_bias)};
  place_norms(family, norm, layer);
  if (family.final_norm) model.final_norm = norm;
  if (family.latent)
    latent_attention(keys, family, attention);
  else
    grouped_attention(keys, family, model, attention);
  draft.dense.gated = family.gated;
  draft.dense.activation = activation_of(keys, family);
  keys.know("hidden_act");
  draft.dense.in_bias = keys.flag(family.in_bias);
  draft.dense.out_bias = keys.flag(family.ff_out_bias);
  if (draft.dense.activation == "xielu") draft.dense.activation_params = 2;
  if (!family.inter.empty()) draft.dense_inter = keys.count(family.inter);
  if (!draft.dense_inter && family.inter_factor > 0)
    draft.dense_inter = model.hidden * Count(family.inter_factor);
  draft.experts = expert_template(keys, draft);
}

void draft_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model) {
  (void)model;
  auto& attention = draft.base.attention;
  divides(keys, draft.family.kv_heads, attention.heads, "the number of heads", attention.kv_heads,
          "the number of key-value heads");
  if (attention.rotary_dim > attention.head_dim)
    keys.fail(Code::contradiction, draft.family.rotary_dim,
              "more values of a head are rotated than it has");
  query_key_norm(keys, draft.family, attention);
  const auto layers = static_cast<std::size_t>(draft.layers.to_int64());
  WindowPlan windows(keys, draft.family, layers);
  const auto has_experts = expert_layers(keys, draft, layers);
  const bool odd_blocks =
      draft.family.inter.empty() && !draft.dense_inter;  // a hook says how wide they are
  for (std::size_t i = 0; i < layers; ++i) {
    auto layer = draft.base;
    windows.apply(i, layer.attention);
    if (has_experts[i]) {
      layer.experts = draft.experts;
    } else {
      layer.dense = draft.dense;
      if (draft.dense_inter)
        layer.dense->inter = *draft.dense_inter;
      else if (!odd_blocks && !keys.failed())
        layer.dense->inter = keys.need(draft.family.inter, "how wide the feed-forward part is");
    }
    draft.list.push_back(std::move(layer));
  }
}

void group_layers(const std::vector<Layer>& list, ModelConfig& model) {
  for (const auto& layer : list) {
    auto& groups = model.groups;
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const LayerGroup& group) { return group.layer == layer; });
    if (known == groups.end()) known = groups.insert(groups.end(), {layer, 0, 0});
    known->repeat += 1;
    known->stored += 1;
    model.order.push_back(static_cast<unsigned>(known - groups.begin()));
  }
}

}  // namespace roofline::model
