#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantities/count.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// The key of a JSON member: a literal, which the compiler checks for characters that need an
/// escape, or a name from a file, which is escaped when it is written.
class JsonKey {
 public:
  // NOLINTNEXTLINE: a literal is a key
  consteval JsonKey(const char* literal) : text_(literal), plain_(true) {
    for (const char c : text_)
      if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
        throw "a literal key must not need escapes";
  }
  static JsonKey named(std::string_view text) { return JsonKey(text); }

  std::string_view text() const { return text_; }
  bool plain() const { return plain_; }

 private:
  explicit JsonKey(std::string_view text) : text_(text) {}
  std::string_view text_;
  bool plain_ = false;
};

/// How a JsonWriter breaks lines: members of the outermost `indented_levels` objects and arrays
/// stand on lines of their own; with 0 nothing is broken and no blank is written. `outer_levels` is
/// added to the indentation of text that will stand inside another document.
struct JsonLayout {
  std::size_t indented_levels = 0, outer_levels = 0;
};

/// Writes JSON piece by piece: one buffer, handed to the sink when it has 64 kB. Our own, since
/// JSONL is asked for at 200 000 rows a second and nlohmann::json builds a tree of every row first.
///
/// Whole numbers are written as integers, others with the fewest digits that read back the same;
/// NaN and infinities are left out with their key. Text is escaped so that it cannot leave its
/// string, move a cursor or reorder a line; what is not UTF-8 becomes U+FFFD. A count above 2^53
/// stands a second time, as a decimal string, under `exact` at the end of its object: {"flops":
/// 18446744073709551616, "exact": {"flops": "18446744073709551616"}}. Counts in a map with names of
/// its own go to the `exact` of the object around it: {"work": {.., "exact": {"matmul_flops":
/// {"bf16": ".."}}}}.
class JsonWriter {
 public:
  explicit JsonWriter(TextSink sink, JsonLayout layout = {});

  void begin_object();  ///< the document, or an element of an array
  void begin_object(JsonKey key);
  void begin_map(JsonKey key);  ///< an object whose keys are names from a file or a table
  void end_object();
  void begin_array(JsonKey key);
  void begin_array();
  void end_array();

  void text(JsonKey key, std::string_view value);
  void count(JsonKey key, Count value);  ///< left out when it overflowed
  void number(JsonKey key, double value);
  void flag(JsonKey key, bool value);
  void text(std::string_view element);
  void count(Count element);
  void number(double element);
  void flag(bool element);

  /// A member whose value another JsonWriter wrote: the key, then the value in pieces.
  void key(JsonKey key) { name(key); }
  void raw(std::string_view piece);

  void end_line();  ///< after a document: JSON lines
  void flush();

 private:
  struct Level {
    bool empty = true, map = false;
    std::string_view name;  ///< of a map; its owner outlives the writing of the map
  };
  struct Exact {
    std::size_t depth;  ///< of the object at whose end it is written
    std::string map, key;
    Count value;
  };

  void separate();
  void break_line(std::size_t depth);
  void name(JsonKey key);
  void open(char bracket, bool map, std::string_view name);
  void close(char bracket);
  void write_exact();
  void put_text(std::string_view value);
  bool indented() const { return levels_.size() <= layout_.indented_levels; }

  TextSink sink_;
  JsonLayout layout_;
  std::string buffer_;
  std::vector<Level> levels_;
  std::vector<Exact> exact_;
};

/// Appends `text` to `out` as the inside of a JSON string, escaped as described above.
void append_json_escaped(std::string& out, std::string_view text);

}  // namespace roofline
