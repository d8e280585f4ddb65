#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "roofline/analysis/baseline.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSchema = "roofline.baseline/1";
constexpr std::string_view kSchemaFamily = "roofline.baseline/";
constexpr std::size_t kMostErrors = 20;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// One line of the file with the errors found in it.
class Line {
 public:
  Line(YamlDocument document, int number, Errors& errors)
      : document_(std::move(document)), number_(number), errors_(errors) {}

  const YamlNode& root() const { return document_.root(); }

  void report(Code code, const YamlNode& node, std::string what, std::string hint = {}) {
    errors_.push_back({code, where(node), std::move(what), std::move(hint), {}});
  }
  Location where(const YamlNode& node) const {
    auto place = document_.where(node);
    place.line = number_;
    return place;
  }

  std::string text(const YamlNode& node, std::string_view key) {
    if (node.is_scalar()) return node.text;
    report(Code::wrong_type, node, std::string(key) + " is a text");
    return {};
  }
  /// Finite and at least `least`.
  std::optional<double> number(const YamlNode& node, std::string_view key, double least) {
    const auto value =
        node.is_scalar() && !node.quoted ? parse_number(node.text) : fail(Code::wrong_type, {}, "");
    if (!value) {
      report(Code::bad_number, node, std::string(key) + " is a number");
      return std::nullopt;
    }
    if (*value < least) {
      report(Code::out_of_range, node,
             std::string(key) + " is " + shortened(printable(node.text), 40) +
                 ", which nothing measures");
      return std::nullopt;
    }
    return *value;
  }
  std::optional<double> positive(const YamlNode& node, std::string_view key) {
    const auto value = number(node, key, 0);
    if (value && *value == 0) {
      report(Code::out_of_range, node, std::string(key) + " is 0, which nothing measures");
      return std::nullopt;
    }
    return value;
  }
  std::optional<bool> flag(const YamlNode& node, std::string_view key) {
    return read_flag(document_, node, key, errors_);
  }
  std::optional<Extent> extent(const YamlNode& node, std::string_view key) {
    Extent read{};
    if (!node.is_list() || node.items.size() != read.size()) {
      report(Code::wrong_type, node, std::string(key) + " is three whole numbers");
      return std::nullopt;
    }
    for (std::size_t i = 0; i < read.size(); ++i) {
      const auto part = number(node.items[i], key, 0);
      if (!part) return std::nullopt;
      read[i] = static_cast<std::int64_t>(std::min(*part, 1e18));
    }
    return read;
  }

 private:
  YamlDocument document_;
  int number_;
  Errors& errors_;
};

// ---------------------------------------------------------------- sessions

void read_session(Line& line, const YamlNode& node, BaselineEntry& entry) {
  if (!node.is_map()) return line.report(Code::wrong_type, node, "a session is a map");
  BaselineSession session;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto& key = node.keys[i].text;
    const auto& value = node.items[i];
    if (key == "date")
      session.date = line.text(value, key);
    else if (key == "commit")
      session.commit = line.text(value, key);
    else if (key == "time_s")
      session.time_s = line.positive(value, key).value_or(0);
    else if (key == "runs")
      session.runs = static_cast<int>(std::min(line.positive(value, key).value_or(0), 1e6));
    else if (key == "spread")
      session.spread = line.number(value, key, 0).value_or(0);
    else
      entry.unknown.push_back("sessions." + key);
  }
  for (const std::string_view key : {"date", "time_s", "runs"})
    if (!node.find(key))
      line.report(Code::missing_key, node, "a session needs " + std::string(key));
  entry.sessions.push_back(std::move(session));
}

void read_sessions(Line& line, const YamlNode& node, BaselineEntry& entry) {
  if (!node.is_list() || node.items.empty())
    return line.report(Code::wrong_type, node, "sessions is a list of at least one session");
  if (node.items.size() > 1000)
    return line.report(Code::limit_exceeded, node, "more than 1000 sessions of one kernel");
  for (const auto& item : node.items) read_session(line, item, entry);
}

// ---------------------------------------------------------------- lines

/// One key of a line. They are written in this order (src/report/baseline_text.cpp).
struct Key {
  std::string_view name;
  void (*read)(Line&, const YamlNode&, std::string_view, BaselineEntry&);
};
template <auto Member>
void text_of(Line& line, const YamlNode& node, std::string_view key, BaselineEntry& entry) {
  entry.*Member = line.text(node, key);
}
template <auto Member>
void machine_text(Line& line, const YamlNode& node, std::string_view key, BaselineEntry& entry) {
  entry.machine.*Member = line.text(node, key);
}
template <auto Member>
void number_of(Line& line, const YamlNode& node, std::string_view key, BaselineEntry& entry) {
  entry.*Member = line.number(node, key, 0);
}
constexpr Key kKeys[] = {
    {"id", &text_of<&BaselineEntry::id>},
    {"gpu", &machine_text<&BaselineMachine::gpu>},
    {"mig", &machine_text<&BaselineMachine::mig>},
    {"power_limit_w",
     [](Line& line, const YamlNode& node, std::string_view key, BaselineEntry& entry) {
       entry.machine.power_limit_w = line.positive(node, key);
     }},
    {"ecc", [](Line& line, const YamlNode& node, std::string_view key,
               BaselineEntry& entry) { entry.machine.ecc = line.flag(node, key); }},
    {"method", &text_of<&BaselineEntry::method>},
    {"driver", &text_of<&BaselineEntry::driver>},
    {"cuda", &text_of<&BaselineEntry::cuda>},
    {"name", &text_of<&BaselineEntry::name>},
    {"code_hash", &text_of<&BaselineEntry::code_hash>},
    {"grid", [](Line& line, const YamlNode& node, std::string_view key,
                BaselineEntry& entry) { entry.grid = line.extent(node, key); }},
    {"block", [](Line& line, const YamlNode& node, std::string_view key,
                 BaselineEntry& entry) { entry.block = line.extent(node, key); }},
    {"registers", &number_of<&BaselineEntry::registers>},
    {"launches", &number_of<&BaselineEntry::launches>},
    {"dram_bytes", &number_of<&BaselineEntry::dram_bytes>},
    {"reason", &text_of<&BaselineEntry::reason>},
    {"sessions", [](Line& line, const YamlNode& node, std::string_view,
                    BaselineEntry& entry) { read_sessions(line, node, entry); }},
};

BaselineEntry read_entry(Line& line) {
  BaselineEntry entry;
  const auto& root = line.root();
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    const auto& name = root.keys[i].text;
    if (root.items[i].is_null()) continue;
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const Key& row) { return row.name == name; });
    if (key != std::end(kKeys))
      key->read(line, root.items[i], name, entry);
    else
      entry.unknown.push_back(name);
  }
  for (const std::string_view key : {"id", "gpu", "sessions"})
    if (!root.find(key)) line.report(Code::missing_key, root, "a line needs " + std::string(key));
  return entry;
}

/// A schema that is not ours, or newer than we are.
void check_header(Line& line) {
  const auto* schema = line.root().is_map() ? line.root().find("schema") : nullptr;
  if (!schema || !schema->is_scalar())
    return line.report(Code::missing_key, line.root(),
                       "this is no baseline: its first line has no schema",
                       "roofline baseline record makes one");
  if (schema->text == kSchema) return;
  const bool newer = schema->text.starts_with(kSchemaFamily);
  line.report(
      Code::wrong_type, *schema,
      newer ? "this baseline is of another version, " + shortened(printable(schema->text), 60)
            : "this is no baseline but " + shortened(printable(schema->text), 60),
      newer ? "this roofline reads " + std::string(kSchema) + "; the file was left as it is" : "");
}

bool is_conflict_mark(std::string_view text) {
  return text.starts_with("<<<<<<< ") || text.starts_with(">>>>>>> ") || text == "=======" ||
         text.starts_with("||||||| ");
}

struct Reader {
  Baseline baseline;
  Errors errors;
  int number = 0;
  std::map<std::tuple<std::string, std::string>, int> seen;  // id and machine -> line

  void take(std::string_view text) {
    ++number;
    if (trimmed(text).empty() || errors.size() >= kMostErrors || foreign_) return;
    const Location whole{baseline.file, number, 1, 1, std::string(text.substr(0, 200)), 0};
    if (is_conflict_mark(text)) {
      errors.push_back({Code::yaml_syntax,
                        whole,
                        "an unresolved merge stands here",
                        "each kernel is one line: keep one of the two, or run roofline baseline "
                        "update --only ID",
                        {}});
      return;
    }
    auto document = read_yaml(std::string(text), baseline.file,
                              {.bytes = std::size_t{1} << 20, .depth = 8, .nodes = 20'000});
    if (!document) {
      for (auto& error : document.error()) {
        error.where.line = error.where.line > 0 ? number : 0;
        errors.push_back(std::move(error));
      }
      return;
    }
    Line line(std::move(*document), number, errors);
    if (baseline_started_) return take_entry(line, text);
    baseline_started_ = true;
    const auto before = errors.size();
    check_header(line);
    foreign_ = errors.size() > before;
  }

  void take_entry(Line& line, std::string_view text) {
    if (!line.root().is_map()) return line.report(Code::wrong_type, line.root(), "a line is a map");
    const auto before = errors.size();
    auto entry = read_entry(line);
    if (errors.size() > before) return;
    entry.text = text;
    entry.line = number;
    const auto [place, is_new] =
        seen.emplace(std::tuple(entry.id, describe(entry.machine)), number);
    if (!is_new)
      return line.report(Code::duplicate_key, line.root(),
                         "\"" + shortened(printable(entry.id), 60) + "\" stands twice for " +
                             describe(entry.machine) + ": also in line " +
                             std::to_string(place->second),
                         "keep one of the two lines");
    baseline.entries.push_back(std::move(entry));
  }

  bool baseline_started_ = false;
  bool foreign_ = false;  ///< not ours, or newer: what follows may mean anything
};

auto sort_key(const BaselineEntry& entry) {
  return std::tuple(std::string_view(entry.id), describe(entry.machine));
}

}  // namespace

Checked<Baseline> read_baseline(const std::string& text, const std::string& file) {
  Reader reader;
  reader.baseline.file = file;
  const std::string_view all = text;
  for (std::size_t at = 0; at < all.size();) {
    const auto end = std::min(all.find('\n', at), all.size());
    auto line = all.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.take(line);
    at = end + 1;
  }
  if (!reader.baseline_started_ && reader.errors.empty())
    reader.errors.push_back(
        {Code::empty_input,
         {file, 0, 0, 1, {}, 0},
         "this baseline is empty",
         "it was left as it is; take it from version control, or remove it to start anew",
         {}});
  if (!reader.errors.empty()) return tl::unexpected(std::move(reader.errors));
  std::stable_sort(reader.baseline.entries.begin(), reader.baseline.entries.end(),
                   [](const auto& a, const auto& b) { return sort_key(a) < sort_key(b); });
  return std::move(reader.baseline);
}

Checked<Baseline> read_baseline_file(const std::string& path) {
  auto text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(Errors{std::move(text.error())});
  return read_baseline(*text, path == "-" ? "stdin" : path);
}

}  // namespace roofline
