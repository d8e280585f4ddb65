// Steps of whole models against truth/values/models.json: bytes, FLOPs, cache, formats, to the
// unit.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "roofline/base/input.hpp"
#include "roofline/kernel/transformer.hpp"

namespace roofline {
namespace {

using Json = nlohmann::json;

Checked<ModelConfig> read(const Json& config) {
  auto document = read_yaml(config.dump(), "config.json");
  if (!document) return tl::unexpected(document.error());
  return read_model_config(*document);
}

/// The truth file's own description of a model as a config in Hugging Face's format.
Json config_of(const Json& truth) {
  Json config = {{"hidden_size", truth["hidden"]},
                 {"num_hidden_layers", truth["layers"]},
                 {"num_attention_heads", truth["heads"]},
                 {"vocab_size", truth["vocab"]},
                 {"torch_dtype", "bfloat16"},
                 {"tie_word_embeddings", false},
                 {"intermediate_size", truth["inter"]}};
  if (truth["kind"] == "mla") {
    config.update({{"model_type", "deepseek_v3"},
                   {"q_lora_rank", truth["q_rank"]},
                   {"kv_lora_rank", truth["kv_rank"]},
                   {"qk_nope_head_dim", truth["nope"]},
                   {"qk_rope_head_dim", truth["rope"]},
                   {"v_head_dim", truth["dv"]},
                   {"first_k_dense_replace", truth["dense_layers"]},
                   {"intermediate_size", truth["dense_inter"]},
                   {"moe_intermediate_size", truth["inter"]},
                   {"n_routed_experts", truth["experts"]},
                   {"num_experts_per_tok", truth["top_k"]},
                   {"n_shared_experts", truth["shared"]}});
    return config;
  }
  config.update({{"num_key_value_heads", truth["kv"]},
                 {"head_dim", truth["d"]},
                 {"model_type", truth["qkv_bias"] == true ? "qwen2" : "llama"}});
  if (truth.contains("experts"))
    config.update({{"model_type", "mixtral"},
                   {"num_local_experts", truth["experts"]},
                   {"num_experts_per_tok", truth["top_k"]}});
  return config;
}

Json truth() {
  const auto text =
      read_input(std::string(ROOFLINE_SHARED) + "/truth/values/models.json", std::size_t{64} << 20);
  return text ? Json::parse(*text) : Json();
}

void expect_near(double ours, double theirs) {
  EXPECT_LE(std::abs(ours - theirs), 4e-16 * std::abs(theirs)) << ours << " " << theirs;
}

void check_decode(const ModelConfig& model, const Json& row) {
  SCOPED_TRACE("decode, context " + row["context"].dump() + ", batch " + row["batch"].dump() +
               ", " + row["weights"].dump());
  StepOptions options;
  options.batch = row["batch"].get<int>();
  options.context = row["context"].get<int>();
  options.weights = *find_weight_format(row["weights"].get<std::string>());
  options.kv_dtype = DType::bf16;
  const auto step = plan_step(model, options);
  ASSERT_TRUE(step) << format_errors(step.error(), false);
  expect_near(step->traffic.bytes(options.batch), row["bytes"].get<double>());
  if (row["bytes_exact"].get<std::string>().find('/') == std::string::npos) {
    EXPECT_EQ(std::to_string(std::llround(step->traffic.bytes(options.batch))),
              row["bytes_exact"].get<std::string>());
  }
  EXPECT_EQ(step->matmul_flops.to_string(), row["flops"].get<std::string>());
  if (row.contains("expected_distinct_experts_per_layer")) {
    expect_near(step->traffic.distinct_experts(step->traffic.experts.front(), options.batch),
                row["expected_distinct_experts_per_layer"].get<double>());
  }
  for (const auto& term : step->matmul)
    EXPECT_TRUE(term.pipe.type == RateType::bf16 ||
                (row["weights"] == "fp8" && term.pipe.type == RateType::fp8));
}

void check_prefill(const ModelConfig& model, const Json& row) {
  SCOPED_TRACE("prefill " + row["tokens"].dump());
  StepOptions options;
  options.phase = Phase::prefill;
  options.tokens = row["tokens"].get<int>();
  auto step = plan_step(model, options);
  ASSERT_TRUE(step) << format_errors(step.error(), false);
  EXPECT_EQ(step->matmul_flops.to_string(), row["flops_total_last_logit"].get<std::string>());
  options.all_logits = true;
  step = plan_step(model, options);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->matmul_flops.to_string(), row["flops_total_all_logits"].get<std::string>());
  Count attention = 0;
  for (const auto& kernel : step->workload.kernels)
    if (kernel.name == "attention") attention += kernel.work.matmul_flops() * kernel.repeat;
  EXPECT_EQ(attention.to_string(), row["attention_flops_causal"].get<std::string>());
}

TEST(ModelTruth, AgreesToTheUnit) {
  const auto values = truth();
  if (values.is_null()) GTEST_SKIP() << "no truth/values/models.json under " << ROOFLINE_SHARED;
  for (const auto& truth_row : values["models"]) {
    SCOPED_TRACE(truth_row["id"].get<std::string>());
    const auto model = read(config_of(truth_row["config"]));
    ASSERT_TRUE(model) << format_errors(model.error(), false);
    const auto parameters = count_parameters(*model);
    EXPECT_EQ(parameters.total().to_string(), truth_row["total_parameters"].get<std::string>());
    EXPECT_EQ(parameters.active().to_string(),
              truth_row["active_parameters_with_embedding"].get<std::string>());
    EXPECT_EQ(parameters.matmul_active().to_string(),
              truth_row["matmul_parameters_active"].get<std::string>());
    const auto& roles = truth_row["parameters"];
    const std::pair<const char*, Count> ours[] = {
        {"embedding", parameters.embedding},   {"lm_head", parameters.head},
        {"norms", parameters.norms},           {"bias", parameters.biases},
        {"attn_linear", parameters.attention}, {"mlp_dense", parameters.dense},
        {"experts", parameters.experts},       {"router", parameters.router},
        {"shared", parameters.shared}};
    for (const auto& [role, count] : ours)
      EXPECT_EQ(count.to_string(), roles[role].get<std::string>()) << role;

    StepOptions options;
    const auto step = plan_step(*model, options);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->model_weight_bytes.to_string(),
              truth_row["weight_bytes_all"]["bf16"].get<std::string>());
    EXPECT_EQ(step->kv_bytes_per_token.to_string(),
              truth_row["kv_bytes_per_token"]["bf16"].get<std::string>());
    options.weights = *find_weight_format("awq_int4");
    EXPECT_EQ(plan_step(*model, options)->model_weight_bytes.to_string(),
              truth_row["weight_bytes_int4_awq_g128"].get<std::string>());
    options.kv_dtype = DType::fp8_e4m3;
    EXPECT_EQ(plan_step(*model, options)->kv_bytes_per_token.to_string(),
              truth_row["kv_bytes_per_token"]["fp8"].get<std::string>());
    options.latent_rows_656 = true;
    if (truth_row["kv_bytes_per_token"].contains("fp8_656")) {
      EXPECT_EQ(plan_step(*model, options)->kv_bytes_per_token.to_string(),
                truth_row["kv_bytes_per_token"]["fp8_656"].get<std::string>());
    }

    for (const auto& row : truth_row["decode"]) check_decode(*model, row);
    for (const auto& row : truth_row["prefill"]) check_prefill(*model, row);
  }
}

}  // namespace
}  // namespace roofline
