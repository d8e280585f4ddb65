#include "quantities/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

// Beyond any double and any sum of exponents here, so that clamping changes no result.
constexpr int kFarExponent = 100'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

std::string in_quotes(std::string_view text) {
  return '"' + shortened(printable(text.substr(0, 1000)), 60) + '"';
}

/// An exponent as written; digits past what matters are not counted.
int read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  for (const char c : text) value = std::min(kFarExponent, value * 10 + (c - '0'));
  return negative ? -value : value;
}

struct Habit {
  std::string_view sign;  ///< what the text contains
  std::string_view hint;
};
// In lower case, most telling first.
constexpr Habit kHabits[] = {
    {"nan", "a number must be finite"},
    {"inf", "a number must be finite"},
    {"0x", "write it in decimal"},
    {"0b", "write it in decimal"},
    {"0o", "write it in decimal"},
    {"_", "write the digits without separators"},
    {",", "write the digits without separators, with \".\" as the decimal point"},
    {"'", "write the digits without separators"},
    {" ", "write the digits without spaces"},
};

}  // namespace

std::size_t number_length(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const auto whole = digits_at(text, at);
  at += whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = digits_at(text, at + 1);
    if (whole + fraction > 0) at += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const auto sign =
        at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') ? std::size_t{1} : 0;
    const auto digits = digits_at(text, at + 1 + sign);
    if (digits > 0) at += 1 + sign + digits;
  }
  return at;
}

Error not_a_number(std::string_view text) {
  Error error{Code::bad_number, {}, in_quotes(text) + " is not a number", {}, {}};
  if (text.empty()) error.what = "a number is missing";
  const auto lower = lower_case(text.substr(0, 1000));
  for (const auto& habit : kHabits) {
    if (lower.find(habit.sign) == std::string::npos) continue;
    error.hint = habit.hint;
    break;
  }
  return error;
}

Result<double> to_double(std::string_view number, int power) {
  auto mantissa = number.substr(0, number.find_first_of("eE"));
  const auto exponent =
      mantissa.size() < number.size() ? read_exponent(number.substr(mantissa.size() + 1)) : 0;
  const bool negative = mantissa.starts_with('-');
  if (negative || mantissa.starts_with('+')) mantissa.remove_prefix(1);
  if (mantissa.size() > 1 && mantissa[0] == '0' && is_digit(mantissa[1])) {
    auto error = not_a_number(number);
    error.hint = "write it without leading zeros: some readers take them for octal";
    return tl::unexpected(std::move(error));
  }
  const auto scaled = std::string(mantissa) + 'e' + std::to_string(exponent + power);
  double value = 0;
  const auto result = std::from_chars(scaled.data(), scaled.data() + scaled.size(), value);
  if (result.ec == std::errc::result_out_of_range)
    return fail(Code::out_of_range, {},
                in_quotes(number) + " is too large or too small for a number");
  if (result.ec != std::errc() || result.ptr != scaled.data() + scaled.size() ||
      !std::isfinite(value))
    return tl::unexpected(not_a_number(number));
  return negative ? -value : value;
}

Result<double> parse_number(std::string_view text) {
  text = trimmed(text);
  const auto length = number_length(text);
  if (length == 0 || length != text.size()) return tl::unexpected(not_a_number(text));
  return to_double(text, 0);
}

Decimal to_decimal(double value, int significant) {
  std::array<char, 64> buffer{};
  const double magnitude = std::fabs(value);
  const auto format = std::chars_format::scientific;
  const auto end = significant > 0 ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                   magnitude, format, significant - 1)
                                   : std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                   magnitude, format);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const auto e = text.find('e');
  Decimal decimal{std::signbit(value), {}, read_exponent(text.substr(e + 1))};
  for (const char c : text.substr(0, e))
    if (c != '.') decimal.digits += c;
  decimal.digits.erase(std::max<std::size_t>(1, decimal.digits.find_last_not_of('0') + 1));
  if (decimal.digits == "0") decimal.negative = false;
  return decimal;
}

std::string fixed(const Decimal& decimal, int power) {
  const int point = decimal.exponent - power + 1;  // digits before the point
  const auto count = static_cast<int>(decimal.digits.size());
  std::string result = decimal.negative ? "-" : "";
  if (point <= 0)
    return result + "0." + std::string(static_cast<std::size_t>(-point), '0') + decimal.digits;
  if (point >= count)
    return result + decimal.digits + std::string(static_cast<std::size_t>(point - count), '0');
  const auto before = static_cast<std::size_t>(point);
  return result + decimal.digits.substr(0, before) + '.' + decimal.digits.substr(before);
}

}  // namespace roofline
