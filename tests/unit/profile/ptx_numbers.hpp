#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// What bits mean in PTX's types, written apart from the program's own conversions.
namespace roofline::testing {

inline double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double digits = bits & 1023;
  const double size =
      exponent ? std::ldexp(1 + digits / 1024, exponent - 15) : std::ldexp(digits / 1024, -14);
  return bits >> 15 ? -size : size;
}
inline double brain(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
inline double e4m3(unsigned char bits) {
  const int exponent = bits >> 3 & 15;
  const double digits = bits & 7;
  const double size =
      exponent ? std::ldexp(1 + digits / 8, exponent - 7) : std::ldexp(digits / 8, -6);
  return bits >> 7 ? -size : size;
}
/// e2m1 and e2m3 by their tables of magnitudes (OCP Microscaling Formats, sections 5.3.2
/// and 5.3.3).
inline double e2m1(unsigned bits) {
  constexpr double kSizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return bits & 8 ? -kSizes[bits & 7] : kSizes[bits & 7];
}
inline double e2m3(unsigned bits) {
  constexpr double kSteps[] = {0.125, 0.125, 0.25, 0.5}, kFrom[] = {0, 1, 2, 4};
  const unsigned exponent = bits >> 3 & 3;
  const double size = kFrom[exponent] + (bits & 7) * kSteps[exponent];
  return bits & 32 ? -size : size;
}

/// The elements of a packed register.
inline std::vector<double> elements(std::uint64_t bits, const std::string& type) {
  const auto at = [&](int index, int width) { return bits >> (index * width); };
  if (type == "f64") return {std::bit_cast<double>(bits)};
  if (type == "tf32") return {std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u)};
  if (type == "f16")
    return {half(static_cast<std::uint16_t>(at(0, 16))),
            half(static_cast<std::uint16_t>(at(1, 16)))};
  if (type == "bf16")
    return {brain(static_cast<std::uint16_t>(at(0, 16))),
            brain(static_cast<std::uint16_t>(at(1, 16)))};
  std::vector<double> list;
  for (int i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(at(i, 8));
    list.push_back(type == "s8" ? static_cast<signed char>(byte) : e4m3(byte));
  }
  return list;
}

/// The numbers in 16 bytes: packed tightly, but that 16 of 6 bits have 4 bytes of nothing behind.
inline std::vector<double> chunk_elements(const unsigned char* chunk, const std::string& type) {
  std::vector<double> values;
  if (type == "e2m1" || type == "e2m3") {
    const unsigned width = type == "e2m1" ? 4 : 6, count = type == "e2m1" ? 32 : 16;
    for (unsigned index = 0; index < count; ++index) {
      unsigned bits = 0;
      for (unsigned bit = 0; bit < width; ++bit) {
        const unsigned at = index * width + bit;
        bits |= (chunk[at / 8] >> (at % 8) & 1U) << bit;
      }
      values.push_back(width == 4 ? e2m1(bits) : e2m3(bits));
    }
    return values;
  }
  for (unsigned byte = 0; byte < 16; byte += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, chunk + byte, 4);
    for (const double x : elements(word, type)) values.push_back(x);
  }
  return values;
}

}  // namespace roofline::testing
