#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

/// A SQLite file of a stranger, only ever read: opened read-only and immutable (no journal is
/// looked for, none is written), in defensive mode, its schema not trusted; views, triggers,
/// virtual tables and functions of the file never run, and lengths are limited.
/// https://www.sqlite.org/security.html
class SqliteFile {
 public:
  /// `path` "-", and whatever is compressed, is read into memory first. Errors: cannot_read;
  /// wrong_type: not a database, or damaged before its first table; empty_input.
  static Result<SqliteFile> open(const std::string& path);
  SqliteFile(SqliteFile&&) noexcept;
  SqliteFile& operator=(SqliteFile&&) noexcept;
  ~SqliteFile();

  const std::string& name() const { return name_; }
  /// Columns of a table that is really one, in their order; empty: there is none of that name.
  std::vector<std::string> columns(std::string_view table) const;
  bool has_table(std::string_view table) const { return !columns(table).empty(); }
  /// Whether `column` is the table's row id, so that a row is found by it at once.
  bool is_row_id(const std::string& table, const std::string& column) const;
  std::vector<std::string> tables() const;  ///< real ones, sorted

  /// "the file is shorter than its header says": what is missing, or empty.
  std::string missing_bytes() const { return missing_; }
  /// What the library said last, as an error of this file.
  Error error() const;

 private:
  friend class SqliteRows;
  SqliteFile() = default;
  std::string name_, missing_;
  std::string content_;  // of what was read into memory
  sqlite3* database_ = nullptr;
};

/// The rows of one SELECT over one table of a SqliteFile.
class SqliteRows {
 public:
  /// Columns that the table does not have read as NULL. The table must be one of the file's.
  SqliteRows(const SqliteFile& file, std::string_view table,
             std::span<const std::string_view> columns, std::string_view where = {});
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;
  ~SqliteRows();

  bool next();                               ///< false: the end, or damage
  bool damaged() const { return damaged_; }  ///< the file could not be read further
  bool has(int column) const { return place(column) != kAbsent; }
  void bind(std::int64_t value);  ///< the one `?` of `where`; starts over

  bool is_null(int column) const;
  bool is_text(int column) const;
  bool is_integer(int column) const;
  // Here, as they are called for every column of millions of rows.
  std::int64_t integer(int column) const {
    return has(column) ? sqlite3_column_int64(statement_, place(column)) : 0;
  }
  std::uint64_t number(int column) const {  ///< negative ones are 0
    const auto value = integer(column);
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  }
  std::string_view text(int column) const;  ///< until the next row

 private:
  static constexpr int kAbsent = -1;
  int place(int column) const { return places_[static_cast<std::size_t>(column)]; }

  sqlite3_stmt* statement_ = nullptr;
  std::vector<int> places_;  // in the statement's result; kAbsent: the table has no such column
  bool damaged_ = false;
};

}  // namespace roofline
