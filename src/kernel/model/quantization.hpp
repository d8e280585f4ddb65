#pragma once

#include <vector>

#include "kernel/model/config_keys.hpp"

namespace roofline::model {

/// How a checkpoint stores its matrices: one format, and which modules are left as they are.
struct QuantizationPlan {
  std::string name;  ///< "fp8_block", "gptq int4, groups of 128"; empty: nothing is quantised
  std::optional<WeightFormat> format;
  std::optional<DType> kv_dtype;
  std::vector<std::string> left_out;  ///< module names and patterns
};

/// Reads `quantization_config` of a config, or the text of hf_quant_config.json. What is not
/// understood is an error: weights of a wrong width would go unnoticed.
QuantizationPlan read_quantization(const YamlDocument& document, const YamlNode& map,
                                   Errors& errors);

/// Gives every layer its formats: linear layers that are not left out. Routers, heads and
/// embeddings never are quantised.
void apply_quantization(const QuantizationPlan& plan, std::vector<Layer>& layers,
                        ModelConfig& model);

}  // namespace roofline::model
