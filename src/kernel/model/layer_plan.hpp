#pragma once

#include "kernel/model/config_keys.hpp"

namespace roofline::model {

/// What all layers share: attention, norms, the templates of the feed-forward parts.
void draft_base(ConfigKeys& keys, Draft& draft, ModelConfig& model);

/// Lays the layers out one by one: windows, and which have experts.
void draft_layers(ConfigKeys& keys, Draft& draft, ModelConfig& model);

/// Puts alike layers together.
void group_layers(const std::vector<Layer>& list, ModelConfig& model);

}  // namespace roofline::model
