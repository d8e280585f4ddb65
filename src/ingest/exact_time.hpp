#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofline {

/// A decimal time as whole nanoseconds, by integer arithmetic: a double of a Unix time in
/// microseconds has lost the last digit. `exponent`: of the unit to ns, 0 for ns, 3 for us, 6 for
/// ms, 9 for s. Digits past the ns are rounded. Nothing: not a plain decimal number ("8.1E+14",
/// "n/a", "-1"), or past 2^64.
std::optional<std::uint64_t> exact_ns(std::string_view text, int exponent);

/// The exponent of a unit by its name ("ns", "us", "ms", "s"); nothing: no unit of time.
std::optional<int> ns_exponent(std::string_view unit);

}  // namespace roofline
