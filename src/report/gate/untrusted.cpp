#include "report/gate/untrusted.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "report/table.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t kBytesPerColumn = 4;  // the longest character
constexpr std::string_view kDots = "...";

/// What may come of so many columns is printed from no more bytes than this.
std::string_view head(std::string_view text, std::size_t columns) {
  return whole_characters(text, kBytesPerColumn * columns);
}

/// The last whole characters, at most `bytes`.
std::string_view tail(std::string_view text, std::size_t bytes) {
  auto from = text.size() - std::min(text.size(), bytes);
  while (from < text.size() && is_continuation(text[from])) ++from;
  return text.substr(from);
}

}  // namespace

std::string_view whole_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string fitted(std::string_view text, std::size_t columns) {
  const auto whole = shortened(printable(text), columns);
  const auto kept = head(whole, columns);
  return kept.size() == whole.size() ? whole : std::string(kept) + std::string(kDots);
}

std::string fitted_middle(std::string_view text, std::size_t columns) {
  const auto whole = shortened_middle(printable(text), columns);
  if (whole.size() <= kBytesPerColumn * columns) return whole;
  return std::string(head(whole, columns / 2)) + std::string(kDots) +
         std::string(tail(whole, kBytesPerColumn * columns / 2));
}

}  // namespace roofline
