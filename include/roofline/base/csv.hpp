#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/base/byte_stream.hpp"
#include "roofline/base/result.hpp"

namespace roofline {

/// What a hostile table may cost.
struct CsvLimits {
  std::size_t record = std::size_t{1} << 20;  ///< bytes of one record, line breaks inside quotes included
  std::size_t fields = 1024;                  ///< of one record
};

/// Records of a CSV file (RFC 4180) one after the other, in memory that does not grow with the file. A byte order mark
/// and blank lines are passed over; lines end in LF or CRLF; a quoted field may hold separators, doubled quotes and line
/// breaks. The separator is the one of comma, semicolon and tab that the first record has most of.
///
/// Ours instead of libcsv, which calls back for every character of a million rows and has no place for a limit on a
/// record, so that one line of 100 MB would be kept whole.
class CsvReader {
 public:
  enum class Got {
    record,
    end,
    too_long,         ///< a line passed the limit; it was read to its end and thrown away
    too_many_fields,
    bad_quotes,       ///< a quote that does not end, or text behind one; reading goes on with the next line
  };

  explicit CsvReader(ByteStream stream, CsvLimits limits = {});

  /// The next record. Errors: cannot_read; unsupported encoding (UTF-16, a compressed file) as wrong_type.
  Result<Got> next();

  std::span<const std::string_view> fields() const { return fields_; }  ///< until the next call
  long long line() const { return line_; }                               ///< where the record starts, from 1
  const std::string& name() const { return stream_.name(); }
  char separator() const { return separator_ != 0 ? separator_ : ','; }

 private:
  Result<bool> fill();  ///< false: nothing more to read
  Result<void> start();
  void choose_separator(std::string_view record);
  Got split_plain(std::string_view record);
  Result<Got> read_quoted();
  Result<Got> discard_line();
  void give_up_record();
  int byte_at(std::size_t offset);
  bool take_quoted(std::size_t& at, long long& breaks);
  bool take_plain(std::size_t& at);

  ByteStream stream_;
  CsvLimits limits_;
  std::string buffer_;         // what was read; [position_, size_) is still to be parsed
  std::size_t position_ = 0, size_ = 0;
  bool ended_ = false, started_ = false;
  char separator_ = 0;
  long long line_ = 0, next_line_ = 1;
  std::vector<std::string_view> fields_;
  std::string unquoted_;       // text of quoted fields without their quotes
  std::vector<std::pair<std::size_t, std::size_t>> spans_;
  std::optional<Error> failure_;
};

}  // namespace roofline
