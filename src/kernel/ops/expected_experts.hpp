#pragma once

#include "roofline/quantities/count.hpp"

namespace roofline::op_models {

/// Experts that `tokens` tokens touch when each picks `top_k` of `experts` uniformly and
/// independently: E*(1 - (1 - k/E)^T), rounded once at the end. experts >= 1, top_k <= experts. No
/// unit.
double expected_experts(Count experts, Count top_k, Count tokens);

}  // namespace roofline::op_models
