#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "ingest/sqlite_reader.hpp"

/// What the tables of one export of Nsight Systems have in common.
namespace roofline {

/// StringIds, read as they are asked for.
class NsysStrings {
 public:
  explicit NsysStrings(const SqliteFile& file)
      : rows_(file, kTable, kColumns, "\"id\"=?"), by_row_(file.is_row_id("StringIds", "id")) {
    if (by_row_ || !file.has_table(kTable)) return;
    SqliteRows all(file, kTable, kIdAndValue);  // no index: read once, never searched
    while (all.next()) known_.try_emplace(all.integer(0), all.text(1));
  }
  /// The text of a column that holds an id, or a text itself.
  const std::string& of(const SqliteRows& row, int column) {
    if (row.is_text(column)) return direct_ = std::string(row.text(column));
    return row.is_null(column) ? none_ : find(row.integer(column));
  }
  const std::string& find(std::int64_t id) {
    if (const auto at = known_.find(id); at != known_.end()) return at->second;
    if (!by_row_) return none_;
    rows_.bind(id);
    return known_[id] = rows_.next() ? std::string(rows_.text(0)) : std::string();
  }

 private:
  static constexpr std::string_view kTable = "StringIds";
  static constexpr std::string_view kColumns[] = {"value"};
  static constexpr std::string_view kIdAndValue[] = {"id", "value"};
  SqliteRows rows_;
  bool by_row_;
  std::unordered_map<std::int64_t, std::string> known_;
  std::string direct_;
  const std::string none_;
};

/// nsys counts from the start of the session, and may start before it: kept as moments of Unix
/// time where the file tells that one's, so that no start is 0 and files of one run agree.
class NsysClock {
 public:
  explicit NsysClock(const SqliteFile& file) {
    constexpr std::string_view kStart[] = {"utcEpochNs"};
    if (!file.has_table("TARGET_INFO_SESSION_START_TIME")) return;
    SqliteRows rows(file, "TARGET_INFO_SESSION_START_TIME", kStart);
    if (rows.next() && rows.integer(0) > kEarliest && rows.integer(0) < kLatest) {
      base_ = rows.number(0);
      known_ = true;
    }
  }
  bool known() const { return known_; }
  std::uint64_t base() const { return base_; }
  /// 0, which is no time, for what is none or lies more than the base before the start.
  std::uint64_t of(const SqliteRows& row, int column) const {
    const auto value = row.integer(column);
    if (value == 0 && !row.is_integer(column)) return 0;  // NULL, or a text
    if (value >= 0) return base_ + static_cast<std::uint64_t>(value);
    const auto before = ~static_cast<std::uint64_t>(value) + 1;
    return before < base_ ? base_ - before : 0;
  }

 private:
  static constexpr std::int64_t kEarliest = 1'000'000'000'000'000'000;  // 2001
  static constexpr std::int64_t kLatest = 4'000'000'000'000'000'000;    // 2096
  std::uint64_t base_ = static_cast<std::uint64_t>(kEarliest);
  bool known_ = false;
};

/// The process in the global number of a thread or a process.
inline std::uint64_t nsys_process_of(std::uint64_t global) { return global >> 24 & 0xffffff; }

/// Processes of one file have correlation ids of their own: theirs are kept apart.
class NsysProcesses {
 public:
  std::uint64_t correlation(std::uint64_t id, std::uint64_t global) {
    const auto process = nsys_process_of(global);
    if (process != last_) {
      const auto next = static_cast<std::uint64_t>(indices_.size());
      last_index_ = indices_.try_emplace(process, next).first->second;
      last_ = process;
    }
    return id == 0 ? 0 : (last_index_ << 32) + id;
  }

 private:
  std::uint64_t last_ = ~std::uint64_t{0}, last_index_ = 0;
  std::map<std::uint64_t, std::uint64_t> indices_;  // by process
};

}  // namespace roofline
