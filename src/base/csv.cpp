#include "roofline/base/csv.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace roofline {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;

struct Signature {
  std::string_view bytes, what, hint;
};
constexpr Signature kForeign[] = {
    {"\xff\xfe", "is UTF-16", "save it as UTF-8"},
    {"\xfe\xff", "is UTF-16", "save it as UTF-8"},
    {"\x1f\x8b", "is compressed (gzip)", "zcat FILE | roofline audit -"},
    {"\x28\xb5\x2f\xfd", "is compressed (zstd)", "zstdcat FILE | roofline audit -"},
    {"PK\x03\x04", "is a zip archive or a spreadsheet", "export the table as CSV"},
};
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

CsvReader::CsvReader(ByteStream stream, CsvLimits limits) : stream_(std::move(stream)), limits_(limits) {}

/// Reads on behind what is still to be parsed, which moves to the front: the buffer stays as long as one record.
Result<bool> CsvReader::fill() {
  if (ended_) return false;
  if (position_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + position_, size_ - position_);
    size_ -= position_;
    position_ = 0;
  }
  if (buffer_.size() < size_ + kChunk) buffer_.resize(size_ + kChunk);
  const auto got = stream_.read(buffer_.data() + size_, buffer_.size() - size_);
  if (!got) return tl::unexpected(got.error());
  size_ += *got;
  ended_ = *got == 0;
  return !ended_;
}

/// Looks at the first bytes: a byte order mark is passed over, what cannot be a table of text is refused.
Result<void> CsvReader::start() {
  started_ = true;
  while (size_ < 4) {
    const auto more = fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  const std::string_view head(buffer_.data(), size_);
  for (const auto& foreign : kForeign)
    if (head.starts_with(foreign.bytes))
      return fail(Code::wrong_type, {name(), 0, 0, 1, {}, 0}, name() + " " + std::string(foreign.what), std::string(foreign.hint));
  if (head.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  return {};
}

void CsvReader::choose_separator(std::string_view record) {
  long long best = 0;
  separator_ = ',';
  for (const char candidate : {',', ';', '\t'}) {
    const auto count = std::count(record.begin(), record.end(), candidate);
    if (count > best) best = count, separator_ = candidate;
  }
}

CsvReader::Got CsvReader::split_plain(std::string_view record) {
  // Fields are a few bytes long: a loop finds their ends sooner than a call for each of them.
  const char* from = record.data();
  const char* const end = from + record.size();
  const char separator = separator_;
  for (const char* at = from; at != end; ++at) {
    if (*at != separator) continue;
    if (fields_.size() == limits_.fields) return Got::too_many_fields;
    fields_.emplace_back(from, static_cast<std::size_t>(at - from));
    from = at + 1;
  }
  if (fields_.size() == limits_.fields) return Got::too_many_fields;
  fields_.emplace_back(from, static_cast<std::size_t>(end - from));
  return Got::record;
}

Result<CsvReader::Got> CsvReader::next() {
  if (!started_)
    if (auto good = start(); !good) return tl::unexpected(good.error());
  fields_.clear();
  std::size_t looked_at = 0;  // bytes of the record that hold no line break
  while (true) {
    const char* begin = buffer_.data() + position_;
    const std::size_t known = size_ - position_;
    const auto* stop = static_cast<const char*>(std::memchr(begin + looked_at, '\n', known - looked_at));
    if (!stop && !ended_) {
      if (known > limits_.record) return discard_line();
      looked_at = known;
      if (auto more = fill(); !more) return tl::unexpected(more.error());
      continue;
    }
    if (!stop && known == 0) return Got::end;
    line_ = next_line_;
    std::string_view record(begin, stop ? static_cast<std::size_t>(stop - begin) : known);
    if (record.size() > limits_.record) return discard_line();
    if (std::memchr(record.data(), '"', record.size())) {
      if (separator_ == 0) choose_separator(record);
      return read_quoted();
    }
    position_ += record.size() + (stop ? 1 : 0);
    ++next_line_;
    if (record.ends_with('\r')) record.remove_suffix(1);
    if (record.find_first_not_of(" \t") == std::string_view::npos) {
      looked_at = 0;
      continue;
    }
    if (separator_ == 0) choose_separator(record);
    return split_plain(record);
  }
}

/// A line past the limit: read to its end without being kept.
Result<CsvReader::Got> CsvReader::discard_line() {
  line_ = next_line_;
  while (true) {
    const char* begin = buffer_.data() + position_;
    if (const auto* stop = static_cast<const char*>(std::memchr(begin, '\n', size_ - position_))) {
      position_ += static_cast<std::size_t>(stop - begin) + 1;
      ++next_line_;
      break;
    }
    position_ = size_;
    if (ended_) break;
    if (auto more = fill(); !more) return tl::unexpected(more.error());
  }
  // What one long line made the buffer grow to is given back.
  if (size_ == position_ && buffer_.size() > 4 * kChunk) buffer_ = std::string(), position_ = size_ = 0;
  return Got::too_long;
}

/// A record that cannot be read: reading goes on behind its first line.
void CsvReader::give_up_record() {
  const char* begin = buffer_.data() + position_;
  const auto* stop = static_cast<const char*>(std::memchr(begin, '\n', size_ - position_));
  position_ += stop ? static_cast<std::size_t>(stop - begin) + 1 : size_ - position_;
  ++next_line_;
}

/// The byte at `offset` of the record; -1 at the end of the file, or when reading failed (`failure_` says so).
int CsvReader::byte_at(std::size_t offset) {
  while (position_ + offset >= size_) {
    auto more = fill();
    if (!more) failure_ = std::move(more.error());
    if (!more || !*more) return -1;
  }
  return static_cast<unsigned char>(buffer_[position_ + offset]);
}

/// The inside of a quoted field; `at` moves from its quote to the separator or line break behind it. False: the quotes
/// do not end, or something else follows them.
bool CsvReader::take_quoted(std::size_t& at, long long& breaks) {
  ++at;
  while (true) {
    int byte = byte_at(at++);
    if (byte < 0 || at > limits_.record) return false;
    if (byte == '"') {
      if (byte_at(at) != '"') break;
      ++at;
    }
    if (byte == '\n') ++breaks;
    unquoted_.push_back(static_cast<char>(byte));
  }
  if (byte_at(at) == '\r') ++at;
  const int behind = byte_at(at);
  return behind < 0 || behind == separator_ || behind == '\n';
}

bool CsvReader::take_plain(std::size_t& at) {
  const std::size_t from = unquoted_.size();
  int byte = byte_at(at);
  for (; byte >= 0 && byte != separator_ && byte != '\n'; byte = byte_at(++at)) {
    if (at > limits_.record) return false;
    unquoted_.push_back(static_cast<char>(byte));
  }
  if (byte != separator_ && unquoted_.size() > from && unquoted_.back() == '\r') unquoted_.pop_back();
  return true;
}

/// A record with quotes. They may hold line breaks, so that its end is where a line break stands outside of them.
Result<CsvReader::Got> CsvReader::read_quoted() {
  unquoted_.clear();
  spans_.clear();
  std::size_t at = 0;  // from the start of the record
  long long breaks = 0;
  bool good = true;
  do {
    if (!spans_.empty()) ++at;  // the separator
    const std::size_t from = unquoted_.size();
    good = spans_.size() < limits_.fields && (byte_at(at) == '"' ? take_quoted(at, breaks) : take_plain(at));
    spans_.emplace_back(from, unquoted_.size() - from);
  } while (good && byte_at(at) == separator_);
  if (failure_) return tl::unexpected(std::move(*std::exchange(failure_, std::nullopt)));
  if (!good) {
    give_up_record();
    return spans_.size() > limits_.fields ? Got::too_many_fields : Got::bad_quotes;
  }
  position_ += at + (byte_at(at) == '\n' ? 1 : 0);
  next_line_ += breaks + 1;
  for (const auto& [from, length] : spans_) fields_.emplace_back(unquoted_.data() + from, length);
  return Got::record;
}

}  // namespace roofline
