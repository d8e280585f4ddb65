#include "roofline/quantities/count.hpp"

#include <algorithm>

namespace roofline {

std::string Count::to_string() const {
  if (overflowed()) return "overflow";
  if (fits_int64()) return std::to_string(to_int64());  // a 128-bit division per digit is slow
  const bool negative = value_ < 0;
  auto rest = negative ? -static_cast<unsigned __int128>(value_) : static_cast<unsigned __int128>(value_);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {
struct Wide {
  unsigned __int128 high, low;
  friend auto operator<=>(const Wide&, const Wide&) = default;
};

Wide multiply(unsigned __int128 a, unsigned __int128 b) {
  const auto low_half = [](unsigned __int128 x) { return x & ~std::uint64_t{0}; };
  const auto a0 = low_half(a), a1 = a >> 64, b0 = low_half(b), b1 = b >> 64;
  const auto low = a0 * b0, cross0 = a0 * b1, cross1 = a1 * b0;
  const auto middle = (low >> 64) + low_half(cross0) + low_half(cross1);
  return {a1 * b1 + (cross0 >> 64) + (cross1 >> 64) + (middle >> 64), (middle << 64) | low_half(low)};
}
}  // namespace

std::strong_ordering compare_products(Count a, Count x, Count b, Count y) {
  const auto u = [](Count c) { return static_cast<unsigned __int128>(c.value()); };
  return multiply(u(a), u(x)) <=> multiply(u(b), u(y));
}

}  // namespace roofline
