#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// Columns that `text` (UTF-8) takes on a terminal: wide characters 2, combining and control characters 0.
std::size_t display_width(std::string_view text);

/// `text` padded with spaces to `width` columns; on the left when `right_align`.
std::string padded(std::string_view text, std::size_t width, bool right_align = false);

/// `text` without anything that could move the cursor, change colours or reorder a line: C0 and C1 control
/// characters, bidirectional controls and invalid UTF-8 become U+FFFD; newline and tab become a space.
std::string printable(std::string_view text);

/// `text` cut to `width` columns, the cut shown as "...".
std::string shortened(std::string_view text, std::size_t width);

/// The names nearest to `name`: edit distance at most 2 or a third of its length, or one is part of the other; best
/// first, at most 3. Case does not count, nor whether words are joined by "-", "_" or a space.
std::vector<std::string> near_names(std::string_view name, std::span<const std::string_view> names);

/// `did you mean "a"?` / `did you mean "a", "b"?`; empty when nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

/// Greedy line filling at `width` columns; lines after the first start with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

std::string lower_case(std::string_view text);  ///< ASCII only
std::string_view trimmed(std::string_view text);

/// "a, b and c"; a separator other than ", " stands between the last two as well.
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

}  // namespace roofline
