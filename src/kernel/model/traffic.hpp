#pragma once

#include "kernel/model/kernel_list.hpp"

namespace roofline::model {

/// Compulsory traffic of a step: what docs/model.md counts for a whole model.
StepTraffic traffic_of(const ModelConfig& share, const StepShape& shape,
                       const StepOptions& options);

/// Bytes of all weights, tables included.
Count stored_bytes(const ModelConfig& model);

/// Cache of one token in all layers, no window taken into account.
Count cache_bytes_per_token(const ModelConfig& model, const StepShape& shape,
                            const StepOptions& options);

/// Cache of one sequence of `keys` tokens: a window keeps its own, a chunk too.
Count cache_bytes(const ModelConfig& model, const StepShape& shape, const StepOptions& options,
                  Count keys);

}  // namespace roofline::model
