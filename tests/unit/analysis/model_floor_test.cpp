// Whole decode steps against truth/values/models.json: floors on four GPUs, crossover batches, what
// fits.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "roofline/analysis/model_floor.hpp"
#include "roofline/base/input.hpp"

namespace roofline {
namespace {

using Json = nlohmann::json;

Json truth() {
  const auto text =
      read_input(std::string(ROOFLINE_SHARED) + "/truth/values/models.json", std::size_t{64} << 20);
  return text ? Json::parse(*text) : Json();
}

Peak peak(double rate) {
  Peak p;
  p.dense = FlopRate(rate);
  return p;
}

/// A GPU of the figures that the truth file states, and no others.
Gpu gpu_of(const std::string& id, const Json& figures) {
  Gpu gpu;
  gpu.id = gpu.name = id;
  gpu.dram_bandwidth = Figure<ByteRate>{ByteRate(figures["bandwidth"].get<double>()), {}};
  gpu.memory_capacity = Figure<Bytes>{Bytes(figures["memory"].get<double>()), {}};
  gpu.tensor[static_cast<std::size_t>(RateType::bf16)] = peak(figures["tensor_bf16"].get<double>());
  if (!figures["tensor_fp8"].is_null())
    gpu.tensor[static_cast<std::size_t>(RateType::fp8)] = peak(figures["tensor_fp8"].get<double>());
  return gpu;
}

Json config_of(const Json& truth_config) {
  Json config = {{"hidden_size", truth_config["hidden"]},
                 {"num_hidden_layers", truth_config["layers"]},
                 {"num_attention_heads", truth_config["heads"]},
                 {"vocab_size", truth_config["vocab"]},
                 {"torch_dtype", "bfloat16"},
                 {"intermediate_size", truth_config["inter"]}};
  if (truth_config["kind"] == "mla") {
    config.update({{"model_type", "deepseek_v3"},
                   {"q_lora_rank", truth_config["q_rank"]},
                   {"kv_lora_rank", truth_config["kv_rank"]},
                   {"qk_nope_head_dim", truth_config["nope"]},
                   {"qk_rope_head_dim", truth_config["rope"]},
                   {"v_head_dim", truth_config["dv"]},
                   {"first_k_dense_replace", truth_config["dense_layers"]},
                   {"intermediate_size", truth_config["dense_inter"]},
                   {"moe_intermediate_size", truth_config["inter"]},
                   {"n_routed_experts", truth_config["experts"]},
                   {"num_experts_per_tok", truth_config["top_k"]},
                   {"n_shared_experts", truth_config["shared"]}});
    return config;
  }
  config.update({{"num_key_value_heads", truth_config["kv"]},
                 {"head_dim", truth_config["d"]},
                 {"model_type", truth_config["qkv_bias"] == true ? "qwen2" : "llama"}});
  if (truth_config.contains("experts"))
    config.update({{"model_type", "mixtral"},
                   {"num_local_experts", truth_config["experts"]},
                   {"num_experts_per_tok", truth_config["top_k"]}});
  return config;
}

ModelConfig model_of(const Json& truth_config) {
  const auto document = read_yaml(config_of(truth_config).dump(), "config.json");
  return *read_model_config(*document);
}

ModelStep decode(const ModelConfig& model, const std::string& weights, int batch, int context) {
  StepOptions options;
  options.batch = batch;
  options.context = context;
  options.weights = *find_weight_format(weights);
  options.kv_dtype = DType::bf16;
  return *plan_step(model, options);
}

void expect_close(double ours, double theirs) {
  EXPECT_LE(std::abs(ours - theirs), 2e-15 * std::abs(theirs)) << ours << " " << theirs;
}

TEST(ModelFloor, DecodeFloorsAndCrossoversOfFiveModels) {
  const auto values = truth();
  if (values.is_null()) GTEST_SKIP() << "no truth/values/models.json under " << ROOFLINE_SHARED;
  for (const auto& row : values["models"]) {
    const auto model = model_of(row["config"]);
    for (const auto& [id, figures] : values["gpus"].items()) {
      SCOPED_TRACE(row["id"].get<std::string>() + " on " + id);
      const auto gpu = gpu_of(id, figures);
      const Ceilings ceilings(gpu);
      for (const auto& want : row["decode"]) {
        const auto weights = want["weights"].get<std::string>();
        SCOPED_TRACE(weights + ", batch " + want["batch"].dump() + ", context " +
                     want["context"].dump());
        const auto step =
            decode(model, weights, want["batch"].get<int>(), want["context"].get<int>());
        const auto floor = step_floor(step, ceilings);
        const auto& expected = want["gpus"][id];
        ASSERT_EQ(floor.has_value(), !expected.is_null());
        if (!floor) continue;
        expect_close(floor->time.value() * 1e6, expected["floor_us"].get<double>());
        expect_close(floor->memory.value() * 1e6, expected["memory_us"].get<double>());
        expect_close(floor->compute.value() * 1e6, expected["compute_us"].get<double>());
        EXPECT_EQ(bound_name(floor->bound), expected["verdict"].get<std::string>());
        EXPECT_EQ(fits_memory(step, gpu), expected["fits"].get<bool>());
      }
      for (const auto& [weights, by_context] : row["crossover_batch"][id].items())
        for (const auto& [context, want] : by_context.items()) {
          SCOPED_TRACE(weights + " " + context);
          const auto batch =
              crossover_batch(decode(model, weights, 1, std::stoi(context.substr(3))), ceilings);
          ASSERT_EQ(batch.has_value(), !want.is_string());
          if (!batch) continue;
          const auto ours = *batch ? (*batch)->to_string() : "none";
          EXPECT_EQ(ours, want.is_null() ? "none" : std::to_string(want.get<long long>()));
        }
    }
  }
}

TEST(ModelFloor, CapacityThatIsUnknownIsNoAnswer) {
  const auto document = read_yaml(
      R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 100})",
      "config.json");
  StepOptions options;
  options.context = 16;
  EXPECT_EQ(fits_memory(*plan_step(*read_model_config(*document), options), Gpu{}), std::nullopt);
}

}  // namespace
}  // namespace roofline
