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
  /// `at`: where the object or array opens; `end`: behind its closing bracket.
  JsonFields(const char* text, const JsonIndex& index, std::size_t at, std::size_t end)
      : text_(text), index_(index), at_(at + 1), end_(end - 1), object_(text[at] == '{') {}

  /// False at the end, and where the text is not JSON.
  bool next();
  bool damaged() const { return damaged_; }
  /// A value was a word that JSON does not have, such as NaN.
  bool odd() const { return odd_; }

  std::string_view key() const { return key_; }      ///< without its quotes; of an object
  std::string_view value() const { return value_; }  ///< a string with its quotes
  std::size_t value_at() const { return value_at_; }
  std::size_t value_end() const { return value_at_ + value_.size(); }
  bool is_string() const { return !value_.empty() && value_.front() == '"'; }
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
  bool take_value();

  const char* text_;
  const JsonIndex& index_;
  std::size_t at_, end_, value_at_ = 0;
  std::string_view key_, value_;
  bool object_, first_ = true, damaged_ = false, odd_ = false;
};

/// The end of the object or array that opens at `at`: behind its closing bracket, or npos where
/// that is not indexed yet.
std::size_t json_end(const char* text, const JsonIndex& index, std::size_t at);

/// Writes what the text between two quotes means to `out`. Escapes that JSON does not know stay as
/// they are: false.
bool unescape_json(std::string_view text, std::string& out);

}  // namespace roofline
