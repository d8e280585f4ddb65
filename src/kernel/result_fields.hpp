#pragma once

#include <span>
#include <string_view>

#include "kernel/reading.hpp"

namespace roofline {

/// Reads maps by tables of fields: a key, and how its value goes into a struct. Keys that are in no
/// table are passed over.
class FieldReader {
 public:
  FieldReader(const YamlDocument& document, Errors& errors, std::size_t most_records)
      : reading_(document, errors), left_(most_records) {}

  Reading& reading() { return reading_; }
  /// Enough was found wrong, or the document holds more records than are read.
  bool gave_up() { return stopped_ || reading_.errors().size() >= kMostErrors; }
  /// Counts one record; false, and one error, past the limit.
  bool take_record(const YamlNode& node);

  /// A finite number, not negative.
  std::optional<double> number(const YamlNode& node, std::string_view key);
  std::optional<std::int64_t> integer(const YamlNode& node, std::string_view key);
  bool is_list(const YamlNode& node, std::string_view key);
  bool is_map(const YamlNode& node, std::string_view key);

 private:
  static constexpr std::size_t kMostErrors = 20;
  Reading reading_;
  std::size_t left_;
  bool stopped_ = false;
};

/// One key of a map that becomes a struct.
template <class Struct>
struct Field {
  std::string_view key;
  void (*read)(FieldReader&, const YamlNode&, std::string_view key, Struct&);
};

/// Every key of `node` that `fields` has. null is an absent value.
template <class Struct>
void read_fields(FieldReader& reader, const YamlNode& node, std::span<const Field<Struct>> fields,
                 Struct& into) {
  for (std::size_t i = 0; i < node.items.size() && !reader.gave_up(); ++i) {
    const std::string_view key = node.keys[i].text;
    if (node.items[i].is_null()) continue;
    for (const auto& field : fields) {
      if (field.key != key) continue;
      field.read(reader, node.items[i], key, into);
      break;
    }
  }
}

}  // namespace roofline
