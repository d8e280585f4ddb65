#include "ingest/json_cursor.hpp"

#include <charconv>

namespace roofline {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::optional<std::uint32_t> hexadecimal(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.size() < 4) return std::nullopt;
  const auto read = std::from_chars(digits.data(), digits.data() + 4, value, 16);
  if (read.ptr != digits.data() + 4) return std::nullopt;
  return value;
}

constexpr std::uint32_t kReplacement = 0xfffd;

/// The character behind "\u" at `at`, a surrogate pair as one; `at` moves behind it.
std::uint32_t escaped(std::string_view raw, std::size_t& at) {
  const auto first = hexadecimal(raw.substr(at));
  if (!first) return kReplacement;
  at += 4;
  if (*first < 0xd800 || *first > 0xdfff) return *first;
  if (*first > 0xdbff || raw.substr(at, 2) != "\\u") return kReplacement;
  const auto second = hexadecimal(raw.substr(at + 2));
  if (!second || *second < 0xdc00 || *second > 0xdfff) return kReplacement;
  at += 6;
  return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
}

}  // namespace

void JsonCursor::blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool JsonCursor::take(char c) {
  blanks();
  if (failed_ || at_ >= text_.size() || text_[at_] != c) return fail();
  ++at_;
  return true;
}

/// A value of another kind is no fault: it is skipped.
bool JsonCursor::open(char c) {
  if (peek() == c) return take(c);
  skip();
  return false;
}

bool JsonCursor::close(char c) {
  blanks();
  if (failed_ || at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

char JsonCursor::peek() {
  blanks();
  return failed_ || at_ >= text_.size() ? '\0' : text_[at_];
}

bool JsonCursor::raw_text(std::string_view& value) {
  if (!take('"')) return false;
  const auto begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return fail();
  }
  value = text_.substr(begin, at_ - begin);
  ++at_;
  return true;
}

bool JsonCursor::text(std::string& value) {
  value.clear();
  if (peek() != '"') {
    skip();
    return false;
  }
  std::string_view raw;
  if (!raw_text(raw)) return false;
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      value += raw[i++];
      continue;
    }
    const char c = raw[i + 1];
    i += 2;
    constexpr std::string_view kLetters = "bfnrt", kMeant = "\b\f\n\r\t";
    if (c == 'u')
      append_utf8(value, escaped(raw, i));
    else if (const auto at = kLetters.find(c); at != std::string_view::npos)
      value += kMeant[at];
    else
      value += c;
  }
  return true;
}

std::string_view JsonCursor::scalar() {
  blanks();
  const auto begin = at_;
  while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']' &&
         text_[at_] != ' ' && text_[at_] != '\n' && text_[at_] != '\r' && text_[at_] != '\t')
    ++at_;
  // What ends with the text may have gone on: 12 of 1234.
  if (at_ == begin || at_ >= text_.size()) fail();
  return text_.substr(begin, at_ - begin);
}

std::uint64_t JsonCursor::whole() {
  const char c = peek();
  if (c < '0' || c > '9') {
    skip();
    return 0;
  }
  const auto digits = scalar();
  if (failed_) return 0;
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? value : 0;
}

std::optional<double> JsonCursor::real() {
  const char c = peek();
  if (c != '-' && (c < '0' || c > '9')) {
    skip();
    return std::nullopt;
  }
  const auto digits = scalar();
  if (failed_) return std::nullopt;
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool JsonCursor::skip() {
  std::size_t depth = 0;
  do {
    std::string_view ignored;
    switch (peek()) {
      case '\0': return fail();
      case '"':
        if (!raw_text(ignored)) return false;
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0) return fail();
        --depth;
        ++at_;
        break;
      case ',':
      case ':':
        if (depth == 0) return fail();
        ++at_;
        break;
      default: scalar();
    }
  } while (depth > 0 && !failed_);
  return !failed_;
}

std::string_view JsonCursor::value() {
  blanks();
  const auto begin = at_;
  skip();
  return text_.substr(begin, at_ - begin);
}

}  // namespace roofline
