#include "report/audit/cell.hpp"

#include <charconv>
#include <cmath>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::audit_rows {
namespace {

std::optional<double> plain_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool only_digits_and(std::string_view text, char extra) {
  bool digit = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digit = true;
    else if (c != extra && c != '-' && c != '+' && c != '.') return false;
  }
  return digit;
}

/// The number in front of a unit: "12,5" of "12,5 us".
std::string_view number_part(std::string_view text) { return text.substr(0, text.find_first_not_of("0123456789+-.,eE")); }

bool has_decimal_comma(std::string_view text) {
  const auto number = number_part(text);
  return number.find(',') != std::string_view::npos && only_digits_and(number, ',');
}

/// A list in brackets, of counts or of such lists; `text` moves behind it.
std::optional<Value> read_list(std::string_view& text, int depth) {
  const auto skip_blanks = [&] {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  };
  if (depth > 2 || !text.starts_with('[')) return std::nullopt;
  text.remove_prefix(1);
  ValueList list;
  skip_blanks();
  while (!text.empty() && text.front() != ']') {
    if (text.front() == '[') {
      auto inner = read_list(text, depth + 1);
      if (!inner) return std::nullopt;
      list.push_back(std::move(*inner));
    } else {
      const auto stop = text.find_first_of(",]");
      if (stop == std::string_view::npos) return std::nullopt;
      const auto count = read_count(trimmed(text.substr(0, stop)));
      if (!count) return std::nullopt;
      list.emplace_back().data = *count;  // in place: GCC 12 warns about the moved-from temporary
      text.remove_prefix(stop);
    }
    skip_blanks();
    if (text.starts_with(',')) text.remove_prefix(1), skip_blanks();
  }
  if (!text.starts_with(']')) return std::nullopt;
  text.remove_prefix(1);
  return Value{std::move(list)};
}

std::optional<Value> read_whole_list(std::string_view text) {
  auto list = read_list(text, 1);
  return trimmed(text).empty() ? list : std::nullopt;
}

std::optional<Value> read_flag(std::string_view text) {
  if (text == "true" || text == "1") return Value{true};
  if (text == "false" || text == "0") return Value{false};
  return std::nullopt;
}

}  // namespace

std::optional<Count> read_count(std::string_view text) {
  constexpr std::size_t kMostDigits = 38;
  if (text.empty()) return std::nullopt;
  Count value = 0;
  bool digits = text.size() <= kMostDigits;
  for (std::size_t i = 0; i < text.size() && digits; ++i) {
    digits = text[i] >= '0' && text[i] <= '9';
    if (digits) value = value * 10 + (text[i] - '0');
  }
  if (digits) return value.overflowed() ? std::nullopt : std::optional(value);
  const auto decimal = plain_double(text);
  constexpr double kExact = 9007199254740992.0;
  if (!decimal || !std::isfinite(*decimal) || *decimal < 0 || *decimal > kExact || std::floor(*decimal) != *decimal) return std::nullopt;
  return Count(static_cast<long long>(*decimal));
}

tl::expected<double, SkipReason> read_decimal(std::string_view text) {
  const auto value = plain_double(text);
  if (value && std::isfinite(*value)) return *value;
  if (!value && has_decimal_comma(text)) return tl::unexpected(SkipReason::decimal_comma);
  return tl::unexpected(SkipReason::time_not_a_number);
}

tl::expected<Seconds, SkipReason> read_time(std::string_view text, std::optional<double> unit) {
  if (text.empty()) return tl::unexpected(SkipReason::time_missing);
  double seconds = 0;
  if (unit) {
    const auto value = read_decimal(text);
    if (!value) return tl::unexpected(value.error());
    seconds = *value * *unit;
  } else {
    if (has_decimal_comma(text)) return tl::unexpected(SkipReason::decimal_comma);
    const auto value = parse_quantity(text, Dimension::time);
    if (!value)
      return tl::unexpected(value.error().code == Code::needs_unit ? SkipReason::time_without_unit
                                                                   : SkipReason::time_not_a_number);
    seconds = *value;
  }
  if (!(seconds > 0)) return tl::unexpected(SkipReason::time_not_positive);
  return Seconds(seconds);
}

std::optional<Value> read_value(const ParamSpec& spec, std::string_view text) {
  switch (spec.type) {
    case ParamType::count: {
      const auto count = text == "-1" && spec.minimum < Count(0) ? std::optional(Count(-1)) : read_count(text);
      if (!count || *count < spec.minimum) return std::nullopt;
      return Value{*count};
    }
    case ParamType::number: {
      const auto number = plain_double(text);
      if (!number || !std::isfinite(*number)) return std::nullopt;
      return Value{*number};
    }
    case ParamType::flag: return read_flag(text);
    case ParamType::choice:
      for (const auto choice : spec.choices)
        if (choice == text) return Value{std::string(text)};
      return std::nullopt;
    case ParamType::counts:
    case ParamType::count_lists: return read_whole_list(text);
    default: return std::nullopt;  // what only a description in YAML can say
  }
}

}  // namespace roofline::audit_rows
