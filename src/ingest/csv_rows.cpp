#include "ingest/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ingest/decimal_sign.hpp"
#include "ingest/text_table.hpp"
#include "roofline/base/text.hpp"

namespace roofline {

Result<CsvRows> CsvRows::open(const std::string& path) {
  auto stream = ByteStream::open(path);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  // A table of counters has thousands of columns.
  CsvRows rows(CsvReader(std::move(*stream), {std::size_t{8} << 20, std::size_t{1} << 16}));
  auto got = rows.reader_.next();
  if (!got) return tl::unexpected(std::move(got.error()));
  if (*got != CsvReader::Got::record)
    return fail(Code::empty_input, {rows.name(), 0, 0, 1, {}, 0}, "this table has no header");
  for (const auto field : rows.reader_.fields()) rows.header_.emplace_back(trimmed(field));
  return rows;
}

Result<bool> CsvRows::next() {
  while (true) {
    auto got = reader_.next();
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == CsvReader::Got::end) return false;
    if (last_is_short_) ++unreadable_;  // it was not the last
    last_is_short_ = *got != CsvReader::Got::record || reader_.fields().size() < header_.size();
    if (last_is_short_) continue;
    ++rows_;
    return true;
  }
}

std::size_t CsvRows::column(std::string_view name) const { return column_of(header_, name); }

std::size_t CsvRows::column(std::span<const std::string_view> names) const {
  for (const auto name : names)
    if (const auto at = column(name); at != kNoColumn) return at;
  return kNoColumn;
}

bool CsvRows::has(std::string_view name) const { return column(name) != kNoColumn; }

std::string_view CsvRows::field(std::size_t column) const {
  const auto fields = reader_.fields();
  return column < fields.size() ? fields[column] : std::string_view();
}

std::uint64_t CsvRows::number(std::size_t column) const {
  auto text = field(column);
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<double> CsvRows::real(std::size_t column) const {
  return read_number(field(column), '.');
}

Location CsvRows::where(std::size_t column) const {
  return {name(), line(), static_cast<int>(column == kNoColumn ? 0 : column) + 1, 1, {}, 0};
}

void CsvRows::tell(ImportSink& sink) const {
  if (last_is_short_) sink.truncated(fmt::format("after row {}", rows_));
  if (unreadable_ > 0) sink.lose("rows_unreadable", unreadable_);
}

}  // namespace roofline
