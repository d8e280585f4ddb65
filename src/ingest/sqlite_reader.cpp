#include "ingest/sqlite_reader.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "roofline/base/input.hpp"

namespace roofline {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kMostInMemory = std::size_t{4} << 30;
constexpr int kLongestValue = 16 << 20;  // bytes of one text or blob

std::string head_of(const std::string& path) {
  std::string head(100, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// The header tells pages and their size (https://www.sqlite.org/fileformat2.html, 1.3.2 and
/// 1.3.8).
std::string missing(std::string_view head, std::uintmax_t size) {
  if (head.size() < 32) return {};
  auto page = big_endian(head.substr(16, 2));
  if (page == 1) page = 65536;
  const auto promised = page * big_endian(head.substr(28, 4));
  if (promised <= size) return {};
  return fmt::format("its header speaks of {} bytes, the file has {}", promised, size);
}

std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02X}", static_cast<unsigned>(byte));
    else
      uri += c;
  }
  return uri + "?immutable=1&mode=ro";
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// Reading of columns is allowed, and nothing else: no function, no pragma, no attached file.
int only_reading(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

void harden(sqlite3* database) {
  int ignored = 0;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &ignored);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, &ignored);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 2000);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", nullptr, nullptr,
               nullptr);
  sqlite3_set_authorizer(database, only_reading, nullptr);
}

Location place(const std::string& name) { return {name, 0, 0, 1, {}, 0}; }

}  // namespace

SqliteFile::SqliteFile(SqliteFile&& other) noexcept { *this = std::move(other); }
SqliteFile& SqliteFile::operator=(SqliteFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(missing_, other.missing_);
  content_.swap(other.content_);  // longer than a short string: its bytes stay where they are
  std::swap(database_, other.database_);
  return *this;
}
SqliteFile::~SqliteFile() { sqlite3_close(database_); }

Result<SqliteFile> SqliteFile::open(const std::string& path) {
  SqliteFile file;
  file.name_ = path == "-" ? "<stdin>" : path;
  auto head = path == "-" ? std::string() : head_of(path);
  int status = SQLITE_OK;
  if (head.starts_with(kMagic)) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    if (!unknown) file.missing_ = missing(head, size);
    status = sqlite3_open_v2(
        as_uri(path).c_str(), &file.database_,
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        nullptr);
  } else {
    auto content = read_input(path, kMostInMemory);
    if (!content) return tl::unexpected(std::move(content.error()));
    if (content->empty()) return fail(Code::empty_input, place(file.name_), "this file is empty");
    if (!content->starts_with(kMagic))
      return fail(Code::wrong_type, place(file.name_), "this is no SQLite database",
                  "nsys export --type sqlite REPORT.nsys-rep makes one");
    file.content_ = std::move(*content);
    file.missing_ = missing(file.content_, file.content_.size());
    // A database in memory has no write-ahead log beside it.
    if (file.content_.size() > 19) file.content_[18] = file.content_[19] = 1;
    status = sqlite3_open_v2(":memory:", &file.database_,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (status == SQLITE_OK) {
      const auto size = static_cast<sqlite3_int64>(file.content_.size());
      status = sqlite3_deserialize(file.database_, "main",
                                   reinterpret_cast<unsigned char*>(file.content_.data()), size,
                                   size, SQLITE_DESERIALIZE_READONLY);
    }
  }
  if (status != SQLITE_OK) return tl::unexpected(file.error());
  harden(file.database_);
  sqlite3_stmt* probe = nullptr;
  status =
      sqlite3_prepare_v2(file.database_, "SELECT name FROM sqlite_master", -1, &probe, nullptr);
  while (status == SQLITE_OK || status == SQLITE_ROW) status = sqlite3_step(probe);
  if (status != SQLITE_DONE) {
    auto error = file.error();  // before the statement is forgotten, and its message with it
    sqlite3_finalize(probe);
    return tl::unexpected(std::move(error));
  }
  sqlite3_finalize(probe);
  return file;
}

Error SqliteFile::error() const {
  std::string what = "this database is damaged or cut: ";
  what += database_ ? sqlite3_errmsg(database_) : "out of memory";
  return {Code::wrong_type,
          place(name_),
          std::move(what),
          missing_.empty() ? "export it again: nsys export --type sqlite REPORT.nsys-rep"
                           : missing_ + ": copy it again, or export it again",
          {}};
}

std::vector<std::string> SqliteFile::tables() const {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  // A virtual table and a view have no root page.
  sqlite3_prepare_v2(database_,
                     "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0 "
                     "ORDER BY name",
                     -1, &statement, nullptr);
  while (statement && sqlite3_step(statement) == SQLITE_ROW)
    if (const auto* name = sqlite3_column_text(statement, 0))
      names.emplace_back(reinterpret_cast<const char*>(name));
  sqlite3_finalize(statement);
  return names;
}

std::vector<std::string> SqliteFile::columns(std::string_view table) const {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_,
                     "SELECT 1 FROM sqlite_master WHERE type='table' AND rootpage>0 AND name=?", -1,
                     &statement, nullptr);
  if (!statement) return names;
  sqlite3_bind_text(statement, 1, table.data(), static_cast<int>(table.size()), SQLITE_TRANSIENT);
  const bool is_table = sqlite3_step(statement) == SQLITE_ROW;
  sqlite3_finalize(statement);
  if (!is_table) return names;
  const auto sql = "SELECT * FROM main." + quoted(table) + " LIMIT 0";
  sqlite3_stmt* all = nullptr;
  sqlite3_prepare_v2(database_, sql.c_str(), -1, &all, nullptr);
  for (int i = 0; all && i < sqlite3_column_count(all); ++i)
    names.emplace_back(sqlite3_column_name(all, i));
  sqlite3_finalize(all);
  return names;
}

bool SqliteFile::is_row_id(const std::string& table, const std::string& column) const {
  const char* type = nullptr;
  int primary = 0;
  const int status = sqlite3_table_column_metadata(database_, "main", table.c_str(), column.c_str(),
                                                   &type, nullptr, nullptr, &primary, nullptr);
  return status == SQLITE_OK && primary == 1 && type && sqlite3_stricmp(type, "INTEGER") == 0;
}

SqliteRows::SqliteRows(const SqliteFile& file, std::string_view table,
                       std::span<const std::string_view> columns, std::string_view where) {
  const auto known = file.columns(table);
  std::string sql = "SELECT ";
  int selected = 0;
  for (const auto column : columns) {
    const bool present = std::find(known.begin(), known.end(), column) != known.end();
    places_.push_back(present ? selected++ : kAbsent);
    if (present) sql += (selected > 1 ? "," : "") + quoted(column);
  }
  if (selected == 0) sql += "NULL";  // its rows still count
  sql += " FROM main." + quoted(table);
  if (!where.empty()) sql += " WHERE " + std::string(where);
  damaged_ = sqlite3_prepare_v2(file.database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK;
}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }

bool SqliteRows::next() {
  if (damaged_ || !statement_) return false;
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  damaged_ = status != SQLITE_DONE;
  return false;
}

void SqliteRows::bind(std::int64_t value) {
  if (!statement_) return;
  sqlite3_reset(statement_);
  sqlite3_bind_int64(statement_, 1, value);
}

bool SqliteRows::is_null(int column) const {
  return !has(column) || sqlite3_column_type(statement_, place(column)) == SQLITE_NULL;
}
bool SqliteRows::is_text(int column) const {
  return has(column) && sqlite3_column_type(statement_, place(column)) == SQLITE_TEXT;
}
bool SqliteRows::is_integer(int column) const {
  return has(column) && sqlite3_column_type(statement_, place(column)) == SQLITE_INTEGER;
}
std::string_view SqliteRows::text(int column) const {
  const auto* text = has(column) ? sqlite3_column_text(statement_, place(column)) : nullptr;
  if (!text) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, place(column)))};
}

}  // namespace roofline
