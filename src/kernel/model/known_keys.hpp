#pragma once

#include <string_view>

namespace roofline::model {

/// Whether a key of a config changes neither the weights nor the work of a forward pass: token ids,
/// dropout, initialisation, sampling, bookkeeping.
bool is_harmless(std::string_view key);

/// Whether a key of a config holds a part of a multimodal model that is not its language model.
bool is_other_part(std::string_view key);

}  // namespace roofline::model
