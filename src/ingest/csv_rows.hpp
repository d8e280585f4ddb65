#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/csv.hpp"
#include "roofline/ingest/import_sink.hpp"

namespace roofline {

/// A table that is one from end to end: a header, then rows, however many. Rows that cannot be
/// read are counted; a last one that is not whole means that the file was cut.
class CsvRows {
 public:
  /// Errors: cannot_read; empty_input: not even a header.
  static Result<CsvRows> open(const std::string& path);
  /// The next whole row. False: the end. Errors: cannot_read.
  Result<bool> next();

  const std::vector<std::string>& header() const { return header_; }
  /// kNoColumn: the table has none of that name.
  std::size_t column(std::string_view name) const;
  /// The first of several names that the table has: what versions call the same thing.
  std::size_t column(std::span<const std::string_view> names) const;
  std::size_t column(std::initializer_list<std::string_view> names) const {
    return column(std::span(names.begin(), names.size()));
  }
  bool has(std::string_view name) const;

  std::string_view field(std::size_t column) const;  ///< empty: there is none; until the next row
  std::uint64_t number(std::size_t column) const;    ///< the first digits in it; 0: none
  /// The same of a row that may have blanks within numbers: nothing where it is none.
  std::optional<double> real(std::size_t column) const;
  int line() const { return static_cast<int>(reader_.line()); }
  const std::string& name() const { return reader_.name(); }
  std::uint64_t rows() const { return rows_; }
  Location where(std::size_t column) const;

  /// Tells the sink what was not read.
  void tell(ImportSink& sink) const;

 private:
  explicit CsvRows(CsvReader reader) : reader_(std::move(reader)) {}
  CsvReader reader_;
  std::vector<std::string> header_;
  std::uint64_t rows_ = 0, unreadable_ = 0;
  bool last_is_short_ = false;
};

}  // namespace roofline
