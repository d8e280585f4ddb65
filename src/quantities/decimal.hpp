#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/base/result.hpp"

namespace roofline {

/// How many bytes at the start of `text` are a decimal number: sign, digits, point, exponent. An
/// "e" belongs to the number only when digits follow, so that "5 EB" and "5eB" keep their unit.
std::size_t number_length(std::string_view text);

/// `number`, as found by number_length, times 10^`power`: the point moves before the conversion to
/// binary, so the result is the double nearest to what is written. Errors: bad_number,
/// out_of_range.
Result<double> to_double(std::string_view number, int power);

/// The error for a text that is not a decimal number, with the reason where it is a known habit.
Error not_a_number(std::string_view text);

/// A finite number as decimal digits, d.dd x 10^exponent, without trailing zeros.
struct Decimal {
  bool negative = false;
  std::string digits;  ///< at least one; "0" for zero
  int exponent = 0;    ///< of the first digit
};

/// `value` rounded to `significant` digits; with 0, the fewest digits that read back as the same
/// double.
Decimal to_decimal(double value, int significant);

/// The digits with the point where it belongs after a division by 10^`power`.
std::string fixed(const Decimal& decimal, int power);

}  // namespace roofline
