#pragma once

#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// Bytes of n elements packed back to back; sub-byte types round the whole operand up. n >= 0. Unit: B.
inline Count tensor_bytes(Count n, DType dtype) { return ceil_div(n * Count(describe(dtype).bits), Count(8)); }

}  // namespace roofline
