#include "kernel/model/quantization.hpp"

#include <algorithm>
#include <charconv>

#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"

namespace roofline::model {
namespace {

constexpr std::string_view kWithout = "--weights bf16 counts the model without its quantisation";

WeightFormat named(std::string_view name) {
  return find_weight_format(name).value_or(plain_format(DType::bf16));
}

/// Integers of any width with a 16-bit scale per group along k, multiplied with 16-bit activations.
WeightFormat integer_groups(std::string_view method, Count bits, Count group, bool zeros,
                            bool act_order) {
  if (bits == Count(4) && group > Count(0)) {
    auto format = named(method == "awq" ? "awq_int4" : "gptq_int4");
    format.group = group;
    format.zero_bits = zeros ? 4 : 0;
    format.act_order = act_order;
    format.name = std::string(method) + " int4, groups of " + group.to_string();
    return format;
  }
  WeightFormat format{.dtype = bits > Count(4) ? DType::int8 : DType::int4,
                      .bits = static_cast<int>(bits.to_int64()),
                      .group = group};
  format.whole_row = group == Count(0);
  format.scale_bits = 16;
  format.zero_bits = zeros ? format.bits : 0;
  format.act_order = act_order;
  format.name =
      std::string(method) + " int" + bits.to_string() +
      (format.whole_row ? std::string(", a scale per row") : ", groups of " + group.to_string());
  return format;
}

void unknown(ConfigKeys& keys, std::string_view key, std::string what) {
  keys.fail(Code::unknown_name, key, std::move(what), std::string(kWithout));
}

// ---------------------------------------------------------------- one reader per method
void read_fp8(ConfigKeys& keys, QuantizationPlan& plan) {
  const auto block = keys.counts("weight_block_size");
  keys.know("fmt activation_scheme scale_fmt");
  if (block.empty()) {
    plan.format = named("fp8_tensor");
  } else if (block.size() == 2 && block[0] > Count(0) && block[1] > Count(0)) {
    auto format = named("fp8_block");
    format.group_rows = block[0];
    format.group = block[1];
    if (block[0] != block[1]) format.qgemm = {};
    plan.format = format;
  } else {
    unknown(keys, "weight_block_size", "weight_block_size must be two positive numbers");
  }
}

void read_integers(ConfigKeys& keys, QuantizationPlan& plan, std::string_view method) {
  const Count bits = keys.need("bits w_bit", "how many bits a weight has");
  Count group = keys.count_or("group_size q_group_size", 128, -1);
  if (bits > Count(8))
    return unknown(keys, "bits w_bit", "weights of " + bits.to_string() + " bits are not counted");
  if (group < Count(0)) group = 0;
  const bool zeros = method == "gptq" ||
                     keys.flag_or("zero_point", true);  // GPTQ files keep them even where symmetric
  plan.format = integer_groups(method, bits, group, zeros, keys.flag_or("desc_act", false));
}

void read_mxfp4(ConfigKeys&, QuantizationPlan& plan) { plan.format = named("mxfp4_a16"); }

/// compressed-tensors and newer modelopt files: groups of layers with the scheme of weights and of
/// activations.
void read_groups(ConfigKeys& keys, QuantizationPlan& plan) {
  const auto* groups = keys.find("config_groups");
  if (groups == nullptr || !groups->is_map() || groups->items.size() != 1 ||
      !groups->items[0].is_map())
    return unknown(keys, "config_groups", "only one group of layers with one scheme is counted");
  ConfigKeys group(keys.document(), groups->items[0], keys.errors());
  const auto* scheme = group.find("weights");
  if (scheme == nullptr || !scheme->is_map())
    return unknown(group, "weights", "config_groups does not say how weights are stored");
  ConfigKeys weights(keys.document(), *scheme, keys.errors());
  const Count bits = weights.need("num_bits", "how many bits a weight has");
  const auto type = weights.text("type").value_or("int"),
             strategy = weights.text("strategy").value_or("");
  const auto size = weights.count("group_size", -1);
  const bool sixteen = !group.states("input_activations");
  if (type == "int" && (sixteen || bits < Count(8)) && bits <= Count(8)) {
    plan.format = integer_groups("int", bits, size && *size > Count(0) ? *size : Count(0),
                                 !weights.flag_or("symmetric", true), weights.states("actorder"));
  } else if (type == "int" && bits == Count(8)) {
    plan.format = named("int8_channel");
  } else if (type == "float" && bits == Count(8)) {
    auto format = named(strategy == "block" ? "fp8_block" : "fp8_tensor");
    if (strategy == "channel")
      format = {.name = "fp8, a scale per channel",
                .dtype = DType::fp8_e4m3,
                .bits = 8,
                .row_scale_bits = 16,
                .activation = DType::fp8_e4m3};
    if (sixteen) format = with_activation(format, DType::bf16).value_or(format);
    plan.format = format;
  } else if (type == "float" && bits == Count(4)) {
    const bool mx = size && *size == Count(32);
    plan.format = named(mx ? (sixteen ? "mxfp4_a16" : "mxfp4") : (sixteen ? "nvfp4_a16" : "nvfp4"));
  } else {
    unknown(
        weights, "num_bits",
        "weights of " + bits.to_string() + " bits of type " + quoted(type) + " are not counted");
  }
}

/// Algorithms of NVIDIA's hf_quant_config.json.
constexpr std::pair<std::string_view, std::string_view> kAlgorithms[] = {
    {"FP8", "fp8_tensor"},
    {"FP8_BLOCK_SCALES", "fp8_block"},
    {"FP8_PB_WO", "fp8_block"},
    {"NVFP4", "nvfp4"},
    {"W4A16_NVFP4", "nvfp4_a16"},
    {"MXFP4", "mxfp4"},
    {"W8A8_SQ_PER_CHANNEL", "int8_channel"},
    {"INT8_SQ", "int8_channel"},
    {"MXFP8", "mxfp8"},
};

void read_algorithm(ConfigKeys& keys, QuantizationPlan& plan) {
  const auto algorithm = keys.text("quant_algo").value_or("");
  keys.know("group_size");
  if (algorithm.starts_with("W4A16_AWQ") || algorithm.starts_with("W4A8_AWQ")) {
    auto format = integer_groups("awq", 4, keys.count_or("group_size", 128, 1),
                                 keys.flag_or("has_zero_point", false), false);
    if (algorithm.starts_with("W4A8"))
      format = with_activation(format, DType::fp8_e4m3).value_or(format);
    plan.format = format;
    return;
  }
  for (const auto& [theirs, ours] : kAlgorithms)
    if (theirs == algorithm) {
      plan.format = named(ours);
      return;
    }
  unknown(keys, "quant_algo", "the quantisation " + quoted(algorithm) + " is not counted");
}

using Reader = void (*)(ConfigKeys&, QuantizationPlan&);
constexpr std::pair<std::string_view, Reader> kMethods[] = {
    {"fp8", &read_fp8},
    {"fbgemm_fp8", [](ConfigKeys&, QuantizationPlan& plan) { plan.format = named("fp8_tensor"); }},
    {"gptq", [](ConfigKeys& keys, QuantizationPlan& plan) { read_integers(keys, plan, "gptq"); }},
    {"awq", [](ConfigKeys& keys, QuantizationPlan& plan) { read_integers(keys, plan, "awq"); }},
    {"mxfp4", &read_mxfp4},
    {"compressed-tensors", &read_groups},
    {"modelopt",
     [](ConfigKeys& keys, QuantizationPlan& plan) {
       keys.states("quant_algo") ? read_algorithm(keys, plan) : read_groups(keys, plan);
     }},
};

void read_kv_cache(ConfigKeys& keys, QuantizationPlan& plan) {
  if (const auto algorithm = keys.text("kv_cache_quant_algo")) {
    if (*algorithm == "FP8")
      plan.kv_dtype = DType::fp8_e4m3;
    else
      unknown(keys, "kv_cache_quant_algo", "a cache of " + quoted(*algorithm) + " is not counted");
  }
  const auto* scheme = keys.find("kv_cache_scheme");
  if (scheme == nullptr || !scheme->is_map()) return;
  ConfigKeys cache(keys.document(), *scheme, keys.errors());
  const Count bits = cache.count_or("num_bits", 8, 1);
  if (bits != Count(8))
    return unknown(cache, "num_bits", "a cache of " + bits.to_string() + " bits is not counted");
  plan.kv_dtype = cache.text("type").value_or("float") == "int" ? DType::int8 : DType::fp8_e4m3;
}

// ---------------------------------------------------------------- modules that are left out
using SlotMask = unsigned;
constexpr SlotMask bit(Slot slot) { return 1U << static_cast<unsigned>(slot); }
constexpr SlotMask kAttentionSlots = bit(Slot::query_down) | bit(Slot::qkv) |
                                     bit(Slot::latent_down) | bit(Slot::latent_up) |
                                     bit(Slot::attention_out) | bit(Slot::indexer);
constexpr SlotMask kSharedSlots = bit(Slot::shared_in) | bit(Slot::shared_out);
constexpr SlotMask kExpertSlots = bit(Slot::expert_in) | bit(Slot::expert_out);
constexpr SlotMask kFeedForwardSlots =
    bit(Slot::dense_in) | bit(Slot::dense_out) | kExpertSlots | kSharedSlots | bit(Slot::router);

/// Names of modules within a layer; the longest that a pattern starts with counts.
constexpr std::pair<std::string_view, SlotMask> kModules[] = {
    {"self_attn", kAttentionSlots},
    {"attention", kAttentionSlots},
    {"self_attn.q_proj", bit(Slot::qkv)},
    {"self_attn.k_proj", bit(Slot::qkv)},
    {"self_attn.v_proj", bit(Slot::qkv)},
    {"self_attn.qkv_proj", bit(Slot::qkv)},
    {"self_attn.q_a_proj", bit(Slot::query_down)},
    {"self_attn.q_b_proj", bit(Slot::qkv)},
    {"self_attn.kv_a_proj_with_mqa", bit(Slot::latent_down)},
    {"self_attn.kv_b_proj", bit(Slot::latent_up)},
    {"self_attn.o_proj", bit(Slot::attention_out)},
    {"self_attn.indexer", bit(Slot::indexer)},
    {"self_attn.indexer.weights_proj", 0},  // the smallest of the indexer's three matrices
    {"self_attn.indexer.k_norm", 0},
    {"mlp", kFeedForwardSlots},
    {"mlp.gate", bit(Slot::router)},
    {"mlp.router", bit(Slot::router)},
    {"block_sparse_moe.gate", bit(Slot::router)},
    {"mlp.gate_proj", bit(Slot::dense_in)},
    {"mlp.up_proj", bit(Slot::dense_in)},
    {"mlp.gate_up_proj", bit(Slot::dense_in)},
    {"mlp.down_proj", bit(Slot::dense_out)},
    {"mlp.experts", kExpertSlots},
    {"mlp.shared_expert", kSharedSlots},
    {"mlp.shared_experts", kSharedSlots},
};

SlotMask slots_of(std::string_view module) {
  SlotMask mask = 0;
  std::size_t best = 0;
  for (const auto& [name, slots] : kModules)
    if (module.starts_with(name) &&
        (module.size() == name.size() || module[name.size()] == '.' ||
         module[name.size()] == '*') &&
        name.size() > best) {
      best = name.size();
      mask = slots;
    }
  return mask;
}

/// "model.layers.12.self_attn.q_proj" as the layer (-1: all) and the module within it.
struct LeftOut {
  long layer = -1;
  SlotMask slots = 0;
};

LeftOut parse_left_out(std::string_view text) {
  if (text.starts_with("re:")) text.remove_prefix(3);
  std::string plain;  // a regular expression's decorations away: the module's name is what tells
  for (const char c : text)
    if (c != '\\' && c != '$' && c != '^' && c != '(' && c != ')') plain += c;
  LeftOut result;
  std::string_view rest = plain;
  if (const auto at = rest.find("layers."); at != std::string_view::npos) {
    rest.remove_prefix(at + 7);
    const auto dot = rest.find('.');
    const auto index = rest.substr(0, dot);
    long layer = 0;
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), layer);
    if (error == std::errc{} && end == index.data() + index.size()) result.layer = layer;
    if (dot == std::string_view::npos) {
      result.slots = kAttentionSlots | kFeedForwardSlots;  // the whole layer
      return result;
    }
    rest.remove_prefix(dot + 1);
  }
  for (const std::string_view start : {"self_attn", "mlp", "block_sparse_moe", "attention"})
    if (const auto at = rest.find(start); at != std::string_view::npos) {
      result.slots = slots_of(rest.substr(at));
      return result;
    }
  for (const auto& [name, slots] : kModules) {  // "*.shared_experts.*", "gate", ".*experts.*"
    const auto last = name.substr(name.rfind('.') + 1);
    if (const auto at = rest.find(last);
        last.size() > 3 && at != std::string_view::npos &&
        (at + last.size() == rest.size() || rest[at + last.size()] == '.' ||
         rest[at + last.size()] == '*'))
      result.slots |= slots;
  }
  return result;
}

constexpr Slot kLinear[] = {Slot::query_down, Slot::qkv,           Slot::latent_down,
                            Slot::latent_up,  Slot::attention_out, Slot::indexer,
                            Slot::dense_in,   Slot::dense_out,     Slot::expert_in,
                            Slot::expert_out, Slot::shared_in,     Slot::shared_out};

bool has(const Layer& layer, Slot slot) {
  switch (slot) {
    case Slot::expert_in:
    case Slot::expert_out: return layer.experts.has_value();
    case Slot::shared_in:
    case Slot::shared_out: return layer.experts && layer.experts->shared_inter > Count(0);
    case Slot::dense_in:
    case Slot::dense_out: return layer.dense.has_value();
    case Slot::query_down: return layer.attention.q_rank > Count(0);
    case Slot::latent_down:
    case Slot::latent_up: return layer.attention.kind == AttentionBlock::Kind::latent;
    case Slot::indexer: return layer.attention.index_heads > Count(0);
    default: return true;
  }
}

}  // namespace

QuantizationPlan read_quantization(const YamlDocument& document, const YamlNode& map,
                                   Errors& errors) {
  QuantizationPlan plan;
  if (!map.is_map()) {
    errors.push_back(
        {Code::wrong_type, document.where(map), "quantization_config must be a map", {}, {}});
    return plan;
  }
  // hf_quant_config.json: {"producer": ..., "quantization": {...}}
  const auto* inner = map.find("quantization");
  ConfigKeys keys(document, inner != nullptr && inner->is_map() ? *inner : map, errors);
  const auto method =
      keys.text("quant_method").value_or(keys.states("quant_algo") ? "modelopt" : "");
  const auto* row = std::find_if(std::begin(kMethods), std::end(kMethods),
                                 [&](const auto& entry) { return entry.first == method; });
  if (row == std::end(kMethods)) {
    unknown(keys, "quant_method",
            method.empty() ? "the quantisation does not say its method"
                           : "the quantisation " + quoted(method) + " is not counted");
    return plan;
  }
  row->second(keys, plan);
  read_kv_cache(keys, plan);
  if (!plan.format) return plan;
  plan.name = plan.format->name;
  for (const std::string_view list : {"modules_to_not_convert", "ignore", "exclude_modules"})
    for (auto& name : keys.names(list)) plan.left_out.push_back(std::move(name));
  return plan;
}

void apply_quantization(const QuantizationPlan& plan, std::vector<Layer>& layers,
                        ModelConfig& model) {
  if (plan.kv_dtype) model.kv_dtype = plan.kv_dtype;
  if (!plan.format) return;
  model.quantization = plan.name;
  model.formats.push_back(*plan.format);
  const auto index = static_cast<unsigned char>(model.formats.size() - 1);
  std::vector<SlotMask> left(layers.size(), 0);
  for (const auto& name : plan.left_out) {
    const auto out = parse_left_out(name);
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (out.layer < 0 || static_cast<std::size_t>(out.layer) == i) left[i] |= out.slots;
  }
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const auto slot : kLinear)
      if (has(layers[i], slot) && (left[i] & bit(slot)) == 0)
        layers[i].formats[static_cast<std::size_t>(slot)] = index;
}

}  // namespace roofline::model
