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

bool JsonFields::find_key(std::size_t field) {
  const auto from = at_;
  skip_space();
  if (at_ >= end_ || text_[at_] == (object_ ? '}' : ']')) return false;
  if (field > 0) {
    if (text_[at_] != ',') return fail();
    ++at_;
    skip_space();
  }
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
  if (at_ >= end_) return fail();
  value_at_ = at_;
  if (layout_ && object_) key_number_ = layout_->learn(field, {text_ + from, at_ - from}, key_);
  return true;
}

/// A number, true, false, null, or what a writer took for one.
bool JsonFields::take_word() {
  for (; at_<end_&& static_cast<unsigned char>(text_[at_])> ' '; ++at_) {
    const char c = text_[at_];
    if (c == ',' || c == '}' || c == ']') break;
    // A quote or bracket in a bare word is damage that would lead astray.
    if (c == '"' || c == ':' || c == '{' || c == '[') return false;
  }
  if (at_ == value_at_) return false;
  if (!is_scalar({text_ + value_at_, at_ - value_at_})) odd_ = true;
  return true;
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
