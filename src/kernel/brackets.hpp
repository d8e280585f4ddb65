#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace roofline {

/// Past the bracket that closes the one at `at` of a C++ signature; the end where none does (a name
/// that was cut off). Comparisons inside of parentheses are no brackets.
std::size_t after_bracket(std::string_view text, std::size_t at);

/// What stands between the commas of a list, without the spaces around each; those inside of
/// brackets part nothing.
std::vector<std::string_view> list_items(std::string_view list);

}  // namespace roofline
