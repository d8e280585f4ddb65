#pragma once

#include "roofline/quantities/count.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline {

/// Bytes of n elements packed back to back; sub-byte types round the whole operand up. n >= 0. Unit: B.
inline Count tensor_bytes(Count n, DType dtype) {
  const int bits = describe(dtype).bits;
  // Whole bytes skip the 128-bit division: this runs for every operand of every point of a sweep.
  return bits % 8 == 0 ? n * Count(bits / 8) : ceil_div(n * Count(bits), Count(8));
}

}  // namespace roofline
