#pragma once

#include "roofline/kernel/transformer.hpp"

namespace roofline::model {

/// What one GPU holds of a model: heads, inner widths and vocabulary divided by the tensor-parallel
/// ranks, experts by the expert-parallel ones. Norms, latent projections and routers are on every
/// GPU. Errors: contradiction, where a size does not divide.
Checked<ModelConfig> share_of(const ModelConfig& model, const StepOptions& options,
                              std::vector<std::string>& statements);

/// The model with its matrices stored in `weights` and multiplied with `activations`, instead of
/// what the config says. Errors: bad_option.
Checked<ModelConfig> stored_as(const ModelConfig& model, const StepOptions& options,
                               std::vector<std::string>& statements);

}  // namespace roofline::model
