#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// One character of a UTF-8 text. `bytes` is 1 where the bytes are not valid, so that a caller
/// always moves on.
struct Utf8Char {
  char32_t code = 0;
  int bytes = 1;
  bool valid = false;
};

/// The character at `position` (< text.size()). Overlong forms, surrogates and codes past U+10FFFF
/// are not valid.
Utf8Char decode_utf8(std::string_view text, std::size_t position);

/// Position of the first byte that is not valid UTF-8; text.size() when all of it is.
std::size_t valid_utf8_prefix(std::string_view text);

/// Appends `code`, which is a valid character, to `out`.
void append_utf8(std::string& out, char32_t code);

inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace roofline
