#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "report/plain_number.hpp"
#include "roofline/base/text.hpp"

namespace roofline {

/// The cells of one line. RFC 4180 quoting; lines end in a bare newline, as Unix tools expect.
class CsvLine {
 public:
  void clear() { line_.clear(), first_ = true; }
  const std::string& text() const { return line_; }

  void empty() { separate(); }
  void number(double value) {
    separate();
    if (std::isfinite(value)) append_number(line_, value);
  }
  void count(Count value) {
    separate();
    if (!value.overflowed()) append_count(line_, value);
  }
  void flag(bool value) { word(value ? "true" : "false"); }
  void word(std::string_view ours) {  ///< one of our own words: needs no quotes
    separate();
    line_ += ours;
  }

  /// Text from a file. Control characters are made visible, so that a row is one line and a
  /// terminal stays as it is. A spreadsheet takes a cell that starts with = + - @ tab or CR for a
  /// formula: such a one gets an apostrophe first.
  void name(std::string_view untrusted) {
    separate();
    const bool formula =
        !untrusted.empty() &&
        std::string_view("=+-@\t\r").find(untrusted.front()) != std::string_view::npos;
    const std::string text = printable(untrusted);
    if (!formula && text.find_first_of(",\"") == std::string::npos && text == trimmed(text)) {
      line_ += text;
      return;
    }
    line_ += formula ? "\"'" : "\"";
    for (const char c : text) {
      if (c == '"') line_ += '"';
      line_ += c;
    }
    line_ += '"';
  }

 private:
  void separate() {
    if (!first_) line_ += ',';
    first_ = false;
  }
  std::string line_;
  bool first_ = true;
};

}  // namespace roofline
