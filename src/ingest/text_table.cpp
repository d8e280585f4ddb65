#include "ingest/text_table.hpp"

#include <algorithm>

namespace roofline {

Lines::Lines(std::string_view text) : rest_(text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (rest_.starts_with(kMark)) rest_.remove_prefix(kMark.size());
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  ended_ = end != std::string_view::npos;
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(ended_ ? end + 1 : rest_.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

bool split_fields(std::string_view line, char separator, std::vector<std::string>& fields) {
  std::size_t count = 0, at = 0;
  const auto field = [&]() -> std::string& {
    if (count == fields.size()) fields.emplace_back();
    return fields[count++];
  };
  bool good = true;
  while (true) {
    if (at < line.size() && line[at] == '"') {
      std::string text;
      bool closed = false;
      for (++at; at < line.size(); ++at) {
        if (line[at] != '"') {
          text += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          text += line[at++];
        } else {
          closed = true;
          ++at;
          break;
        }
      }
      if (!closed || (at < line.size() && line[at] != separator)) {
        good = false;
        break;
      }
      field() = std::move(text);
    } else {
      const auto end = std::min(line.find(separator, at), line.size());
      field() = line.substr(at, end - at);
      at = end;
    }
    if (at >= line.size()) break;
    ++at;  // the separator
  }
  fields.resize(count);
  return good;
}

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  const auto at = std::find(header.begin(), header.end(), name);
  return at == header.end() ? kNoColumn : static_cast<std::size_t>(at - header.begin());
}

}  // namespace roofline
