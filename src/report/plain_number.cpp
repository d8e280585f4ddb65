#include "report/plain_number.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace roofline {

void append_number(std::string& out, double value) {
  constexpr double kWholeBelow = 9223372036854775808.0;  // 2^63
  std::array<char, 32> digits;
  char* const end = digits.data() + digits.size();
  const bool whole = std::abs(value) < kWholeBelow && std::trunc(value) == value;
  const auto result = whole ? std::to_chars(digits.data(), end, static_cast<long long>(value))
                            : std::to_chars(digits.data(), end, value);
  out.append(digits.data(), result.ptr);
}

void append_count(std::string& out, Count value) {
  if (!value.fits_int64()) {
    out += value.to_string();
    return;
  }
  std::array<char, 24> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value.to_int64());
  out.append(digits.data(), result.ptr);
}

}  // namespace roofline
