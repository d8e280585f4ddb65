// Steps of whole models against truth/values/models.json: bytes, FLOPs, cache, formats, to the
// unit.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

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

// ---------------------------------------------------------------- steps counted by hand
/// 4 layers, 64 wide, 4 heads of 16 (2 key-value), inner width 128, 100 tokens.
Json small(Json more = Json::object()) {
  Json config = {{"model_type", "llama"},     {"hidden_size", 64},
                 {"num_hidden_layers", 4},    {"num_attention_heads", 4},
                 {"num_key_value_heads", 2},  {"head_dim", 16},
                 {"intermediate_size", 128},  {"vocab_size", 100},
                 {"torch_dtype", "bfloat16"}, {"tie_word_embeddings", false}};
  config.update(more);
  return config;
}
// Matrices of a layer: q and o 64 x 64, k and v 32 x 64, gate, up and down 128 x 64.
constexpr int kLayer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 128 * 64;
constexpr int kHead = 100 * 64;

Json small_experts() {
  return small({{"model_type", "mixtral"}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}});
}

ModelStep plan(const Json& config, const StepOptions& options) {
  const auto model = read(config);
  EXPECT_TRUE(model) << (model ? "" : format_errors(model.error(), false));
  auto step = plan_step(*model, options);
  EXPECT_TRUE(step) << (step ? "" : format_errors(step.error(), false));
  return *step;
}

TEST(ModelSteps, AWindowBoundsTheCacheAndThePairs) {
  const auto config = small({{"model_type", "gemma2"},
                             {"sliding_window", 10},
                             {"hidden_activation", "gelu_pytorch_tanh"}});
  StepOptions options;
  options.context = 100;
  const auto decode = plan(config, options);
  const int row = 2 * 2 * 16 * 2;  // keys and values of 2 heads of 16, 2 bytes
  EXPECT_EQ(decode.kv_bytes_per_token, Count(4 * row));
  EXPECT_EQ(decode.kv_bytes, Count(row * (2 * 100 + 2 * 10)));
  EXPECT_EQ(decode.traffic.kv_read_per_sequence, Count(row * (2 * 100 + 2 * 10)));
  EXPECT_EQ(decode.matmul_flops, Count(2 * (4 * kLayer + kHead) + 4 * 4 * 16 * (2 * 100 + 2 * 10)));
  options.phase = Phase::prefill;
  options.context = 0;
  options.tokens = 100;
  const int full = 100 * 101 / 2, windowed = 10 * 11 / 2 + 90 * 10;
  EXPECT_EQ(plan(config, options).matmul_flops,
            Count(2 * 100 * 4 * kLayer + 2 * kHead + 4 * 4 * 16 * 2 * (full + windowed)));
}

TEST(ModelSteps, ChunksBoundWhatATokenSees) {
  const auto config = small({{"model_type", "llama4_text"},
                             {"attention_chunk_size", 8},
                             {"num_local_experts", 2},
                             {"num_experts_per_tok", 1},
                             {"intermediate_size_mlp", 128},
                             {"interleave_moe_layer_step", 100}});
  StepOptions options;
  options.phase = Phase::prefill;
  options.tokens = 20;
  const int full = 20 * 21 / 2, chunks = 2 * (8 * 9 / 2) + 4 * 5 / 2;  // 3 of 4 layers are chunked
  EXPECT_EQ(plan(config, options).matmul_flops,
            Count(2 * 20 * 4 * kLayer + 2 * kHead + 4 * 4 * 16 * (full + 3 * chunks)));
  options = {};
  options.context = 20;
  EXPECT_EQ(plan(config, options).traffic.kv_read_per_sequence,
            Count(2 * 2 * 16 * 2 * (20 + 3 * 4)));
}

TEST(ModelSteps, APrefixIsReadAndSeen) {
  StepOptions options;
  options.phase = Phase::prefill;
  options.tokens = 20;
  options.prefix = 50;
  const auto step = plan(small(), options);
  const int row = 4 * 2 * 2 * 16 * 2;
  EXPECT_EQ(step.traffic.kv_read_per_sequence, Count(50 * row));
  EXPECT_EQ(step.traffic.kv_written_per_sequence, Count(20 * row));
  EXPECT_EQ(step.matmul_flops,
            Count(2 * 20 * 4 * kLayer + 2 * kHead + 4 * 4 * 4 * 16 * (20 * 50 + 20 * 21 / 2)));
}

TEST(ModelSteps, TrainingIsThreeTimesTheProductsAndRecomputedScores) {
  StepOptions options;
  options.phase = Phase::train;
  options.tokens = 32;
  options.batch = 2;
  const auto step = plan(small(), options);
  const long long linear = 2LL * 64 * (4 * kLayer + kHead),
                  attention = 2LL * 4 * 4 * 4 * 16 * (32 * 33 / 2);
  EXPECT_EQ(step.forward_flops, Count(linear + attention));
  EXPECT_EQ(step.matmul_flops,
            Count(3 * linear) + floor_div(Count(7 * attention), 2));  // forward 1, backward 2.5
  const Count parameters = count_parameters(*read(small())).total();
  EXPECT_EQ(step.optimizer_bytes, parameters * 14);  // bf16 gradient, fp32 moments and master copy
  EXPECT_EQ(step.workload.kernels.back().name, "adamw");
}

TEST(ModelSteps, TensorParallelSharesDivideExactly) {
  StepOptions options;
  options.context = 64;
  const auto whole = plan(small(), options);
  options.tensor_parallel = 2;
  const auto share = plan(small(), options);
  const int norms = (4 * 2 + 1) * 64 * 2;  // on both
  EXPECT_EQ(share.weight_bytes * 2, whole.weight_bytes + Count(norms));
  EXPECT_EQ(share.matmul_flops * 2, whole.matmul_flops);
  EXPECT_EQ(share.kv_bytes * 2, whole.kv_bytes);
  Count sent = 0;
  for (const auto& kernel : share.workload.kernels)
    sent += kernel.work.link_bytes() * kernel.repeat;
  EXPECT_EQ(sent, Count(4 * 2 * 64 *
                        2));    // two all-reduces a layer of 64 values: 2 (n - 1) / n = 1 of each
  options.tensor_parallel = 4;  // two key-value heads on four GPUs: each twice
  EXPECT_EQ(plan(small(), options).kv_bytes * 2, whole.kv_bytes);
}

TEST(ModelSteps, ExpertsAreSpreadAndTokensTravel) {
  StepOptions options;
  options.context = 64;
  options.batch = 16;
  options.expert_parallel = 4;
  const auto step = plan(small_experts(), options);
  int exchanges = 0;
  for (const auto& kernel : step.workload.kernels)
    if (kernel.op->name == "collective") ++exchanges;
  EXPECT_EQ(exchanges, 2);
  ASSERT_EQ(step.traffic.experts.size(), 1U);
  EXPECT_EQ(step.traffic.experts[0].held, Count(2));
  // 64 tokens meet at the experts: E (1 - (3/4)^64) of 8, a quarter of them here
  EXPECT_NEAR(step.traffic.distinct_experts(step.traffic.experts[0], 16),
              2 * (1 - std::pow(0.75, 64)), 1e-12);
}

struct Refused {
  const char* name;
  Json config;
  StepOptions options;
  Code code;
};

TEST(ModelSteps, WhatDoesNotFitIsRefused) {
  const Json bert = {{"model_type", "bert"},         {"hidden_size", 64},
                     {"num_hidden_layers", 2},       {"num_attention_heads", 4},
                     {"intermediate_size", 128},     {"vocab_size", 100},
                     {"max_position_embeddings", 64}};
  const Refused rows[] = {
      {"heads on three GPUs", small(), {.tensor_parallel = 3}, Code::contradiction},
      {"layers in three stages", small(), {.pipeline_parallel = 3}, Code::contradiction},
      {"experts on three GPUs", small_experts(), {.expert_parallel = 3}, Code::contradiction},
      {"experts of a dense model", small(), {.expert_parallel = 2}, Code::contradiction},
      {"fewer expert ranks than tensor ranks",
       small_experts(),
       {.tensor_parallel = 4, .expert_parallel = 2},
       Code::contradiction},
      {"an encoder that decodes", bert, {.phase = Phase::decode}, Code::contradiction},
      {"a prompt of unknown length", small(), {.phase = Phase::prefill}, Code::missing_argument},
      {"a prefix in training",
       small(),
       {.phase = Phase::train, .tokens = 4, .prefix = 4},
       Code::contradiction},
      {"no sequence", small(), {.batch = 0}, Code::out_of_range},
      {"activations of plain weights", small(), {.activations = DType::fp8_e4m3}, Code::bad_option},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto model = read(row.config);
    ASSERT_TRUE(model);
    const auto step = plan_step(*model, row.options);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().front().code, row.code) << format_errors(step.error(), false);
  }
}

TEST(ModelSteps, FormatsDecideBytesAndDatapaths) {
  struct Row {
    const char* weights;
    RateType type;
    int layer_bytes;  ///< of the matrices of one layer
  };
  constexpr int kBf16 = 2 * kLayer;
  const Row rows[] = {
      {"bf16", RateType::bf16, kBf16},
      {"fp8_tensor", RateType::fp8, kLayer + 7 * 4},
      {"int8_channel", RateType::int8, kLayer + 4 * (64 + 32 + 32 + 64 + 128 + 128 + 64)},
      {"awq_int4:32", RateType::bf16, kLayer / 2 + kLayer / 32 * 2 + kLayer / 32 / 2},
      {"nvfp4", RateType::fp4, kLayer / 2 + kLayer / 16 + 7 * 4},
      {"mxfp4_a16", RateType::bf16, kLayer / 2 + kLayer / 32},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.weights);
    StepOptions options;
    options.context = 16;
    options.weights = *find_weight_format(row.weights);
    const auto step = plan(small(), options);
    EXPECT_EQ(step.weight_bytes, Count(4 * row.layer_bytes + 2 * (2 * kHead + 9 * 64)));
    for (const auto& kernel : step.workload.kernels)
      if (kernel.name == "qkv") {
        EXPECT_EQ(kernel.work.pipe().type, row.type);
      }
  }
}

/// Every family of the rows of model_totals.jsonl makes a step in every phase that it has.
TEST(ModelSteps, EveryFamilyMakesAStep) {
  const auto text = read_input(ROOFLINE_TEST_DATA "/model_totals.jsonl", std::size_t{1} << 22);
  ASSERT_TRUE(text);
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto row = Json::parse(line);
    SCOPED_TRACE(row["name"].get<std::string>());
    const auto model = read(row["config"]);
    ASSERT_TRUE(model);
    for (const auto phase : {Phase::prefill, Phase::decode, Phase::train}) {
      if (phase == Phase::decode && model->kind != ModelKind::decoder) continue;
      StepOptions options;
      options.phase = phase;
      options.batch = 2;
      options.context = phase == Phase::decode ? 256 : 0;
      options.tokens = phase == Phase::decode || model->kind == ModelKind::vision ? 0 : 128;
      const auto step = plan_step(*model, options);
      ASSERT_TRUE(step) << format_errors(step.error(), false);
      EXPECT_GT(step->matmul_flops, Count(0));
      if (phase != Phase::decode) continue;
      // Every matrix of a decode step multiplies every token once: nothing is left out and nothing
      // counted twice.
      Count attention = 0;
      for (const auto& kernel : step->workload.kernels)
        if (kernel.name == "attention") attention += kernel.work.matmul_flops() * kernel.repeat;
      EXPECT_EQ(step->matmul_flops - attention, count_parameters(*model).matmul_active() * 4);
    }
  }
}

}  // namespace
}  // namespace roofline
