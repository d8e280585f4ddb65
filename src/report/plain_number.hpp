#pragma once

#include <string>

#include "roofline/quantities/count.hpp"

namespace roofline {

/// Appends a number as programs read it, whatever the locale: a whole number as an integer, any
/// other with the fewest digits that read back the same. `value` is finite.
void append_number(std::string& out, double value);

/// Appends every digit of `value`, which has not overflowed.
void append_count(std::string& out, Count value);

}  // namespace roofline
