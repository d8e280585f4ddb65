#include "report/json_writer.hpp"

#include <array>
#include <cmath>

#include "base/utf8.hpp"
#include "report/plain_number.hpp"

namespace roofline {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;
constexpr Count kLargestExactDouble{1LL << 53};

/// Characters that end a line in JavaScript, reorder the text of a terminal, or are the C1 control
/// characters.
bool must_escape(char32_t c) {
  return (c >= 0x80 && c <= 0x9f) || c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/// A runner of GitHub's workflows takes "##[name]" anywhere in a log for a command.
constexpr std::string_view kCommandMark = "##[";

/// ASCII that stands for itself inside a JSON string wherever it is.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\' && c != '#';
  return plain;
}();

void append_code(std::string& out, char32_t code) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[code >> shift & 0xf];
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: append_code(out, static_cast<unsigned char>(c));
  }
}

}  // namespace

void append_json_escaped(std::string& out, std::string_view text) {
  std::size_t written = 0, at = 0;
  const auto keep = [&] { out.append(text, written, at - written); };
  while (at < text.size()) {
    const char c = text[at];
    if (kPlain[static_cast<unsigned char>(c)]) {
      ++at;
      continue;
    }
    if (c == '#' && !text.substr(at).starts_with(kCommandMark)) {
      ++at;
      continue;
    }
    const Utf8Char character = decode_utf8(text, at);
    const auto bytes = static_cast<std::size_t>(character.bytes);
    if (character.valid && character.code >= 0x80 && !must_escape(character.code)) {
      at += bytes;
      continue;
    }
    keep();
    if (!character.valid)
      append_utf8(out, 0xfffd);
    else if (character.code < 0x80)
      append_ascii(out, c);
    else
      append_code(out, character.code);
    written = at += bytes;
  }
  keep();
}

JsonWriter::JsonWriter(TextSink sink, JsonLayout layout) : sink_(std::move(sink)), layout_(layout) {
  buffer_.reserve(kFlushAt + 8 * 1024);
  levels_.reserve(8);
}

void JsonWriter::break_line(std::size_t depth) {
  buffer_ += '\n';
  buffer_.append(2 * (depth + layout_.outer_levels), ' ');
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  auto& level = levels_.back();
  if (!level.empty) buffer_ += ',';
  if (indented())
    break_line(levels_.size());
  else if (!level.empty && layout_.indented_levels > 0)
    buffer_ += ' ';
  level.empty = false;
}

void JsonWriter::name(JsonKey key) {
  separate();
  buffer_ += '"';
  if (key.plain())
    buffer_ += key.text();
  else
    append_json_escaped(buffer_, key.text());
  buffer_ += layout_.indented_levels > 0 ? std::string_view("\": ") : std::string_view("\":");
}

void JsonWriter::open(char bracket, bool map, std::string_view name) {
  buffer_ += bracket;
  levels_.push_back({.map = map, .name = name});
}

void JsonWriter::close(char bracket) {
  const bool broken = !levels_.back().empty && indented();
  levels_.pop_back();
  if (broken) break_line(levels_.size());
  buffer_ += bracket;
  if (buffer_.size() >= kFlushAt) flush();
}

void JsonWriter::begin_object() {
  separate();
  open('{', false, {});
}

void JsonWriter::begin_object(JsonKey key) {
  name(key);
  open('{', false, {});
}

void JsonWriter::begin_map(JsonKey key) {
  name(key);
  open('{', true, key.text());
}

void JsonWriter::end_object() {
  if (!exact_.empty() && exact_.back().depth == levels_.size()) write_exact();
  close('}');
}

void JsonWriter::begin_array(JsonKey key) {
  name(key);
  open('[', false, {});
}

void JsonWriter::begin_array() {
  separate();
  open('[', false, {});
}

void JsonWriter::end_array() { close(']'); }

/// The counts of the open object that doubles cannot hold. Entries of one map stand together: they
/// were written one after another.
void JsonWriter::write_exact() {
  const std::size_t depth = levels_.size();
  std::size_t first = exact_.size();
  while (first > 0 && exact_[first - 1].depth == depth) --first;
  const std::vector<Exact> mine(exact_.begin() + static_cast<std::ptrdiff_t>(first), exact_.end());
  exact_.resize(first);
  begin_object("exact");
  std::string_view map;
  for (const auto& entry : mine) {
    if (entry.map != map) {
      if (!map.empty()) end_object();
      if (!entry.map.empty()) begin_object(JsonKey::named(entry.map));
      map = entry.map;
    }
    text(JsonKey::named(entry.key), entry.value.to_string());
  }
  if (!map.empty()) end_object();
  end_object();
}

void JsonWriter::put_text(std::string_view value) {
  buffer_ += '"';
  append_json_escaped(buffer_, value);
  buffer_ += '"';
}

void JsonWriter::text(JsonKey key, std::string_view value) {
  name(key);
  put_text(value);
}

void JsonWriter::count(JsonKey key, Count value) {
  if (value.overflowed()) return;
  name(key);
  append_count(buffer_, value);
  if (value <= kLargestExactDouble && value >= Count(0) - kLargestExactDouble) return;
  const auto& level = levels_.back();
  const std::size_t depth = levels_.size() - (level.map ? 1 : 0);
  if (depth == 0 || levels_[depth - 1].map)
    return;  // a map of maps has no object of ours to hold it
  exact_.push_back({depth, std::string(level.name), std::string(key.text()), value});
}

void JsonWriter::number(JsonKey key, double value) {
  if (!std::isfinite(value)) return;
  name(key);
  append_number(buffer_, value);
}

void JsonWriter::flag(JsonKey key, bool value) {
  name(key);
  buffer_ += value ? std::string_view("true") : std::string_view("false");
}

void JsonWriter::text(std::string_view element) {
  separate();
  put_text(element);
}

void JsonWriter::count(Count element) {
  if (element.overflowed()) return;
  separate();
  append_count(buffer_, element);
}

void JsonWriter::number(double element) {
  if (!std::isfinite(element)) return;
  separate();
  append_number(buffer_, element);
}

void JsonWriter::flag(bool element) {
  separate();
  buffer_ += element ? std::string_view("true") : std::string_view("false");
}

void JsonWriter::raw(std::string_view piece) {
  buffer_ += piece;
  if (buffer_.size() >= kFlushAt) flush();
}

void JsonWriter::end_line() {
  buffer_ += '\n';
  if (buffer_.size() >= kFlushAt) flush();
}

void JsonWriter::flush() {
  if (!buffer_.empty()) sink_(buffer_);
  buffer_.clear();
}

}  // namespace roofline
