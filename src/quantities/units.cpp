#include "roofline/quantities/units.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "quantities/decimal.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

struct Prefix {
  std::string_view symbol;
  int power;  ///< of ten
};
// The only table of prefixes in the program. The first symbol of a power is the one that is
// written.
constexpr Prefix kPrefixes[] = {
    {"p", -12}, {"n", -9}, {"u", -6}, {"\u00B5", -6}, {"\u03BC", -6}, {"m", -3}, {"", 0},
    {"k", 3},   {"M", 6},  {"G", 9},  {"T", 12},      {"P", 15},      {"E", 18},
};

struct BinaryPrefix {
  std::string_view symbol;
  int power;  ///< of two
};
constexpr BinaryPrefix kBinaryPrefixes[] = {
    {"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}};

struct Unit {
  std::string_view symbol;
  Dimension dimension;
  int lowest, highest;  ///< powers of ten of the prefixes it takes
  bool binary;          ///< takes Ki, Mi ... as well
  double factor = 1;    ///< one of it is factor x 10^power base units
  int power = 0;
};
constexpr Unit kUnits[] = {
    {"s", Dimension::time, -12, 0, false},        {"min", Dimension::time, 0, 0, false, 60},
    {"h", Dimension::time, 0, 0, false, 3600},    {"B", Dimension::bytes, 0, 18, true},
    {"B/s", Dimension::byte_rate, 0, 18, true},   {"FLOP/s", Dimension::flop_rate, 0, 18, false},
    {"OP/s", Dimension::op_rate, 0, 18, false},   {"op/s", Dimension::op_rate, 0, 18, false},
    {"Hz", Dimension::frequency, 0, 12, false},   {"W", Dimension::power, -3, 9, false},
    {"bit/s", Dimension::bit_rate, 0, 15, false}, {"bit", Dimension::bits, 0, 0, false},
    {"%", Dimension::ratio, 0, 0, false, 1, -2},  {"x", Dimension::ratio, 0, 0, false},
    {"FLOP", Dimension::flops, 0, 18, false},     {"FLOP/B", Dimension::intensity, 0, 0, false},
};

struct DimensionEntry {
  Dimension dimension;
  std::string_view name;
  std::string_view examples[3];  ///< units to suggest, the likeliest first
};
constexpr DimensionEntry kDimensions[] = {
    {Dimension::time, "time", {"us", "ms", "s"}},
    {Dimension::bytes, "bytes", {"MB", "GB", "MiB"}},
    {Dimension::byte_rate, "bytes per second", {"GB/s", "TB/s", "B/s"}},
    {Dimension::flop_rate,
     "floating-point operations per second",
     {"GFLOP/s", "TFLOP/s", "PFLOP/s"}},
    {Dimension::op_rate, "operations per second", {"GOP/s", "TOP/s", "POP/s"}},
    {Dimension::frequency, "frequency", {"MHz", "GHz", "Hz"}},
    {Dimension::power, "power", {"W", "mW", "kW"}},
    {Dimension::bit_rate, "bits per second", {"Gbit/s", "Mbit/s", "Tbit/s"}},
    {Dimension::bits, "bits", {"bit"}},
    {Dimension::ratio, "a ratio", {"%", "x"}},
    {Dimension::flops, "floating-point operations", {"GFLOP", "TFLOP", "MFLOP"}},
    {Dimension::intensity, "operations per byte", {"FLOP/B"}},
};

const DimensionEntry& describe(Dimension dimension) {
  return kDimensions[static_cast<std::size_t>(dimension)];
}

/// A unit with its prefix resolved.
struct Scale {
  const Unit* unit;
  int ten, two;  ///< powers
};

std::optional<int> decimal_power(const Unit& unit, std::string_view prefix) {
  if (prefix == "K" && unit.binary) prefix = "k";  // KB is common, and no other unit starts so
  for (const auto& entry : kPrefixes)
    if (entry.symbol == prefix && entry.power >= unit.lowest && entry.power <= unit.highest)
      return entry.power;
  return std::nullopt;
}

std::optional<Scale> find_scale(std::string_view text) {
  for (const auto& unit : kUnits) {
    if (!text.ends_with(unit.symbol)) continue;
    const auto prefix = text.substr(0, text.size() - unit.symbol.size());
    if (const auto ten = decimal_power(unit, prefix)) return Scale{&unit, *ten + unit.power, 0};
    const auto* binary = std::find_if(std::begin(kBinaryPrefixes), std::end(kBinaryPrefixes),
                                      [&](const BinaryPrefix& p) { return p.symbol == prefix; });
    if (unit.binary && binary != std::end(kBinaryPrefixes)) return Scale{&unit, 0, binary->power};
  }
  return std::nullopt;
}

/// Every way to write a unit of `dimension`, the usual ones first.
std::vector<std::string> spellings(Dimension dimension) {
  const auto& entry = describe(dimension);
  std::vector<std::string> result(std::begin(entry.examples), std::end(entry.examples));
  for (const auto& unit : kUnits) {
    if (unit.dimension != dimension) continue;
    for (const auto& prefix : kPrefixes)
      if (prefix.power >= unit.lowest && prefix.power <= unit.highest)
        result.push_back(std::string(prefix.symbol) + std::string(unit.symbol));
    for (const auto& prefix : kBinaryPrefixes)
      if (unit.binary) result.push_back(std::string(prefix.symbol) + std::string(unit.symbol));
  }
  return result;
}

struct Habit {
  std::string_view ending;  ///< in lower case
  std::string_view unit;    ///< what is meant
};
constexpr Habit kHabits[] = {
    {"flop/s", "FLOP/s"}, {"flops/s", "FLOP/s"}, {"flops", "FLOP/s"}, {"flop", "FLOP/s"},
    {"op/s", "OP/s"},     {"ops/s", "OP/s"},     {"ops", "OP/s"},     {"bytes/s", "B/s"},
    {"bytes", "B"},       {"byte", "B"},         {"sec", "s"},        {"seconds", "s"},
    {"bits/s", "bit/s"},  {"bits", "bit"},       {"watts", "W"},
};

/// A small b is a bit to some and a byte to others: "Gb/s", "Mbps".
std::string small_b_hint(std::string_view given) {
  for (const std::string_view ending : {"b/s", "bps"}) {
    if (!given.ends_with(ending)) continue;
    const std::string prefix(given.substr(0, given.size() - ending.size()));
    const auto bytes = prefix + "B/s", bits = prefix + "bit/s";
    if (!find_scale(bits)) continue;
    std::string hint = "write ";
    return hint.append(bytes).append(" for bytes or ").append(bits).append(" for bits");
  }
  return {};
}

/// What was probably meant by a unit that does not exist; may be empty.
std::string unit_hint(std::string_view given, Dimension dimension) {
  constexpr std::size_t kLongest = 20;
  if (given.size() > kLongest) return {};
  if (auto hint = small_b_hint(given); !hint.empty()) return hint;
  const auto known = spellings(dimension);
  const auto same = [&](std::string_view wanted) -> std::string {
    for (const auto& spelling : known)
      if (lower_case(spelling) == wanted) return spelling;
    return {};
  };
  const auto lower = lower_case(given);
  for (const auto& habit : kHabits) {
    if (!lower.ends_with(habit.ending)) continue;
    const auto meant =
        same(lower.substr(0, lower.size() - habit.ending.size()) + lower_case(habit.unit));
    if (!meant.empty()) return "write " + meant;
  }
  if (const auto meant = same(lower); !meant.empty()) return "did you mean \"" + meant + "\"?";
  const std::vector<std::string_view> names(known.begin(), known.end());
  return did_you_mean(given, names);
}

/// "us, ms or s"; with a number "2.1 us, 2.1 ms or 2.1 s".
std::string usual_units(Dimension dimension, const std::string& number = {}) {
  std::vector<std::string> words;
  for (const auto unit : describe(dimension).examples)
    if (!unit.empty()) words.push_back(number + (number.empty() ? "" : " ") + std::string(unit));
  std::string result = words[0];
  for (std::size_t i = 1; i < words.size(); ++i)
    result += (i + 1 == words.size() ? " or " : ", ") + words[i];
  return result;
}

std::string in_quotes(std::string_view text) {
  return '"' + shortened(printable(text.substr(0, 1000)), 60) + '"';
}

tl::unexpected<Error> needs_unit(std::string_view number, Dimension dimension) {
  return fail(Code::needs_unit, {}, in_quotes(number) + " needs a unit",
              "write " + usual_units(dimension, shortened(number, 30)));
}

tl::unexpected<Error> wrong_unit(std::string_view given, Dimension dimension) {
  const auto wanted = std::string(describe(dimension).name);
  if (const auto scale = find_scale(given))
    return fail(Code::wrong_unit, {},
                in_quotes(given) + " measures " +
                    std::string(describe(scale->unit->dimension).name) + ", not " + wanted,
                "write it in " + usual_units(dimension));
  auto hint = unit_hint(given, dimension);
  if (hint.empty()) hint = "write it in " + usual_units(dimension);
  return fail(Code::wrong_unit, {}, in_quotes(given) + " is not a unit of " + wanted,
              std::move(hint));
}

/// What format_quantity may put before a unit. Of units that nobody parses only the counts take
/// prefixes.
struct Span {
  int lowest, highest;
};
Span prefix_span(std::string_view unit) {
  for (const auto& entry : kUnits)
    if (entry.symbol == unit) return {entry.lowest, entry.highest};
  constexpr std::string_view kCounted[] = {"FLOP", "OP", "op"};
  const bool counted =
      std::find(std::begin(kCounted), std::end(kCounted), unit) != std::end(kCounted);
  return counted || unit.ends_with("/s") ? Span{0, 18} : Span{0, 0};
}

const Prefix& prefix_for(int exponent, Span span) {
  const int steps = exponent >= 0 ? exponent / 3 : (exponent - 2) / 3;
  const int power = std::clamp(3 * steps, span.lowest, span.highest);
  return *std::find_if(std::begin(kPrefixes), std::end(kPrefixes),
                       [&](const Prefix& p) { return p.power == power; });
}

std::string with_unit(std::string number, std::string_view prefix, std::string_view unit) {
  if (unit.empty()) return number;
  return std::move(number) + ' ' + std::string(prefix) + std::string(unit);
}

/// A space between groups of three digits before the point, from five digits on.
std::string grouped(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const auto end = std::min(text.find('.'), text.size());
  if (end - first < 5) return text;
  for (std::size_t at = end; at > first + 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

constexpr int kSignificant = 4;

std::string scientific(const Decimal& decimal) {
  std::string result = decimal.negative ? "-" : "";
  result += decimal.digits.substr(0, 1);
  if (decimal.digits.size() > 1) result += '.' + decimal.digits.substr(1);
  return result + 'e' + std::to_string(decimal.exponent);
}

std::string not_finite(double value) {
  return std::isnan(value) ? "not a number" : value < 0 ? "-infinite" : "infinite";
}

}  // namespace

Result<double> parse_quantity(std::string_view text, Dimension dimension) {
  text = trimmed(text);
  const auto length = number_length(text);
  if (length == 0) {
    auto error = not_a_number(text);
    if (error.hint.empty())
      error.hint =
          "write a number and a unit, as in 5 " + std::string(describe(dimension).examples[0]);
    return tl::unexpected(std::move(error));
  }
  const auto number = text.substr(0, length);
  const auto unit = trimmed(text.substr(length));
  // What goes on with digits is a number in a foreign notation, not a unit.
  if (!unit.empty() && std::string_view("0123456789._,'+-").find(unit[0]) != std::string_view::npos)
    return tl::unexpected(not_a_number(text));
  if (number == "0" && text.size() > 1 &&
      std::string_view("xXbBoO").find(text[1]) != std::string_view::npos && !find_scale(unit))
    return tl::unexpected(not_a_number(text));
  if (unit.empty() && dimension != Dimension::ratio) {
    if (auto plain = to_double(number, 0); !plain) return plain;
    return needs_unit(number, dimension);
  }
  const auto scale = unit.empty() ? find_scale("x") : find_scale(unit);
  if (!scale || scale->unit->dimension != dimension) return wrong_unit(unit, dimension);
  auto value = to_double(number, scale->ten);
  if (!value) return value;
  const double result = std::ldexp(*value * scale->unit->factor, scale->two) + 0.0;  // -0 becomes 0
  if (result < 0) return fail(Code::out_of_range, {}, in_quotes(text) + " is negative");
  if (!std::isfinite(result))
    return fail(Code::out_of_range, {}, in_quotes(text) + " is too large");
  return result;
}

std::string format_quantity(double value, std::string_view unit) {
  if (!std::isfinite(value)) return with_unit(not_finite(value), "", unit);
  const auto decimal = to_decimal(value, kSignificant);
  const auto& prefix = prefix_for(decimal.digits == "0" ? 0 : decimal.exponent, prefix_span(unit));
  const int left = decimal.exponent - prefix.power;
  // Within a prefix at most three digits stand before the point; past the last prefix it is a plain
  // number.
  if (left >= 0 && left < 3) return with_unit(fixed(decimal, prefix.power), prefix.symbol, unit);
  return with_unit(format_number(value / std::pow(10.0, prefix.power)), prefix.symbol, unit);
}

std::string format_seconds(Seconds time) { return format_quantity(time.value(), "s"); }
std::string format_bytes(double bytes) { return format_quantity(bytes, "B"); }

std::string format_capacity(double bytes) {
  if (!std::isfinite(bytes)) return with_unit(not_finite(bytes), "", "B");
  const auto rounded = [](double scaled) { return fixed(to_decimal(scaled, kSignificant), 0); };
  constexpr double kNext = 1024;
  std::string_view symbol;
  double scaled = bytes;
  for (const auto& prefix : kBinaryPrefixes) {
    // Compared as it will be read: 1023.99 is shown as 1024, which is 1 of the next.
    if (std::fabs(scaled) < kNext && rounded(scaled) != "1024") break;
    scaled = std::ldexp(bytes, -prefix.power);
    symbol = prefix.symbol;
  }
  return with_unit(format_number(scaled), symbol, "B");
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  constexpr double kLargeWhole = 1e15;  // a double has no more digits before the point
  constexpr int kSmall = -6;            // nor are more zeros after it worth showing
  const auto decimal = to_decimal(value, kSignificant);
  if (decimal.digits == "0") return "0";
  if (std::fabs(value) >= kLargeWhole || decimal.exponent < kSmall) return scientific(decimal);
  if (decimal.exponent < kSignificant) return grouped(fixed(decimal, 0));
  // More than four digits before the point: whole numbers, all of whose digits are shown.
  return grouped(fixed(to_decimal(std::round(value), 0), 0));
}

std::string exact_quantity(double value, std::string_view unit) {
  if (!std::isfinite(value)) return with_unit(not_finite(value), "", unit);
  const auto decimal = to_decimal(value, 0);
  constexpr int kFar = 24;
  if (std::abs(decimal.exponent) > kFar) return with_unit(scientific(decimal), "", unit);
  const auto& prefix = prefix_for(decimal.digits == "0" ? 0 : decimal.exponent, prefix_span(unit));
  return with_unit(fixed(decimal, prefix.power), prefix.symbol, unit);
}

}  // namespace roofline
