#pragma once

#include <vector>

#include "roofline/kernel/model_config.hpp"

namespace roofline::model {

/// A matrix of a layer as it is stored: `n` outputs, `k` inputs, so many of them (experts).
struct StoredMatrix {
  Slot slot = Slot::qkv;
  Count n, k, copies = 1;
  Count parameters() const { return n * k * copies; }
};
std::vector<StoredMatrix> matrices_of(const Layer& layer, Count hidden);

/// What a layer stores beside its matrices, in numbers.
struct StoredVectors {
  Count norms, biases, other;
  Count expert_biases;  ///< of one expert
};
StoredVectors vectors_of(const Layer& layer, Count hidden);

/// Numbers that a norm of `width` values stores.
Count norm_size(const Norm& norm, Count width);

/// Everything one layer stores.
Count layer_parameters(const Layer& layer, Count hidden);

/// Experts of which a GPU holds the weights.
Count held_experts(const ExpertBlock& experts);

}  // namespace roofline::model
