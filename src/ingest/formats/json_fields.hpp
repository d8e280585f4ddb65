#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ingest/formats/json_index.hpp"

namespace roofline {

/// Goes over the fields of one JSON object, or the elements of one array, of an indexed text. Keys
/// and values come as they stand in the text.
class JsonFields {
 public:
  /// `at`: where the object or array opens; `end`: behind its closing bracket, or behind that of
  /// what it lies in.
  JsonFields(const char* text, const JsonIndex& index, std::size_t at, std::size_t end)
      : text_(text), index_(index), at_(at + 1), end_(end - 1), object_(text[at] == '{') {}

  /// False at the end, and where the text is not JSON.
  bool next() { return next_key() && take_value(); }

  /// The two halves of next(): whoever sees by its key that a value is the last one of interest
  /// need not look for where it ends. value_at() is known after the first.
  bool next_key() {
    skip_space();
    if (at_ >= end_ || text_[at_] == (object_ ? '}' : ']')) return false;
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
    if (at_ >= end_) return fail();
    value_at_ = at_;
    return true;
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
    } else if (!take_word()) {
      return fail();
    }
    value_ = {text_ + value_at_, at_ - value_at_};
    return true;
  }
  bool damaged() const { return damaged_; }
  /// A value was a word that JSON does not have, such as NaN.
  bool odd() const { return odd_; }

  std::string_view key() const { return key_; }      ///< without its quotes; of an object
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
  bool take_word();

  const char* text_;
  const JsonIndex& index_;
  std::size_t at_, end_, value_at_ = 0;
  std::string_view key_, value_;
  bool object_, first_ = true, damaged_ = false, odd_ = false;
};

/// Writes what the text between two quotes means to `out`. Escapes that JSON does not know stay as
/// they are: false.
bool unescape_json(std::string_view text, std::string& out);

}  // namespace roofline
