#pragma once

#include "roofline/quantities/count.hpp"

namespace roofline::op_models {

/// One axis of a convolution or pooling: output o reads input o*stride - pad + tap*dilation for
/// every tap of the kernel. Sizes are not negative; stride, dilation and kernel are at least 1.
struct SlidingWindow {
  Count in, kernel, stride = 1, pad = 0, dilation = 1;
};

/// Outputs along the axis. Negative where the kernel does not fit.
Count output_size(const SlidingWindow& window);

/// How many different inputs are read: a stride past the kernel leaves gaps.
Count touched_inputs(const SlidingWindow& window);

/// How many (output, tap) pairs read an input and not padding.
Count valid_taps(const SlidingWindow& window);

}  // namespace roofline::op_models
