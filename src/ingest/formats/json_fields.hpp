#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ingest/formats/json_index.hpp"
#include "ingest/formats/json_layout.hpp"

namespace roofline {

/// Goes over the fields of one JSON object, or the elements of one array, of an indexed text. Keys
/// and values come as they stand in the text.
class JsonFields {
 public:
  /// `at`: where the object or array opens; `end`: behind its closing bracket, or behind that of
  /// what it lies in.
  JsonFields(const char* text, const JsonIndex& index, std::size_t at, std::size_t end)
      : JsonFields(text, index, at, end, end, nullptr) {}
  /// `readable`: bytes at `text` that may be read, the end of what it lies in or more; `layout`:
  /// that of objects of its kind, for key_number().
  JsonFields(const char* text, const JsonIndex& index, std::size_t at, std::size_t end,
             std::size_t readable, JsonLayout* layout)
      : text_(text),
        index_(index),
        layout_(layout),
        at_(at + 1),
        end_(end - 1),
        readable_(readable),
        object_(text[at] == '{') {}

  /// False at the end, and where the text is not JSON.
  bool next() { return next_key() && take_value(); }

  /// The two halves of next(): whoever sees by its key that a value is the last one of interest
  /// need not look for where it ends. value_at() is known after the first.
  bool next_key() {
    const auto field = field_++;
    if (layout_ && at_ + JsonLayout::kReach <= readable_) {
      if (const auto* gap = layout_->match(field, text_ + at_)) {
        key_ = {text_ + at_ + gap->key_at, gap->key_size};
        key_number_ = gap->number;
        at_ += gap->size;
        skip_space();
        if (at_ >= end_) return fail();
        value_at_ = at_;
        return true;
      }
    }
    return find_key(field);
  }
  bool take_value() {
    const char kind = text_[at_];
    if (kind == '"') {
      const auto close = index_.next_quote(at_ + 1);
      if (close >= end_) return fail();
      at_ = close + 1;
    } else if (kind == '{' || kind == '[') {
      const auto close = index_.end_of(text_, at_);
      if (close > end_) return fail();
      at_ = close;
    } else if (!take_number() && !take_word()) {
      return fail();
    }
    value_ = {text_ + value_at_, at_ - value_at_};
    return true;
  }
  bool damaged() const { return damaged_; }
  /// A value was a word that JSON does not have, such as NaN.
  bool odd() const { return odd_; }

  std::string_view key() const { return key_; }      ///< without its quotes; of an object
  int key_number() const { return key_number_; }     ///< its place in the layout's list of keys
  std::string_view value() const { return value_; }  ///< a string with its quotes
  std::size_t value_at() const { return value_at_; }
  std::size_t value_end() const { return value_at_ + value_.size(); }
  bool is_string() const { return !value_.empty() && value_.front() == '"'; }
  bool opens() const { return text_[value_at_] == '{'; }  ///< after next_key()
  bool is_nested() const {
    return !value_.empty() && (value_.front() == '{' || value_.front() == '[');
  }
  /// Of a string what stands between its quotes, of all else the value.
  std::string_view plain() const {
    return is_string() ? value_.substr(1, value_.size() - 2) : value_;
  }

 private:
  void skip_space() {
    while (at_ < end_ && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }
  bool fail() {
    damaged_ = true;
    return false;
  }
  bool find_key(std::size_t field);
  bool take_word();
  /// A word of digits, points and signs, which is what nearly all are. False: it is another, or may
  /// be; nothing is taken.
  bool take_number() {
    if constexpr (std::endian::native != std::endian::little) return false;
    constexpr std::uint64_t kOnes = 0x0101010101010101, kTop = 0x80 * kOnes;
    auto at = at_;
    for (; at + 8 <= readable_; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text_ + at, 8);
      // The top bit of each byte that is none of "-./0123456789".
      const auto low = word & ~kTop;
      const auto others =
          ((low + (0x80 - ':') * kOnes) | ~(low + (0x80 - '-') * kOnes) | word) & kTop;
      if (others == 0) continue;
      at += static_cast<std::size_t>(std::countr_zero(others)) / 8;
      const char next = text_[at], first = text_[at_ + (text_[at_] == '-' ? 1 : 0)];
      const bool ends =
          next == ',' || next == '}' || next == ']' || static_cast<unsigned char>(next) <= ' ';
      if (!ends || at == at_ || first < '0' || first > '9') return false;
      at_ = at;
      return true;
    }
    return false;
  }

  const char* text_;
  const JsonIndex& index_;
  JsonLayout* layout_;
  std::size_t at_, end_, readable_, value_at_ = 0, field_ = 0;
  std::string_view key_, value_;
  int key_number_ = JsonLayout::kOther;
  bool object_, damaged_ = false, odd_ = false;
};

/// Writes what the text between two quotes means to `out`. Escapes that JSON does not know stay as
/// they are: false.
bool unescape_json(std::string_view text, std::string& out);

}  // namespace roofline
