// What a config may not say, and where the error stands; windows, patterns and formats that it may.
#include <gtest/gtest.h>

#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace {

/// A small Llama with one key replaced: `{"model_type": ..., <lines>}`, one key a line from line 2
/// on.
std::string llama_with(const std::string& replaced, const std::string& value) {
  const std::pair<const char*, const char*> keys[] = {
      {"model_type", "\"llama\""},  {"hidden_size", "256"},          {"num_hidden_layers", "4"},
      {"num_attention_heads", "8"}, {"num_key_value_heads", "2"},    {"intermediate_size", "512"},
      {"vocab_size", "1000"},       {"torch_dtype", "\"bfloat16\""},
  };
  std::string text = "{";
  bool first = true;
  bool found = false;
  for (const auto& [key, old] : keys) {
    const bool here = key == replaced;
    found = found || here;
    if (here && value.empty()) continue;
    text += (first ? "\n  \"" : ",\n  \"") + std::string(key) + "\": " + (here ? value : old);
    first = false;
  }
  if (!found && !value.empty()) text += ",\n  \"" + replaced + "\": " + value;
  return text + "\n}\n";
}

Checked<ModelConfig> read(const std::string& text, const ModelConfigOptions& options = {}) {
  auto document = read_yaml(text, "config.json");
  if (!document) return tl::unexpected(document.error());
  return read_model_config(*document, nullptr, options);
}

struct Bad {
  const char* name;
  const char *key, *value;
  Code code;
  int line;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadModel : public testing::TestWithParam<Bad> {};

TEST_P(BadModel, IsALocatedError) {
  const auto& bad = GetParam();
  const auto model = read(llama_with(bad.key, bad.value));
  ASSERT_FALSE(model);
  const auto& error = model.error().front();
  EXPECT_EQ(error.code, bad.code) << format_errors(model.error(), false);
  EXPECT_EQ(error.where.line, bad.line) << format_errors(model.error(), false);
  EXPECT_GT(error.where.column, 0);
  EXPECT_EQ(error.where.file, "config.json");
  EXPECT_NE((error.what + error.hint).find(bad.says), std::string::npos)
      << format_errors(model.error(), false);
}

constexpr Bad kBad[] = {
    {"unknown_model_type", "model_type", "\"lama\"", Code::unknown_name, 2,
     "did you mean \"llama\""},
    {"no_model_type", "model_type", "", Code::missing_key, 1, "model_type"},
    {"model_type_is_a_list", "model_type", "[\"llama\"]", Code::wrong_type, 2, "model_type"},
    {"hybrid", "model_type", "\"jamba\"", Code::unknown_name, 2, "jamba"},
    {"missing_heads", "num_attention_heads", "", Code::missing_key, 1, "num_attention_heads"},
    {"missing_hidden", "hidden_size", "", Code::missing_key, 1, "hidden_size"},
    {"missing_layers", "num_hidden_layers", "", Code::missing_key, 1, "num_hidden_layers"},
    {"missing_vocabulary", "vocab_size", "", Code::missing_key, 1, "vocab_size"},
    {"missing_feed_forward", "intermediate_size", "", Code::missing_key, 1, "intermediate_size"},
    {"null_heads", "num_attention_heads", "null", Code::missing_key, 1, "num_attention_heads"},
    {"a_list_of_widths", "intermediate_size", "[512, 1024]", Code::wrong_type, 7, "a list"},
    {"a_map_of_layers", "num_hidden_layers", "{\"n\": 4}", Code::wrong_type, 4, "a map"},
    {"a_quoted_number", "hidden_size", "\"256\"", Code::wrong_type, 3, "whole number"},
    {"a_fraction", "hidden_size", "256.5", Code::bad_number, 3, "whole number"},
    {"a_word", "hidden_size", "true", Code::bad_number, 3, "whole number"},
    {"zero_heads", "num_attention_heads", "0", Code::out_of_range, 5, "at least 1"},
    {"negative_layers", "num_hidden_layers", "-4", Code::bad_number, 4, "whole number"},
    {"zero_layers", "num_hidden_layers", "0", Code::out_of_range, 4, "at least 1"},
    {"a_huge_size", "hidden_size", "99999999999999999999", Code::out_of_range, 3, "2^40"},
    {"too_many_layers", "num_hidden_layers", "1000000", Code::limit_exceeded, 4, "layers"},
    {"heads_do_not_divide_hidden", "num_attention_heads", "7", Code::contradiction, 5,
     "not a multiple"},
    {"kv_heads_do_not_divide_heads", "num_key_value_heads", "3", Code::contradiction, 6,
     "not a multiple"},
    {"unknown_activation", "hidden_act", "\"selu9\"", Code::unknown_name, 10, "selu9"},
    {"unknown_dtype", "torch_dtype", "\"bfloat17\"", Code::unknown_dtype, 9, "bfloat17"},
    {"bias_is_a_word", "attention_bias", "\"yes\"", Code::wrong_type, 10, "true or false"},
    {"layer_types_too_few", "layer_types", "[\"full_attention\"]", Code::contradiction, 10,
     "1 entries for 4 layers"},
    {"layer_types_linear", "layer_types",
     "[\"full_attention\", \"linear_attention\", \"full_attention\", \"full_attention\"]",
     Code::unknown_name, 10, "linear_attention"},
    {"layer_types_is_text", "layer_types", "\"full_attention\"", Code::wrong_type, 10, "a list"},
    {"two_sequences", "is_encoder_decoder", "true", Code::unknown_name, 10, "encoder"},
    {"quantisation_unknown", "quantization_config", "{\"quant_method\": \"magic\"}",
     Code::unknown_name, 10, "magic"},
    {"quantisation_is_text", "quantization_config", "\"fp8\"", Code::wrong_type, 10, "map"},
    {"quantisation_16_bits", "quantization_config", "{\"quant_method\": \"gptq\", \"bits\": 16}",
     Code::unknown_name, 10, "16 bits"},
    {"rotary_too_wide", "partial_rotary_factor", "1.5", Code::out_of_range, 10, "rotary"},
};
INSTANTIATE_TEST_SUITE_P(Rows, BadModel, testing::ValuesIn(kBad),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(BadModel, EveryMistakeOfAFileIsReportedTogether) {
  const auto model = read(
      R"({"model_type": "llama", "hidden_size": [1], "num_attention_heads": "8", "vocab_size": -1})");
  ASSERT_FALSE(model);
  EXPECT_GE(model.error().size(), 4U);  // and the layers are missing
}

TEST(BadModel, TwoNamesOfOneThingMustAgree) {
  const auto model =
      read(R"({"model_type": "falcon", "hidden_size": 512, "num_hidden_layers": 2, "n_layer": 3,
    "num_attention_heads": 8, "vocab_size": 100})");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().front().code, Code::contradiction);
  EXPECT_EQ(model.error().front().where.line, 1);
}

TEST(BadModel, AListIsNoModel) {
  EXPECT_FALSE(read("[1, 2]"));
  EXPECT_FALSE(read("7"));
  EXPECT_FALSE(read(""));
}

TEST(BadModel, TopKMustNotPassTheExperts) {
  const auto model = read(
      R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 100, "num_local_experts": 4, "num_experts_per_tok": 5})");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().front().code, Code::contradiction);
}

TEST(BadModel, HugeSizesEndInAMessage) {
  for (
      const char* text :
      {R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
           "intermediate_size": 128, "vocab_size": 100, "num_local_experts": 1000000000, "num_experts_per_tok": 2})",
       R"({"model_type": "dbrx", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100,
           "ffn_config": {"ffn_hidden_size": 64, "moe_num_experts": 1000000000, "moe_top_k": 2}})",
       R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "expansion_ratio": 1e300})"}) {
    const auto model = read(text);
    EXPECT_FALSE(model) << text;
  }
}

TEST(ModelFamilies, ADescriptionCanBeReadAsAnother) {
  EXPECT_TRUE(read(llama_with("model_type", "\"my_llama\""), {.family = "llama"}));
  EXPECT_FALSE(read(llama_with("model_type", "\"my_llama\""), {.family = "nothing"}));
}

TEST(ModelFamilies, UnknownKeysAreNamedAndHarmlessOnesAreNot) {
  const auto model = read(llama_with("extra_heads", "3"));
  ASSERT_TRUE(model) << format_errors(model.error(), false);
  EXPECT_EQ(model->unknown, std::vector<std::string>{"extra_heads"});
  EXPECT_TRUE(read(llama_with("bos_token_id", "1"))->unknown.empty());
  EXPECT_TRUE(read(llama_with("extra_heads", "null"))->unknown.empty());
}

// ---------------------------------------------------------------- windows and patterns
struct Pattern {
  const char *name, *keys;
  std::vector<int> windows;  ///< of the four layers
};
void PrintTo(const Pattern& pattern, std::ostream* out) { *out << pattern.name; }

class Windows : public testing::TestWithParam<Pattern> {};

TEST_P(Windows, OfEveryLayer) {
  const auto model = read(
      "{" + std::string(GetParam().keys) +
      R"(, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 128,
      "vocab_size": 100, "head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 1})");
  ASSERT_TRUE(model) << format_errors(model.error(), false);
  std::vector<int> windows;
  for (const auto group : model->order)
    windows.push_back(static_cast<int>(model->groups[group].layer.attention.window.to_int64()));
  EXPECT_EQ(windows, GetParam().windows);
}

// Sources: the configuration files of the families in the transformers library.
const Pattern kPatterns[] = {
    {"llama_never", R"("model_type": "llama", "sliding_window": 16)", {0, 0, 0, 0}},
    {"mistral_by_default", R"("model_type": "mistral")", {4096, 4096, 4096, 4096}},
    {"mistral_null_is_off", R"("model_type": "mistral", "sliding_window": null)", {0, 0, 0, 0}},
    {"qwen2_off",
     R"("model_type": "qwen2", "sliding_window": 16, "use_sliding_window": false)",
     {0, 0, 0, 0}},
    {"qwen2_upper",
     R"("model_type": "qwen2", "sliding_window": 16, "use_sliding_window": true, "max_window_layers": 3)",
     {0, 0, 0, 16}},
    {"gemma2_alternates", R"("model_type": "gemma2", "sliding_window": 16)", {16, 0, 16, 0}},
    {"gemma3_all_but_every_third",
     R"("model_type": "gemma3_text", "sliding_window": 16, "sliding_window_pattern": 3)",
     {16, 16, 0, 16}},
    {"cohere2_all_but_every_fourth",
     R"("model_type": "cohere2", "sliding_window": 16)",
     {16, 16, 16, 0}},
    {"gpt_oss_alternates", R"("model_type": "gpt_oss")", {128, 0, 128, 0}},
    {"exaone4_letters",
     R"("model_type": "exaone4", "sliding_window": 16, "sliding_window_pattern": "LG")",
     {16, 0, 16, 0}},
    {"layer_types_win",
     R"("model_type": "gemma2", "sliding_window": 16,
        "layer_types": ["full_attention", "full_attention", "sliding_attention", "full_attention"])",
     {0, 0, 16, 0}},
};
INSTANTIATE_TEST_SUITE_P(Rows, Windows, testing::ValuesIn(kPatterns),
                         [](const auto& row) { return std::string(row.param.name); });

// ---------------------------------------------------------------- formats of weights
struct Stored {
  const char* format;
  int n, k, bytes;
};

// W bytes of docs/model.md, quantised products: NK values, then scales.
TEST(WeightFormats, BytesAreValuesAndScales) {
  constexpr Stored kRows[] = {
      {"bf16", 256, 512, 262144},
      {"fp8_e4m3", 256, 512, 131072},
      {"int4", 256, 512, 65536},
      {"int8_channel", 256, 512, 131072 + 1024},
      {"fp8_tensor", 256, 512, 131072 + 4},
      {"fp8_block", 256, 512, 131072 + 4 * 2 * 4},
      {"fp8_block", 300, 200, 60000 + 4 * 3 * 2},
      {"awq_int4", 256, 512, 65536 + 4 * 256 * 2 + 4 * 256 / 2},
      {"awq_int4:64", 256, 512, 65536 + 8 * 256 * 2 + 8 * 256 / 2},
      {"mxfp8", 256, 512, 131072 + 256 * 16},
      {"mxfp4", 256, 512, 65536 + 256 * 16},
      {"nvfp4", 256, 512, 65536 + 256 * 32 + 4},
      {"mxfp6", 256, 512, 98304 + 256 * 16},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.format);
    const auto format = find_weight_format(row.format);
    ASSERT_TRUE(format);
    EXPECT_EQ(weight_bytes(*format, row.n, row.k), Count(row.bytes));
  }
}

/// The formats of this table and those of the op that multiplies them must store the same.
TEST(WeightFormats, AgreeWithTheOpThatMultipliesThem) {
  const auto* op = find_op("qgemm");
  ASSERT_NE(op, nullptr);
  for (const auto& entry : weight_formats()) {
    SCOPED_TRACE(std::string(entry.name));
    const auto format = find_weight_format(entry.name);
    ASSERT_TRUE(format);
    OpInput input;
    input.set("m", {Count(1)});
    input.set("n", {Count(384)});
    input.set("k", {Count(640)});
    input.set("format", {std::string(entry.name)});
    input.set_dtype("a", DType::bf16);
    input.set_dtype("d", DType::bf16);
    input.set_dtype("scale", DType::fp16);
    input.set_dtype("bias", DType::bf16);
    const auto work = op->model(input);
    ASSERT_TRUE(work);
    Count stored = 0;
    for (const auto& traffic : work->operands())
      if (traffic.operand.starts_with("w")) stored += traffic.read;
    EXPECT_EQ(weight_bytes(*format, 384, 640), stored);
  }
}

TEST(WeightFormats, UnknownNamesHaveNearOnes) {
  const auto format = find_weight_format("awq_int5");
  ASSERT_FALSE(format);
  EXPECT_NE(format.error().hint.find("awq_int4"), std::string::npos);
  EXPECT_FALSE(find_weight_format("mxfp4:64"));
  EXPECT_FALSE(find_weight_format("awq_int4:0"));
  EXPECT_FALSE(find_weight_format("awq_int4:x"));
}

TEST(WeightFormats, WideActivationsMakeAFormatWeightOnly) {
  EXPECT_EQ(with_activation(*find_weight_format("nvfp4"), DType::bf16)->qgemm, "nvfp4_a16");
  EXPECT_EQ(with_activation(*find_weight_format("mxfp4"), DType::fp16)->qgemm, "mxfp4_a16");
  EXPECT_EQ(with_activation(*find_weight_format("fp8_tensor"), DType::fp8_e4m3)->qgemm,
            "fp8_tensor");
  EXPECT_EQ(with_activation(*find_weight_format("fp8_tensor"), DType::bf16)->qgemm, "");
}

// ---------------------------------------------------------------- quantised checkpoints
struct Quantised {
  const char *name, *keys;
  const char* format;  ///< of the attention's first product; "" unquantised
  bool head;           ///< is a plain matrix
};

TEST(QuantizedModels, SayHowTheyAreStored) {
  const Quantised rows[] = {
      {"fp8 blocks", R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block",
       true},
      {"fp8 per matrix", R"({"quant_method": "fp8"})", "fp8_tensor", true},
      {"gptq", R"({"quant_method": "gptq", "bits": 4, "group_size": 64})",
       "gptq int4, groups of 64", true},
      {"awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})",
       "awq int4, groups of 128", true},
      {"mxfp4, attention left out",
       R"({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]})", "",
       true},
      {"compressed tensors, int4",
       R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
         "input_activations": null, "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true}}},
         "ignore": ["lm_head"]})",
       "int int4, groups of 32", true},
      {"compressed tensors, fp8",
       R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
         "input_activations": {"num_bits": 8, "type": "float"}, "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}}})",
       "fp8_tensor", true},
      {"attention left out by a pattern",
       R"({"quant_method": "fp8", "modules_to_not_convert": ["re:.*self_attn.*"]})", "", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto model = read(llama_with("quantization_config", row.keys));
    ASSERT_TRUE(model) << format_errors(model.error(), false);
    ASSERT_EQ(model->groups.size(), 1U);
    const auto format = model->groups[0].layer.format(Slot::qkv);
    EXPECT_EQ(format == 0 ? "" : model->formats[format].name, row.format);
    EXPECT_EQ(model->head_format == 0, row.head);
  }
}

TEST(QuantizedModels, LayersThatAreLeftOutStandApart) {
  const auto model = read(llama_with(
      "quantization_config",
      R"({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0", "model.layers.3.mlp"]})"));
  ASSERT_TRUE(model) << format_errors(model.error(), false);
  EXPECT_EQ(model->order, (std::vector<unsigned>{0, 1, 1, 2}));
  EXPECT_EQ(model->groups[0].layer.format(Slot::qkv), 0);
  EXPECT_EQ(model->groups[2].layer.format(Slot::dense_in), 0);
  EXPECT_NE(model->groups[2].layer.format(Slot::qkv), 0);
}

TEST(QuantizedModels, TheFileBesideTheConfigCounts) {
  const auto config = read_yaml(llama_with("", ""), "config.json");
  const auto beside = read_yaml(
      R"({"producer": {"name": "x"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8",
    "exclude_modules": ["lm_head"]}})",
      "hf_quant_config.json");
  ASSERT_TRUE(config && beside);
  const auto model = read_model_config(*config, &*beside);
  ASSERT_TRUE(model) << format_errors(model.error(), false);
  EXPECT_EQ(model->quantization, "fp8_tensor");
  EXPECT_EQ(model->kv_dtype, DType::fp8_e4m3);
}

}  // namespace
}  // namespace roofline
