#include "ingest/decimal_sign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool looks_like_number(std::string_view text) {
  return !text.empty() && is_digit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || c == '.' || c == ',' || c == '-' || c == '+';
         });
}

/// Whether a sign that stands once can only be a decimal one, by the digits around it.
bool only_decimal(std::string_view text, std::size_t at) {
  const auto first = text.find_first_of("0123456789");
  const auto before = at - std::min(first, at);
  const auto after = text.size() - at - 1;
  return after != 3 || before == 0 || before > 3 || (before == 1 && text[at - 1] == '0');
}

Location place(const std::string& file, int line, int column) {
  return {file, line, column, 1, {}, 0};
}

}  // namespace

void DecimalSign::observe(std::string_view number, int line, int column) {
  const auto text = trimmed(number);
  if (!looks_like_number(text)) return;
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto commas = std::count(text.begin(), text.end(), ',');
  if (points + commas == 0) return;
  auto* slot = &ambiguous_;
  if (points > 0 && commas > 0)
    slot = text.rfind('.') > text.rfind(',') ? &point_ : &comma_;
  else if (points > 1)
    slot = &comma_;
  else if (commas > 1)
    slot = &point_;
  else if (const auto at = text.find_first_of(".,"); only_decimal(text, at))
    slot = text[at] == '.' ? &point_ : &comma_;
  if (!*slot) *slot = Seen{std::string(text), line, column};
}

Result<char> DecimalSign::settle(std::optional<char> said, const std::string& file) const {
  if (point_ && comma_)
    return fail(Code::bad_number, place(file, comma_->line, comma_->column),
                fmt::format("{} has a decimal comma, {} in line {} a decimal point", comma_->number,
                            point_->number, point_->line),
                "numbers of two locales in one file: none of its times can be trusted");
  const auto& against = said == '.' ? comma_ : point_;
  if (said && against)
    return fail(
        Code::bad_number, place(file, against->line, against->column),
        fmt::format("{} is no number with a decimal {}", against->number,
                    *said == '.' ? "point" : "comma"),
        fmt::format("leave --decimal out, or say --decimal {}", *said == '.' ? "comma" : "point"));
  if (said) return *said;
  if (comma_) return ',';
  if (point_ || !ambiguous_) return '.';
  return fail(Code::bad_number, place(file, ambiguous_->line, ambiguous_->column),
              fmt::format("{} can be read in two ways, and no number of the file settles which",
                          ambiguous_->number),
              "say --decimal point (its comma groups thousands) or --decimal comma");
}

std::optional<double> read_number(std::string_view text, char decimal) {
  text = trimmed(text);
  if (const auto list = text.find(" ("); list != std::string_view::npos)
    text = text.substr(0, list);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == decimal) {
      plain += '.';
    } else if (c == '.' || c == ',' || c == '\'' || c == ' ') {
      continue;
    } else if (text.substr(i).starts_with("\xc2\xa0")) {
      i += 1;
    } else if (text.substr(i).starts_with("\xe2\x80\xaf")) {
      i += 2;
    } else {
      plain += c;
    }
  }
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0;
  const auto* end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, value);
  if (plain.empty() || read.ec != std::errc() || read.ptr != end || !(value - value == 0))
    return std::nullopt;
  return value;
}

}  // namespace roofline
