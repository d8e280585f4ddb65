#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace roofline {
namespace {

struct Lead {
  int bytes;
  char32_t bits;      ///< of the code, from the first byte
  char32_t smallest;  ///< below it the form is overlong
};

Lead read_lead(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, static_cast<char32_t>(byte & 0x1F), 0x80};
  if (byte >= 0xE0 && byte <= 0xEF) return {3, static_cast<char32_t>(byte & 0x0F), 0x800};
  if (byte >= 0xF0 && byte <= 0xF4) return {4, static_cast<char32_t>(byte & 0x07), 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t position) {
  const auto first = static_cast<unsigned char>(text[position]);
  if (first < 0x80) return {first, 1, true};
  const auto lead = read_lead(first);
  const Utf8Char invalid{first, 1, false};
  if (lead.bytes == 0 || text.size() - position < static_cast<std::size_t>(lead.bytes))
    return invalid;
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < static_cast<std::size_t>(lead.bytes); ++i) {
    if (!is_continuation(text[position + i])) return invalid;
    code = code << 6 | (static_cast<unsigned char>(text[position + i]) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.smallest || code > 0x10FFFF || surrogate) return invalid;
  return {code, lead.bytes, true};
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Eight ASCII bytes at a time: input files are almost nothing else.
    std::uint64_t block = 0;
    while (i + 8 <= text.size()) {
      std::memcpy(&block, text.data() + i, 8);
      if ((block & 0x8080808080808080u) != 0) break;
      i += 8;
    }
    if (i >= text.size()) break;
    const auto c = decode_utf8(text, i);
    if (!c.valid) return i;
    i += static_cast<std::size_t>(c.bytes);
  }
  return text.size();
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    tail(6);
  } else {
    put(0xF0 | code >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
}

}  // namespace roofline
