#pragma once

#include <cstdint>

namespace roofline::profile {

/// IEEE 754 binary16, rounded to nearest even; values beyond its range become infinity.
std::uint16_t half_bits(double value);
/// bfloat16: the upper half of a binary32, rounded to nearest even.
std::uint16_t bfloat16_bits(double value);

}  // namespace roofline::profile
