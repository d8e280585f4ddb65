#include "roofline/kernel/model_config.hpp"

#include <algorithm>

#include "kernel/model/config_keys.hpp"
#include "kernel/model/inventory.hpp"
#include "kernel/model/known_keys.hpp"
#include "kernel/model/layer_plan.hpp"
#include "kernel/model/quantization.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/text.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace model {
namespace {

constexpr Count kMostLayers = 10'000;

/// The map that describes the language model: the config itself, or the part of a multimodal one.
const YamlNode* language_part(const YamlNode& root) {
  for (const std::string_view key : {"text_config", "llm_config", "language_config"})
    if (const auto* node = root.find(key); node != nullptr && node->is_map()) return node;
  return nullptr;
}

std::optional<std::string> type_of(const YamlNode& map) {
  const auto* node = map.find("model_type");
  return node != nullptr && node->is_scalar() ? std::optional(node->text) : std::nullopt;
}

/// The family that a config belongs to; nullptr after a report.
const Family* family_of(ConfigKeys& keys, const YamlNode& root, const ModelConfigOptions& options) {
  const auto stated = !options.family.empty() ? std::optional(options.family)
                      : type_of(keys.map())   ? type_of(keys.map())
                                              : type_of(root);
  if (!stated) {
    if (keys.states("quantization")) {
      keys.fail(Code::missing_key, "quantization", "this file only says how a model is quantised",
                "give the config.json beside it; the quantisation is read along");
    } else if (keys.states("model_type")) {
      keys.fail(Code::wrong_type, "model_type", "model_type must be a name");
    } else {
      keys.fail(Code::missing_key, "model_type", "the config does not say which model it is",
                "it needs the key \"model_type\"; --as llama reads it as that family");
    }
    return nullptr;
  }
  if (const auto* family = find_family(*stated)) return family;
  for (const auto& row : uncounted())
    if (row.model_type == *stated) {
      const auto key = keys.states(row.key) ? row.key : std::string_view("model_type");
      keys.fail(
          Code::unknown_name, key,
          "models of type " + quoted(*stated) + " are not counted: " + std::string(row.reason),
          key == "model_type" ? std::string() : "this is what " + std::string(key) + " says");
      return nullptr;
    }
  const auto names = model_types();
  auto hint = did_you_mean(*stated, names);
  hint += (hint.empty() ? "" : " ") + std::string("--as NAME reads it as a family that is known");
  const auto place =
      type_of(keys.map())
          ? keys.where("model_type")
          : keys.document().where(root.find("model_type") ? *root.find("model_type") : root);
  keys.errors().push_back(
      {Code::unknown_name, place, "unknown model_type " + quoted(*stated), std::move(hint), {}});
  return nullptr;
}

std::optional<DType> storage_dtype(ConfigKeys& keys, ModelConfig& model) {
  const auto name = keys.text("torch_dtype dtype");
  if (!name || *name == "auto") {
    model.assumptions.push_back(
        "the config names no dtype: bf16 is taken (--weights says otherwise)");
    return DType::bf16;
  }
  const auto dtype = find_dtype(*name);
  if (!dtype)
    keys.fail(Code::unknown_dtype, "torch_dtype dtype", "unknown dtype " + quoted(*name),
              did_you_mean(*name, dtype_names()));
  return dtype;
}

void read_embedding(ConfigKeys& keys, const Family& family, ModelConfig& model) {
  auto& table = model.embedding;
  const auto most_key = keys.first_of(family.max_positions);
  if (const auto most = keys.count(most_key)) model.max_positions = *most;
  if (family.kind == ModelKind::vision) {
    table.width = model.hidden;
    return;
  }
  table.vocab = keys.need(family.vocab, "how many tokens the vocabulary has");
  table.width = family.embedding_width.empty()
                    ? model.hidden
                    : keys.count_or(family.embedding_width, model.hidden, 1);
  table.projected = table.width != model.hidden;
  // Encoders that embed narrowly project with a bias (ALBERT always: its mapping is there even
  // where widths agree).
  table.project_bias = table.projected && family.kind == ModelKind::encoder;
  if (family.positions == Positions::learned)
    table.positions =
        keys.need(most_key, "how many positions there are") + Count(family.position_offset);
  if (!family.token_types.empty()) table.types = keys.count_or(family.token_types, 2);
  if (family.embedding_norm) table.norm = {family.norm, true, keys.flag(family.norm_bias)};
}

constexpr std::string_view kTaskHeads[] = {
    "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
    "ForMultipleChoice",         "ForRewardModel",         "RewardModel",
    "ForNextSentencePrediction"};

bool ends_with_one_of(std::string_view name) {
  return std::any_of(std::begin(kTaskHeads), std::end(kTaskHeads),
                     [&](std::string_view end) { return name.ends_with(end); });
}

/// "LlamaModel" has no head; "GPT2LMHeadModel" and "ChatGLMModel" have one.
bool is_bare_model(std::string_view architecture) {
  return architecture.ends_with("Model") && !architecture.ends_with("HeadModel") &&
         !architecture.ends_with("HeadsModel") && architecture != "ChatGLMModel";
}

void read_head(ConfigKeys& keys, const Family& family, ModelConfig& model) {
  auto& head = model.head;
  head.pooler = family.pooler ? 1 : 0;
  const bool task = ends_with_one_of(model.architecture);
  if (family.kind != ModelKind::decoder) {
    if (family.kind == ModelKind::encoder && !model.architecture.empty() &&
        !is_bare_model(model.architecture))
      model.not_counted.push_back("the task head of " + model.architecture);
    keys.know("tie_word_embeddings");
    return;
  }
  const bool tied = keys.flag(family.tied);
  keys.know(family.tied.keys);
  if (task) model.not_counted.push_back("the task head of " + model.architecture);
  if (task || is_bare_model(model.architecture)) return;
  head.present = true;
  head.tied = tied;
  head.bias = keys.flag(family.head_bias);
  head.rows = model.embedding.vocab;
  head.width = model.embedding.width;
  head.projected = model.embedding.projected;
}

/// One more layer per predicted token, with a projection of two streams into one and three norms
/// (DeepSeek-V3 report, section 2.2); its copies of the embedding and of the head are the model's
/// own.
void read_predicted_layers(ConfigKeys& keys, const Family& family, const std::vector<Layer>& layers,
                           ModelConfig& model) {
  if (family.predicted_layers.empty()) return;
  const Count predicted = keys.count_or(family.predicted_layers, 0);
  if (predicted == Count(0)) return;
  const Count h = model.hidden, norm = norm_size(model.final_norm, h);
  const Count each = layer_parameters(layers.back(), h) + h * h * 2 + norm * 3;
  model.extras.push_back({"multi-token prediction, " + predicted.to_string() +
                              (predicted == Count(1) ? " layer" : " layers"),
                          predicted * each});
}

void list_unknown(const ConfigKeys& keys, const YamlNode& root, ModelConfig& model) {
  const auto visit = [&](const YamlNode& map, const YamlNode& key) {
    const auto* value = map.find(key.text);
    if (value == nullptr || value->is_null()) return;
    if (is_other_part(key.text)) {
      model.not_counted.push_back(key.text);
      return;
    }
    const bool off = value->is_scalar() && (value->text == "false" || value->text == "0");
    const bool empty = (value->is_list() || value->is_map()) && value->items.empty();
    if (!off && !empty && !is_harmless(key.text)) model.unknown.push_back(key.text);
  };
  for (const auto* key : keys.unasked()) visit(keys.map(), *key);
  if (&keys.map() == &root) return;
  for (const auto& key : root.keys)
    if (key.text != "text_config" && key.text != "llm_config" && key.text != "language_config")
      visit(root, key);
}

void quantise(const YamlDocument& document, const YamlDocument* beside, ConfigKeys& keys,
              std::vector<Layer>& layers, ModelConfig& model) {
  const auto* map = keys.find("quantization_config");
  QuantizationPlan plan;
  if (map != nullptr) {
    plan = read_quantization(document, *map, keys.errors());
  } else if (beside != nullptr) {
    plan = read_quantization(*beside, beside->root(), keys.errors());
  }
  apply_quantization(plan, layers, model);
}

}  // namespace
}  // namespace model

Checked<ModelConfig> read_model_config(const YamlDocument& config, const YamlDocument* quantization,
                                       const ModelConfigOptions& options) {
  using namespace model;
  Errors errors;
  const auto& root = config.root();
  if (!root.is_map()) {
    errors.push_back({Code::wrong_type,
                      config.where(root),
                      "a model's config must be a map of keys and values",
                      {},
                      {}});
    return tl::unexpected(std::move(errors));
  }
  const auto* part = language_part(root);
  ConfigKeys keys(config, part != nullptr ? *part : root, errors,
                  part != nullptr ? &root : nullptr);
  const auto* family = family_of(keys, root, options);
  if (family == nullptr) return tl::unexpected(std::move(errors));

  ModelConfig model;
  model.model_type = std::string(family->model_type);
  model.kind = family->kind;
  model.place = config.where(keys.map());
  if (const auto* node = root.find("architectures");
      node != nullptr && node->is_list() && !node->items.empty())
    model.architecture = node->items.front().text;
  if (model.kind != ModelKind::encoder && keys.flag_or("is_encoder_decoder", false))
    keys.fail(Code::unknown_name, "is_encoder_decoder",
              "models of an encoder and a decoder are not counted");
  Draft draft{.family = *family};
  model.hidden = keys.need(family->hidden, "how wide the model is");
  draft.layers = keys.need(family->layers, "how many layers there are");
  if (draft.layers > kMostLayers)
    keys.fail(Code::limit_exceeded, family->layers,
              draft.layers.to_string() + " layers are more than the " + kMostLayers.to_string() +
                  " that are counted");
  read_embedding(keys, *family, model);
  read_head(keys, *family, model);
  draft_base(keys, draft, model);
  if (family->prepare != nullptr && errors.empty()) family->prepare(keys, draft, model);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  draft_layers(keys, draft, model);
  if (family->adjust != nullptr && errors.empty()) family->adjust(keys, draft, model);
  if (const auto dtype = storage_dtype(keys, model)) model.dtype = *dtype;
  model.formats.push_back(plain_format(model.dtype));
  if (!options.ignore_quantization) quantise(config, quantization, keys, draft.list, model);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (model.groups.empty()) group_layers(draft.list, model);
  read_predicted_layers(keys, *family, draft.list, model);
  list_unknown(keys, root, model);
  for (const auto& group : model.groups)
    if (group.layer.experts && group.layer.experts->experts > Count(65'536))
      keys.fail(Code::limit_exceeded, family->hidden,
                "more experts than the 65536 that are counted");
  if (count_parameters(model).total().overflowed())
    keys.fail(Code::limit_exceeded, family->hidden, "the model has more parameters than 2^127");
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return model;
}

}  // namespace roofline
