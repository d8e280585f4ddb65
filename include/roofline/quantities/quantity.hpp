#pragma once

#include <compare>

namespace roofline {

/// A double that carries its dimension FLOP^F x byte^B x second^S, so that a wrong division does not compile.
/// Unwrapped with value() only where numbers leave the program (report/) or meet a table of facts.
template <int F, int B, int S>
class Quantity {
 public:
  constexpr Quantity() = default;
  explicit constexpr Quantity(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  constexpr Quantity operator-() const { return Quantity(-value_); }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.value_ / b); }
  Quantity& operator+=(Quantity b) { return *this = *this + b; }
  friend constexpr auto operator<=>(Quantity a, Quantity b) = default;

 private:
  double value_ = 0;
};

template <int F, int B, int S, int G, int C, int T>
constexpr auto operator*(Quantity<F, B, S> a, Quantity<G, C, T> b) {
  return Quantity<F + G, B + C, S + T>(a.value() * b.value());
}
template <int F, int B, int S, int G, int C, int T>
constexpr auto operator/(Quantity<F, B, S> a, Quantity<G, C, T> b) {
  return Quantity<F - G, B - C, S - T>(a.value() / b.value());
}
template <int F, int B, int S>
constexpr double operator/(Quantity<F, B, S> a, Quantity<F, B, S> b) {
  return a.value() / b.value();
}

using Flops = Quantity<1, 0, 0>;       ///< FLOP: a count; also special-function and integer operations
using Bytes = Quantity<0, 1, 0>;       ///< B
using Seconds = Quantity<0, 0, 1>;     ///< s
using FlopRate = Quantity<1, 0, -1>;   ///< FLOP/s
using ByteRate = Quantity<0, 1, -1>;   ///< B/s
using Intensity = Quantity<1, -1, 0>;  ///< FLOP/B
using Hertz = Quantity<0, 0, -1>;      ///< 1/s

}  // namespace roofline
