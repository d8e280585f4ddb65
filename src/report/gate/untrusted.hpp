#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text of results as the readers of a report can bear it: whoever wrote it may have meant more
/// than text.
namespace roofline {

/// `text` printable and at most `columns` wide, cut at its end. Characters without a width count as
/// well: no more than four bytes a column.
std::string fitted(std::string_view text, std::size_t columns);
/// The same, cut in its middle: both ends of a kernel's name tell it apart.
std::string fitted_middle(std::string_view text, std::size_t columns);

/// The longest part of `text` (UTF-8) from its start that is whole characters and at most `bytes`
/// long.
std::string_view whole_characters(std::string_view text, std::size_t bytes);

}  // namespace roofline
