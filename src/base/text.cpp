#include "roofline/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/utf8.hpp"

namespace roofline {
namespace {

struct Range {
  char32_t first, last;
};

// Characters drawn on the one before them or not at all. Source: Unicode 14, categories Mn, Me and
// Cf, and the medial and final Hangul Jamo; blocks of scripts that do not turn up in kernel names
// are left out.
constexpr Range kZeroWidth[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5BF},     {0x5C1, 0x5C2},
    {0x5C4, 0x5C5},   {0x5C7, 0x5C7},   {0x600, 0x605},   {0x610, 0x61A},     {0x61C, 0x61C},
    {0x64B, 0x65F},   {0x670, 0x670},   {0x6D6, 0x6DD},   {0x6DF, 0x6E4},     {0x6E7, 0x6E8},
    {0x6EA, 0x6ED},   {0x900, 0x902},   {0x93A, 0x93A},   {0x93C, 0x93C},     {0x941, 0x948},
    {0x94D, 0x94D},   {0x951, 0x957},   {0xE31, 0xE31},   {0xE34, 0xE3A},     {0xE47, 0xE4E},
    {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x202A, 0x202E},
    {0x2060, 0x206F}, {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A},   {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0001, 0xE01EF},
};

// East Asian wide and fullwidth characters and emoji. Source: Unicode 14, EastAsianWidth.txt, W and
// F.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CD5}, {0x1AFF0, 0x1B2FB},
    {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
    {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC},
    {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

// What can reorder a line or break it: bidirectional controls and the Unicode line separators.
constexpr Range kUnsafe[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},
    {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
};

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t code) {
  const auto* found = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](char32_t c, const Range& r) { return c < r.first; });
  return found != std::begin(ranges) && code <= std::prev(found)->last;
}

std::size_t char_width(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return 0;
  if (code < 0x300) return 1;
  if (contains(kZeroWidth, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

// Longer names are not typing mistakes, and the distance costs their product.
constexpr std::size_t kLongestName = 100;

// Case and the choice of separator are the most common slips, so they cost nothing.
std::string folded(std::string_view name) {
  std::string result = lower_case(name);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return result;
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// How far `candidate` is from `name`, both folded; nothing when too far to suggest.
std::optional<std::size_t> distance_of(std::string_view name, std::string_view candidate) {
  std::optional<std::size_t> best;
  const auto offer = [&](std::size_t score) { best = std::min(best.value_or(score), score); };
  if (name.size() >= 2 && candidate.starts_with(name)) offer(1);
  if (name.size() >= 3 && candidate.find(name) != std::string_view::npos) offer(2);
  if (candidate.size() >= 3 && name.starts_with(candidate)) offer(3);
  // Of a name of two letters at most one may change, or everything short would be near.
  const std::size_t allowed = std::min(std::max<std::size_t>(2, name.size() / 3), name.size() - 1);
  const auto longer = std::max(name.size(), candidate.size());
  const auto shorter = std::min(name.size(), candidate.size());
  if (longer - shorter <= allowed) {
    const auto distance = edit_distance(name, candidate);
    if (distance <= allowed && distance < longer) offer(distance);
  }
  return best;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = decode_utf8(text, i);
    width += c.valid ? char_width(c.code) : 1;  // an invalid byte is shown as U+FFFD
    i += static_cast<std::size_t>(c.bytes);
  }
  return width;
}

std::string padded(std::string_view text, std::size_t width, bool right_align) {
  const auto taken = display_width(text);
  const std::string space(taken < width ? width - taken : 0, ' ');
  return right_align ? space + std::string(text) : std::string(text) + space;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string result;
  result.reserve(text.size());
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  for (std::size_t i = 0; i < text.size();) {
    const auto end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), plain);
    result.append(text.begin() + static_cast<std::ptrdiff_t>(i), end);
    if (end == text.end()) break;
    i = static_cast<std::size_t>(end - text.begin());
    const auto c = decode_utf8(text, i);
    if (c.valid && (c.code == '\n' || c.code == '\t')) {
      result += ' ';
    } else if (!c.valid || contains(kUnsafe, c.code)) {
      result += kReplacement;
    } else {
      result += text.substr(i, static_cast<std::size_t>(c.bytes));
    }
    i += static_cast<std::size_t>(c.bytes);
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t width) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= width) return std::string(text);  // no character is wider than its bytes
  std::size_t used = 0, kept = 0;                      // kept: bytes that leave room for the dots
  for (std::size_t i = 0; i < text.size();) {
    const auto c = decode_utf8(text, i);
    used += c.valid ? char_width(c.code) : 1;
    i += static_cast<std::size_t>(c.bytes);
    if (used + kDots.size() <= width) kept = i;
    if (used > width)
      return std::string(text.substr(0, kept)) + std::string(kDots.substr(0, width));
  }
  return std::string(text);
}

std::vector<std::string> near_names(std::string_view name,
                                    std::span<const std::string_view> names) {
  constexpr std::size_t kMost = 3;
  if (name.empty() || name.size() > kLongestName) return {};
  struct Near {
    std::size_t distance, length_gap;
    std::string_view name;
    bool operator<(const Near& o) const {
      return std::tie(distance, length_gap, name) < std::tie(o.distance, o.length_gap, o.name);
    }
  };
  const auto wanted = folded(name);
  std::vector<Near> found;
  for (const auto candidate : names) {
    if (candidate.size() > kLongestName) continue;
    const auto distance = distance_of(wanted, folded(candidate));
    const auto gap =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (distance) found.push_back({*distance, gap, candidate});
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (const auto& near : found) {
    if (result.size() == kMost) break;
    if (result.empty() || result.back() != near.name) result.emplace_back(near.name);
  }
  return result;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names) {
  std::string result;
  for (const auto& near : near_names(name, names)) {
    result += result.empty() ? "did you mean \"" : ", \"";
    result += near + '"';
  }
  if (!result.empty()) result += '?';
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string new_line = '\n' + std::string(indent, ' ');
  std::string result;
  std::size_t column = 0;
  bool line_is_empty = true;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      result += new_line;
      column = indent;
      line_is_empty = true;
      ++i;
      continue;
    }
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    const auto end = std::min(text.find_first_of(" \n", i), text.size());
    const auto word = text.substr(i, end - i);
    const auto taken = display_width(word);
    if (!line_is_empty && column + 1 + taken > width) {
      result += new_line;
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      result += ' ';
      ++column;
    }
    result += word;
    column += taken;
    line_is_empty = false;
    i = end;
  }
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  const bool as_sentence = separator == ", ";
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += as_sentence && i + 1 == words.size() ? " and " : separator;
    result += words[i];
  }
  return result;
}

}  // namespace roofline
