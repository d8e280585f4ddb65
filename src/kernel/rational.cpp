#include "kernel/rational.hpp"

#include <bit>
#include <compare>
#include <cstdint>

namespace roofline {
namespace {

using Wide = unsigned __int128;

constexpr Rational kOverflow{Count::overflow(), 1};

Wide magnitude(Count a) {
  return a.value() < 0 ? Wide{0} - static_cast<Wide>(a.value()) : static_cast<Wide>(a.value());
}

Count gcd(Count a, Count b) {
  Wide x = magnitude(a), y = magnitude(b);
  while (y != 0) {
    const Wide r = x % y;
    x = y;
    y = r;
  }
  return Count::from_int128(static_cast<__int128>(x));
}

Count exact_quotient(Count a, Count b) { return Count::from_int128(a.value() / b.value()); }

Rational checked(Count num, Count den) {
  return num.overflowed() || den.overflowed() ? kOverflow : Rational{num, den};
}

Rational reduced(Count num, Count den) {
  if (num.overflowed() || den.overflowed()) return kOverflow;
  const Count g = gcd(num, den);
  return {exact_quotient(num, g), exact_quotient(den, g)};
}

int bit_length(Wide a) {
  const auto high = static_cast<std::uint64_t>(a >> 64), low = static_cast<std::uint64_t>(a);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

/// Numerators over the least common denominator, so that a sum overflows no earlier than its result
/// must.
Rational sum(Rational a, Rational b, Count sign) {
  if (a.overflowed() || b.overflowed()) return kOverflow;
  if (a.integral() && b.integral()) return checked(a.num + sign * b.num, 1);
  const Count g = gcd(a.den, b.den);
  const Count scale_a = exact_quotient(b.den, g), scale_b = exact_quotient(a.den, g);
  return reduced(a.num * scale_a + sign * b.num * scale_b, a.den * scale_a);
}

}  // namespace

std::string Rational::to_string() const {
  return integral() ? num.to_string() : num.to_string() + "/" + den.to_string();
}

Rational operator+(Rational a, Rational b) { return sum(a, b, 1); }
Rational operator-(Rational a, Rational b) { return sum(a, b, -1); }

Rational operator*(Rational a, Rational b) {
  if (a.overflowed() || b.overflowed()) return kOverflow;
  if (a.integral() && b.integral()) return checked(a.num * b.num, 1);
  const Count g = gcd(a.num, b.den),
              h = gcd(b.num, a.den);  // reduced first: the product may fit only then
  return checked(exact_quotient(a.num, g) * exact_quotient(b.num, h),
                 exact_quotient(a.den, h) * exact_quotient(b.den, g));
}

Rational operator/(Rational a, Rational b) {
  if (a.overflowed() || b.overflowed()) return kOverflow;
  return b.num < Count(0) ? a * Rational{Count(0) - b.den, Count(0) - b.num}
                          : a * Rational{b.den, b.num};
}

bool operator<(Rational a, Rational b) {
  if (a.den == b.den) return a.num < b.num;
  const bool negative_a = a.num < Count(0), negative_b = b.num < Count(0);
  if (negative_a != negative_b) return negative_a;
  if (!negative_a) return compare_products(a.num, b.den, b.num, a.den) < 0;
  return compare_products(Count(0) - b.num, a.den, Count(0) - a.num, b.den) < 0;
}

Count floor(Rational a) {
  return a.overflowed() ? Count::overflow() : a.integral() ? a.num : floor_div(a.num, a.den);
}
Count ceil(Rational a) {
  return a.overflowed() ? Count::overflow() : a.integral() ? a.num : ceil_div(a.num, a.den);
}

Rational power(Rational base, Count exponent) {
  if (base.overflowed() || exponent.overflowed()) return kOverflow;
  if (exponent < Count(0)) return power(Rational{1, 1} / base, Count(0) - exponent);
  Rational result{1, 1};
  for (__int128 left = exponent.value(); left != 0;
       left >>= 1) {  // at most 127 rounds whatever the exponent
    if (left & 1) result = result * base;
    if (left > 1) base = base * base;
    if (result.overflowed()) break;
  }
  return result;
}

int floor_log2(Rational a) {
  const Wide p = magnitude(a.num), q = magnitude(a.den);
  const int e = bit_length(p) - bit_length(q);
  const bool reached = e >= 0 ? (p >> e) >= q : (p << -e) >= q;
  return reached ? e : e - 1;
}

std::optional<int> exact_log2(Rational a) {
  const auto one_bit = [](Wide v) { return (v & (v - 1)) == 0; };
  if (!one_bit(magnitude(a.num)) || !one_bit(magnitude(a.den))) return std::nullopt;
  return floor_log2(a);
}

}  // namespace roofline
