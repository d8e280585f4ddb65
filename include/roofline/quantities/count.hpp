#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace roofline {

/// An exact integer of up to 127 bits. A result past that range becomes "overflowed" and stays so through every
/// later operation, so that a formula is written without a check and asked once at its end. Shapes multiply fast:
/// 2 * 2^21 * 2^21 * 2^21 is 2^64, which wraps to zero in 64 bits.
class Count {
 public:
  constexpr Count() = default;
  constexpr Count(int value) : value_(value) {}            // NOLINT: counts mix with literals
  constexpr Count(long value) : value_(value) {}           // NOLINT
  constexpr Count(long long value) : value_(value) {}      // NOLINT
  constexpr Count(unsigned value) : value_(value) {}       // NOLINT
  constexpr Count(unsigned long value) : value_(value) {}  // NOLINT
  static constexpr Count from_int128(__int128 value) {
    Count c;
    c.value_ = value;
    return c;
  }
  static constexpr Count overflow() { return from_int128(kOverflow); }

  constexpr bool overflowed() const { return value_ == kOverflow; }
  constexpr __int128 value() const { return value_; }
  double to_double() const { return static_cast<double>(value_); }
  bool fits_int64() const { return !overflowed() && value_ >= INT64_MIN && value_ <= INT64_MAX; }
  std::int64_t to_int64() const { return static_cast<std::int64_t>(value_); }  ///< only where fits_int64()
  std::string to_string() const;  ///< decimal

  friend constexpr Count operator+(Count a, Count b) {
    __int128 r = 0;
    return bad(a, b) || __builtin_add_overflow(a.value_, b.value_, &r) ? overflow() : from_int128(r);
  }
  friend constexpr Count operator-(Count a, Count b) {
    __int128 r = 0;
    return bad(a, b) || __builtin_sub_overflow(a.value_, b.value_, &r) ? overflow() : from_int128(r);
  }
  friend constexpr Count operator*(Count a, Count b) {
    __int128 r = 0;
    return bad(a, b) || __builtin_mul_overflow(a.value_, b.value_, &r) ? overflow() : from_int128(r);
  }
  Count& operator+=(Count b) { return *this = *this + b; }
  Count& operator-=(Count b) { return *this = *this - b; }
  Count& operator*=(Count b) { return *this = *this * b; }
  friend constexpr bool operator==(Count a, Count b) { return a.value_ == b.value_; }
  friend constexpr auto operator<=>(Count a, Count b) { return a.value_ <=> b.value_; }

 private:
  static constexpr __int128 kOverflow = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
  static constexpr bool bad(Count a, Count b) { return a.overflowed() || b.overflowed(); }
  __int128 value_ = 0;
};

/// Quotient rounded up, and down (towards minus infinity, as in Python). b != 0.
constexpr Count floor_div(Count a, Count b) {
  if (a.overflowed() || b.overflowed() || b == Count(0)) return Count::overflow();
  const __int128 q = a.value() / b.value(), r = a.value() % b.value();
  return Count::from_int128(r != 0 && (r < 0) != (b.value() < 0) ? q - 1 : q);
}
constexpr Count ceil_div(Count a, Count b) { return Count(0) - floor_div(Count(0) - a, b); }
constexpr Count max(Count a, Count b) { return a.overflowed() || b.overflowed() ? Count::overflow() : a < b ? b : a; }
constexpr Count min(Count a, Count b) { return a.overflowed() || b.overflowed() ? Count::overflow() : b < a ? b : a; }

/// a * x <=> b * y, exactly (up to 255 bits). All non-negative, none overflowed.
/// This is how an intensity is held against a ridge: flops * bandwidth <=> bytes * peak, without a rounded quotient.
std::strong_ordering compare_products(Count a, Count x, Count b, Count y);

}  // namespace roofline
