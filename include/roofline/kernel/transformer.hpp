#pragma once

#include "roofline/kernel/kernel.hpp"
#include "roofline/kernel/model_config.hpp"

namespace roofline {

/// What a model stores, in numbers: every tensor once (tied embeddings once), by role.
struct Parameters {
  Count embedding;      ///< tables of tokens, positions and types; the projection of patches
  Count head;           ///< 0 where the head is the embedding
  Count norms, biases;
  Count attention, dense, experts, router, shared;  ///< matrices of the layers
  Count other;          ///< sinks, class tokens, learned activations
  Count idle_experts;   ///< of `experts` and `biases`: what a single token does not visit
  Count idle_matrices;  ///< of `experts`
  Count head_matrices;  ///< what the head multiplies with, tied or not
  Count extra;          ///< multi-token-prediction layers; not in total()

  Count total() const;
  Count active() const;         ///< total() less idle experts: tables and head included
  Count matmul_active() const;  ///< what a token is multiplied with: no tables, norms, biases
};
Parameters count_parameters(const ModelConfig& model);

}  // namespace roofline
