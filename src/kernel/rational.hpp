#pragma once

#include <optional>
#include <string>

#include "roofline/quantities/count.hpp"

namespace roofline {

/// An exact fraction in lowest terms, den > 0. Past 127 bits in either part it is overflowed, and
/// stays so.
struct Rational {
  Count num = 0, den = 1;

  bool overflowed() const { return num.overflowed(); }
  bool integral() const { return den == Count(1); }
  std::string to_string() const;  ///< "7/2", "4"
};

Rational operator+(Rational a, Rational b);
Rational operator-(Rational a, Rational b);
Rational operator*(Rational a, Rational b);
Rational operator/(Rational a, Rational b);  ///< b is not 0
bool operator<(Rational a,
               Rational b);  ///< neither overflowed; exact, also where a product would overflow

Count floor(Rational a);  ///< towards minus infinity
Count ceil(Rational a);

/// base ** exponent. 0 ** 0 is 1; 0 to a negative power is for the caller to refuse.
Rational power(Rational base, Count exponent);

/// Largest e with 2^e <= a. a > 0.
int floor_log2(Rational a);
/// e where a is 2^e exactly. a > 0.
std::optional<int> exact_log2(Rational a);

}  // namespace roofline
