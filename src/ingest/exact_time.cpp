#include "ingest/exact_time.hpp"

#include <limits>
#include <utility>

#include "roofline/base/text.hpp"

namespace roofline {

std::optional<std::uint64_t> exact_ns(std::string_view text, int exponent) {
  text = trimmed(text);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  bool any = false, fraction = false, round_up = false, rounded = false;
  const auto append = [&](unsigned digit) {
    if (value > (kMost - digit) / 10) return false;
    value = value * 10 + digit;
    return true;
  };
  for (const char c : text) {
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (fraction && exponent == 0) {  // the first digit past the ns says which way it rounds
      if (!rounded) round_up = c >= '5';
      rounded = true;
      continue;
    }
    if (fraction) --exponent;
    if (!append(static_cast<unsigned>(c - '0'))) return std::nullopt;
  }
  if (!any) return std::nullopt;
  for (; exponent > 0; --exponent)
    if (!append(0)) return std::nullopt;
  if (round_up && value == kMost) return std::nullopt;
  return value + (round_up ? 1 : 0);
}

std::optional<int> ns_exponent(std::string_view unit) {
  constexpr std::pair<std::string_view, int> kUnits[] = {
      {"ns", 0}, {"us", 3},   {"\xc2\xb5s", 3}, {"\xce\xbcs", 3}, {"ms", 6},
      {"s", 9},  {"nsec", 0}, {"usec", 3},      {"msec", 6},      {"sec", 9}};
  for (const auto& [name, exponent] : kUnits)
    if (name == unit) return exponent;
  return std::nullopt;
}

}  // namespace roofline
