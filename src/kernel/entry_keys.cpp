#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernel/entry_reader.hpp"
#include "kernel/quoted.hpp"
#include "roofline/base/pattern.hpp"
#include "roofline/quantities/units.hpp"

// The keys that every op has.
namespace roofline {
namespace {

constexpr std::size_t kLongestName = 1000;  // bytes of a kernel's name, or of a pattern

}  // namespace

void EntryReader::read_name(const YamlNode& node) {
  if (!node.is_scalar() || node.text.empty()) return reading_.report_kind(node, "name", "a text");
  if (node.text.size() > kLongestName)
    return reading_.report(Code::limit_exceeded, node,
                           "a name of " + std::to_string(node.text.size()) + " bytes");
  entry_.prototype.name = node.text;
}

void EntryReader::read_entry_dtype(const YamlNode& node) {
  const auto dtype = read_dtype(reading_, node);
  if (dtype) dtype_ = dtype;
  wrong_dtype_ = !dtype;
}

void EntryReader::add_slot(Slot::Target target, Expression expression, std::string_view what,
                           Count minimum, std::size_t field) {
  roofline::add_slot(reading_, around_.values,
                     {std::move(expression), target, {static_cast<int>(field)}, 1, what, minimum},
                     entry_);
}

void EntryReader::read_repeat(const YamlNode& node) {
  has_repeat_ = true;
  if (auto expression = read_expression(reading_, node, "repeat", around_.scope))
    add_slot(Slot::Target::repeat, std::move(*expression), "repeat", 1, 0);
}

void EntryReader::read_tile(const YamlNode& node) {
  if (!node.is_map())
    return reading_.report_kind(node, "tile", "a map",
                                "tile: {bm: 128, bn: 256, bk: 64, stages: 4}");
  const auto fields = tile_fields();
  std::vector<std::string_view> names;
  for (const auto& field : fields) names.push_back(field.name);
  std::vector<bool> given(fields.size());
  entry_.prototype.tile.emplace();
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const auto& key = node.keys[i];
    const auto found = std::find(names.begin(), names.end(), lower_case(key.text));
    const auto row = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      std::string near = did_you_mean(key.text, names);
      reading_.report(Code::unknown_key, key, "unknown key " + quoted(key.text) + " of a tile",
                      near.empty()
                          ? "a tile has bm, bn, bk, stages, ctas_per_sm, group_m and group_n"
                          : std::move(near));
    } else if (given[row]) {
      reading_.report(Code::duplicate_key, key, quoted(fields[row].name) + " is given twice",
                      "keep one of them");
    } else if (auto size =
                   read_expression(reading_, node.items[i], fields[row].name, around_.scope)) {
      add_slot(Slot::Target::tile, std::move(*size), fields[row].name, fields[row].minimum, row);
    }
    if (found != names.end()) given[row] = true;
  }
  for (std::size_t row = 0; row < fields.size(); ++row)
    if (fields[row].required && !given[row])
      reading_.report(Code::missing_key, node, "a tile needs " + quoted(fields[row].name),
                      "tile: {bm: 128, bn: 256}");
}

void EntryReader::read_time(const YamlNode& node) {
  if (!node.is_map()) {
    if (const auto seconds = read_seconds(reading_, node, "time", false))
      entry_.prototype.time = Seconds(*seconds);
    return;
  }
  YamlMap map(reading_.document(), node, "a time", reading_.errors());
  if (const auto* median = map.need("median"))
    if (const auto seconds = read_seconds(reading_, *median, "time", false))
      entry_.prototype.time = Seconds(*seconds);
  if (const auto* samples = map.find("samples"))
    if (const auto count = read_constant(reading_, *samples, "samples", 1, {}, {}))
      entry_.prototype.samples = *count;
  map.close();
}

void EntryReader::read_entry_timing(const YamlNode& node) {
  if (const auto timing = read_timing(reading_, node)) entry_.prototype.timing = *timing;
}

void EntryReader::read_working_set(const YamlNode& node) {
  if (!node.is_scalar())
    return reading_.report_kind(node, "working_set", "a size with a unit", "for example 96 MiB");
  auto bytes = parse_quantity(node.text, Dimension::bytes);
  if (!bytes) {
    bytes.error().where = {};
    return reading_.report_inside(node, std::move(bytes.error()));
  }
  constexpr double kLargest = 9.2e18;
  if (*bytes >= 0 && *bytes <= kLargest && *bytes == std::floor(*bytes))
    entry_.prototype.working_set = Count(static_cast<long>(*bytes));
  else
    reading_.report(Code::out_of_range, node, "working_set is " + quoted(node.text),
                    "it is a whole number of bytes");
}

void EntryReader::read_entry_launch_cost(const YamlNode& node) {
  if (const auto cost = read_launch_cost(reading_, node)) entry_.prototype.launch_cost = *cost;
}

void EntryReader::read_entry_path(const YamlNode& node) {
  if (const auto mma_sync = read_path(reading_, node)) entry_.prototype.mma_sync = *mma_sync;
}

void EntryReader::read_entry_link(const YamlNode& node) {
  if (auto link = read_link(reading_, node)) entry_.prototype.link = std::move(*link);
}

/// A grid or a block: one to three whole numbers.
std::vector<std::uint64_t> EntryReader::read_sizes(const YamlNode& node, std::string_view what) {
  std::vector<std::uint64_t> sizes;
  std::vector<const YamlNode*> items;
  if (node.is_list())
    for (const auto& item : node.items) items.push_back(&item);
  else
    items.push_back(&node);
  for (const auto* item : items) {
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(item->text.data(), item->text.data() + item->text.size(), size);
    const bool whole = error == std::errc() && end == item->text.data() + item->text.size() && !item->text.starts_with('0');
    if (item->is_scalar() && whole) sizes.push_back(size);
  }
  if (items.empty() || items.size() > 3 || sizes.size() != items.size()) {
    reading_.report(Code::wrong_type, node, std::string(what) + " is one to three whole numbers", std::string(what) + ": [132, 1, 1]");
    return {};
  }
  return sizes;
}

void EntryReader::read_match(const YamlNode& node) {
  Match match;
  if (node.is_scalar()) {
    match.name = node.text;
  } else {
    YamlMap map(reading_.document(), node, "match", reading_.errors());
    if (!map.ok()) return;
    const auto text = [&](std::string_view key, std::string& into) {
      if (const auto* value = map.find(key))
        into = read_text(reading_.document(), *value, "the " + std::string(key) + " in match", reading_.errors()).value_or("");
    };
    text("name", match.name);
    text("glob", match.glob);
    text("regex", match.regex);
    if (const auto* grid = map.find("grid")) match.grid = read_sizes(*grid, "grid");
    if (const auto* block = map.find("block")) match.block = read_sizes(*block, "block");
    map.close();
    check_pattern(node, "glob", match.glob);
    check_pattern(node, "regex", match.regex);
  }
  if (match.name.empty() && match.regex.empty() && match.glob.empty() && match.grid.empty() && match.block.empty())
    return reading_.report(Code::missing_key, node, "match is empty",
                           "match: {regex: '^sm90_.*gemm'} or match: kernel_name");
  if (match.name.size() > kLongestName || match.regex.size() > kLongestName || match.glob.size() > kLongestName)
    return reading_.report(Code::limit_exceeded, node,
                           "a pattern of more than " + std::to_string(kLongestName) + " bytes");
  entry_.prototype.match = std::move(match);
}

/// A pattern that cannot be compiled is found when the description is read, not when launches are there.
void EntryReader::check_pattern(const YamlNode& match, std::string_view key, const std::string& text) {
  if (text.empty()) return;
  const auto pattern = key == "glob" ? Pattern::glob(text) : Pattern::regex(text);
  if (!pattern) reading_.report(Code::bad_expression, *match.find(key), pattern.error().what, pattern.error().hint);
}

}  // namespace roofline
