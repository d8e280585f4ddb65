#include "ingest/formats/json_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/utf8.hpp"

namespace roofline {
namespace {

/// "null", "true", a number: NaN, Infinity and whatever else a writer made up are no JSON.
bool is_scalar(std::string_view text) {
  switch (text.front()) {
    case 'n': return text == "null";
    case 't': return text == "true";
    case 'f': return text == "false";
    case '-': return text.size() > 1 && text[1] >= '0' && text[1] <= '9';
    default: return text.front() >= '0' && text.front() <= '9';
  }
}

/// The number of four hexadecimal digits at `at`, or -1.
long hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return error == std::errc{} && end == text.data() + at + 4 ? static_cast<long>(value) : -1;
}

}  // namespace

bool JsonFields::take_value() {
  if (at_ >= end_) return fail();
  value_at_ = at_;
  const char first = text_[at_];
  if (first == '"') {
    const auto close = index_.next_quote(at_ + 1);
    if (close >= end_) return fail();
    at_ = close + 1;
  } else if (first == '{' || first == '[') {
    const auto close = json_end(text_, index_, at_);
    if (close == std::string_view::npos || close > end_) return fail();
    at_ = close;
  } else {
    while (at_ < end_ && text_[at_] != ',' && static_cast<unsigned char>(text_[at_]) > ' ') {
      // A quote or bracket in a bare word is damage that would lead astray.
      if (text_[at_] == '"' || text_[at_] == ':' || text_[at_] == '{' || text_[at_] == '}')
        return fail();
      ++at_;
    }
    if (at_ == value_at_) return fail();
    if (!is_scalar({text_ + value_at_, at_ - value_at_})) odd_ = true;
  }
  value_ = {text_ + value_at_, at_ - value_at_};
  return true;
}

bool JsonFields::next() {
  skip_space();
  if (at_ >= end_) return false;
  if (!first_) {
    if (text_[at_] != ',') return fail();
    ++at_;
    skip_space();
  }
  first_ = false;
  if (object_) {
    if (at_ >= end_ || text_[at_] != '"') return fail();
    const auto close = index_.next_quote(at_ + 1);
    if (close >= end_) return fail();
    key_ = {text_ + at_ + 1, close - at_ - 1};
    at_ = close + 1;
    skip_space();
    if (at_ >= end_ || text_[at_] != ':') return fail();
    ++at_;
    skip_space();
  }
  return take_value();
}

std::size_t json_end(const char* text, const JsonIndex& index, std::size_t at) {
  int depth = 0;
  for (auto i = at; (i = index.next_bracket(i)) < index.size(); ++i) {
    depth += text[i] == '{' || text[i] == '[' ? 1 : -1;
    if (depth <= 0) return i + 1;
  }
  return std::string_view::npos;
}

bool unescape_json(std::string_view text, std::string& out) {
  bool good = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      const auto next = std::min(text.find('\\', i), text.size());
      out.append(text, i, next - i);
      i = next - 1;
      continue;
    }
    const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const auto known = kind == '\0' ? std::string_view::npos : kShort.find(kind);
    if (known != std::string_view::npos) {
      out += kMeant[known];
      ++i;
      continue;
    }
    auto code = kind == 'u' ? hex4(text, i + 2) : -1;
    if (code < 0) {
      out += '\\';
      good = false;
      continue;
    }
    i += 5;
    if (code >= 0xd800 && code < 0xdc00 && text.substr(i + 1, 2) == "\\u") {
      const auto low = hex4(text, i + 3);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
    }
    if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;  // half of a pair
      good = false;
    }
    append_utf8(out, static_cast<char32_t>(code));
  }
  return good;
}

}  // namespace roofline
