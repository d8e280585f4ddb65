#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// The lines of a text one after the other, numbered from 1, without their ends (LF or CRLF). A
/// byte order mark is passed over. For tables that stand among other output, where one broken line
/// must not swallow the next: what CsvReader reads is a table from end to end.
class Lines {
 public:
  explicit Lines(std::string_view text);
  bool next();
  std::string_view line() const { return line_; }
  int number() const { return number_; }
  bool ended() const { return ended_; }  ///< the line had an end: the text was not cut in it

 private:
  std::string_view rest_, line_;
  int number_ = 0;
  bool ended_ = false;
};

/// The fields of one line of a table. Quoted fields may hold separators and doubled quotes. False:
/// a quote that does not end, or text behind one; `fields` are then those before it.
bool split_fields(std::string_view line, char separator, std::vector<std::string>& fields);

/// Where a field of this name stands; npos: nowhere. Case counts.
std::size_t column_of(const std::vector<std::string>& header, std::string_view name);
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

}  // namespace roofline
