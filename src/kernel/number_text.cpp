#include "kernel/number_text.hpp"

#include <algorithm>
#include <string>

#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why, std::string hint) {
  return fail(Code::bad_number, {}, quoted(text) + " " + std::string(why), std::move(hint));
}

std::string without(std::string_view text, char unwanted) {
  std::string rest(text);
  rest.erase(std::remove(rest.begin(), rest.end(), unwanted), rest.end());
  return rest;
}

std::string without_leading_zeros(std::string_view digits) {
  const auto first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
}

/// "2.5e6" as "2500000"; empty where it is no integer or too long to be worth showing.
std::string expanded(std::string_view mantissa, std::string_view exponent) {
  if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
  if (!all_digits(exponent) || exponent.size() > 2) return {};
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
  const auto shift = static_cast<std::size_t>(std::stoi(std::string(exponent)));
  const std::string digits = without(mantissa, '.');
  if (!all_digits(digits) || shift < fraction.size() || digits.size() + shift > 30) return {};
  return without_leading_zeros(digits + std::string(shift - fraction.size(), '0'));
}

tl::unexpected<Error> refuse_exponent(std::string_view text, std::size_t e) {
  const auto mantissa = text.substr(0, e), exponent = text.substr(e + 1);
  const auto whole = expanded(mantissa, exponent);
  std::string hint = "counts are exact integers: write 1000000 or 10**6";
  if (!whole.empty() && mantissa == "1")
    hint = "write " + whole + " or 10**" + without(exponent, '+');
  else if (!whole.empty())
    hint = "write " + whole;
  return refuse(text, "is a floating-point number; a count is an integer", std::move(hint));
}

tl::unexpected<Error> refuse_fraction(std::string_view text, std::size_t point) {
  const auto whole = text.substr(0, point), fraction = text.substr(point + 1);
  if (fraction.find_first_not_of('0') == std::string_view::npos)
    return refuse(text, "is a floating-point number; a count is an integer",
                  "write " + without_leading_zeros(whole));
  std::string hint = "in an expression a fraction is written as a quotient of integers";
  if (text.size() < 20)
    hint = "in an expression write " + without_leading_zeros(without(text, '.')) + "/1" +
           std::string(fraction.size(), '0');
  return refuse(text, "is not an integer", std::move(hint));
}

tl::unexpected<Error> refuse_form(std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && letter(text[1]))
    return refuse(text, "is not a decimal number",
                  "hexadecimal, octal and binary are not read: write the decimal digits");
  if (const auto joined = without(text, '_'); joined.size() != text.size() && all_digits(joined))
    return refuse(text, "has digit separators", "write " + joined);
  const auto e = text.find_first_of("eE"), point = text.find('.');
  if (e != std::string_view::npos && all_digits(without(text.substr(0, e), '.')))
    return refuse_exponent(text, e);
  if (point != std::string_view::npos && all_digits(text.substr(0, point)) &&
      text.find_first_not_of(kDigits, point + 1) == std::string_view::npos)
    return refuse_fraction(text, point);
  const auto digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
  const auto rest = text.substr(digits.size());
  if (!digits.empty() && (letter(rest.front()) || rest.front() == '_'))
    return refuse(text, "is not a number",
                  "a product is written with *: " + std::string(digits.substr(0, 40)) + "*" +
                      std::string(rest.substr(0, 40)));
  return refuse(text, "is not a number", "a count is a decimal integer");
}

}  // namespace

std::size_t count_length(std::string_view text) {
  std::size_t n = 0;
  for (; n < text.size(); ++n) {
    const char c = text[n];
    const bool sign = (c == '+' || c == '-') && n > 0 &&
                      (text[n - 1] == 'e' || text[n - 1] == 'E') && n + 1 < text.size() &&
                      digit(text[n + 1]) && all_digits(without(text.substr(0, n - 1), '.'));
    if (!digit(c) && !letter(c) && c != '_' && c != '.' && !sign) break;
  }
  return n;
}

Result<Count> parse_count(std::string_view text) {
  if (!all_digits(text)) return refuse_form(text);
  if (text.size() > 1 && text[0] == '0')
    return refuse(text, "starts with 0",
                  "octal is not read: write " + without_leading_zeros(text).substr(0, 60));
  Count value = 0;
  for (const char c : text) {
    value = value * Count(10) + Count(c - '0');
    if (value.overflowed())
      return fail(Code::out_of_range, {}, quoted(text) + " passes 2^127",
                  "counts are exact up to 2^127");
  }
  return value;
}

}  // namespace roofline
