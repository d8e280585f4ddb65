#pragma once

#include "kernel/model/family.hpp"

namespace roofline::model {

// Hooks of the table of families: what only one family does.
void bitnet_inner_norms(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void bigcode_queries(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void chatglm_groups(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void dbrx_parts(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void falcon_heads(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void minimax_checks(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void mpt_parts(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void opt_places(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void qwen1_halves(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void vision_patches(ConfigKeys& keys, Draft& draft, ModelConfig& model);

void albert_sharing(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void deci_blocks(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void gemma4_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void llama4_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model);
void neo_windows(ConfigKeys& keys, Draft& draft, ModelConfig& model);

}  // namespace roofline::model
