#pragma once

#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/quantities/count.hpp"

namespace roofline {

/// Length of the number, or of what was meant as one, that `text` starts with: digits, letters,
/// '_', '.' and the sign of an exponent ("1e+6", "0x10", "1_000", "2.5", "4k").
std::size_t count_length(std::string_view text);

/// A non-negative decimal integer. Everything else that looks like a number is refused with the way
/// to write it: `010` (octal in YAML 1.1), `0x10`, `1_000`, `1e6`, `2.5`. The Location is left for
/// the caller.
Result<Count> parse_count(std::string_view text);

}  // namespace roofline
