#include "profile/launch/small_float.hpp"

#include <bit>
#include <cmath>

namespace roofline::profile {

std::uint16_t half_bits(double value) {
  constexpr int kBias = 15, kDigits = 10;
  constexpr double kLargest = 65520;  // from here on the nearest is infinity
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const double size = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (size >= kLargest) return static_cast<std::uint16_t>(sign | 0x7c00U);
  int exponent = 0;
  std::frexp(size, &exponent);  // size = f * 2^exponent, f in [0.5, 1)
  const int power = exponent - 1 < 1 - kBias ? 1 - kBias : exponent - 1;  // subnormal below 2^-14
  const double digits = std::nearbyint(std::ldexp(size, kDigits - power));
  // A carry out of the digits raises the exponent, as it must.
  const auto bits = static_cast<std::uint32_t>(digits) +
                    (static_cast<std::uint32_t>(power + kBias - 1) << kDigits);
  return static_cast<std::uint16_t>(sign | (size == 0 ? 0U : bits));
}

std::uint16_t bfloat16_bits(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  const std::uint32_t half = 0x7fffU + (bits >> 16 & 1U);
  return static_cast<std::uint16_t>((bits + half) >> 16);
}

}  // namespace roofline::profile
