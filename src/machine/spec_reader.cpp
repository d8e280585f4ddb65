#include "machine/spec_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr std::array<std::string_view, kRateTypes - 1> kRateNames = {
    "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4", "fp16_acc16", "fp8_acc16"};

bool contains(std::span<const std::string_view> sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

}  // namespace

void SpecReader::error(Code code, const YamlNode& node, std::string what, std::string hint) {
  errors_.push_back({code, document_.where(node), std::move(what), std::move(hint), {}});
}

std::optional<Source> read_source(SpecReader& reader, std::string_view key, const YamlNode& node) {
  if (node.is_scalar()) return Source{std::string(key), node.text, {}, {}, {}};
  YamlMap map(reader.document(), node, "a source", reader.errors());
  if (!map.ok()) return std::nullopt;
  Source source;
  source.key = key;
  const auto take = [&](std::string_view name, std::string& into) {
    if (const YamlNode* value = map.find(name)) {
      into = read_text(reader.document(), *value, name, reader.errors()).value_or(std::string{});
    }
  };
  map.need("title");
  take("title", source.title);
  take("revision", source.revision);
  take("address", source.address);
  take("seen", source.seen);
  map.close();
  return source;
}

void SpecReader::add_own_sources(const YamlNode& node) {
  if (!node.is_map()) {
    error(Code::wrong_type, node, "sources must be a map of keys to titles",
          "write sources: {my-sheet: \"Data sheet of my card, page 2\"}");
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (auto source = read_source(*this, node.keys[i].text, node.items[i])) own_sources_.push_back(std::move(*source));
  }
}

void SpecReader::schema(YamlMap& map, std::string_view expected) {
  const YamlNode* node = map.need("schema");
  if (!node || node->text == expected) return;
  error(Code::unknown_name, *node, fmt::format("this reader knows the schema {}, not \"{}\"", expected, printable(node->text)),
        fmt::format("write schema: {}", expected));
}

std::optional<double> SpecReader::quantity(const YamlNode& node, std::string_view what, Dimension dimension) {
  const auto text = read_text(document_, node, what, errors_);
  if (!text) return std::nullopt;
  auto value = parse_quantity(*text, dimension);
  if (!value) {
    Error e = std::move(value.error());
    e.where = document_.where(node);
    e.what = fmt::format("{}: {}", what, e.what);
    errors_.push_back(std::move(e));
    return std::nullopt;
  }
  if (*value > 0) return *value;
  error(Code::out_of_range, node, fmt::format("{} must be greater than zero", what));
  return std::nullopt;
}

std::optional<double> SpecReader::plain(const YamlNode& node, std::string_view what) {
  const auto text = read_text(document_, node, what, errors_);
  if (!text) return std::nullopt;
  auto value = parse_number(*text);
  if (!value) {
    Error e = std::move(value.error());
    e.where = document_.where(node);
    e.what = fmt::format("{}: {}", what, e.what);
    errors_.push_back(std::move(e));
    return std::nullopt;
  }
  if (*value > 0) return *value;
  error(Code::out_of_range, node, fmt::format("{} must be greater than zero", what));
  return std::nullopt;
}

std::optional<Count> SpecReader::count(const YamlNode& node, std::string_view what) {
  const auto value = plain(node, what);
  if (!value) return std::nullopt;
  constexpr double kMost = 1e9;  // no accelerator has more units; keeps the conversion exact
  if (*value > kMost || *value != static_cast<double>(static_cast<long>(*value))) {
    error(Code::bad_number, node, fmt::format("{} must be a whole number", what));
    return std::nullopt;
  }
  return Count(static_cast<long>(*value));
}

std::vector<std::string> SpecReader::sources(const YamlNode& node, std::string_view what) {
  auto keys = read_names(document_, node, what, errors_);
  if (!keys) return {};
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const std::string& key = (*keys)[i];
    const bool own = std::any_of(own_sources_.begin(), own_sources_.end(), [&](const Source& s) { return s.key == key; });
    if (own || contains(source_keys_, key)) continue;
    std::vector<std::string_view> known(source_keys_.begin(), source_keys_.end());
    for (const Source& source : own_sources_) known.push_back(source.key);
    std::string hint = did_you_mean(key, known);
    if (hint.empty()) hint = fmt::format("describe it in this file: sources: {{{}: \"title of the document\"}}", printable(key));
    error(Code::unknown_name, node.is_list() ? node.items[i] : node,
          fmt::format("unknown source \"{}\"", printable(key)), std::move(hint));
  }
  return *keys;
}

Origin SpecReader::origin(YamlMap& map) {
  Origin origin;
  if (const YamlNode* node = map.need("source")) origin.sources = sources(*node, "source");
  const auto flag = [&](std::string_view key, bool& into) {
    if (const YamlNode* node = map.find(key)) into = read_flag(document_, *node, key, errors_).value_or(false);
  };
  const auto words = [&](std::string_view key, std::string& into) {
    if (const YamlNode* node = map.find(key)) into = read_text(document_, *node, key, errors_).value_or(std::string{});
  };
  flag("derived", origin.derived);
  flag("unconfirmed", origin.unconfirmed);
  flag("doubtful", origin.doubtful);
  words("note", origin.note);
  words("measured_by", origin.measured_by);
  words("pattern", origin.pattern);
  words("kind", origin.kind);
  return origin;
}

bool SpecReader::is_figure(const YamlNode& node, const std::string& what) {
  if (node.is_map()) return true;
  error(Code::wrong_type, node, fmt::format("{}: a figure needs its source beside the value", what),
        fmt::format("write {{value: {}, source: <key>}}",
                    node.is_scalar() && !node.text.empty() ? printable(node.text) : std::string("...")));
  return false;
}

MaybeFigure<double> SpecReader::number(YamlMap& parent, std::string_view key, const std::string& what) {
  return figure<double>(parent, key, what, [&](const YamlNode& node) { return plain(node, what); });
}

MaybeFigure<std::string> SpecReader::text(YamlMap& parent, std::string_view key, const std::string& what) {
  return figure<std::string>(parent, key, what,
                             [&](const YamlNode& node) { return read_text(document_, node, what, errors_); });
}

MaybeFigure<std::vector<std::string>> SpecReader::names(YamlMap& parent, std::string_view key, const std::string& what) {
  return figure<std::vector<std::string>>(
      parent, key, what, [&](const YamlNode& node) { return read_names(document_, node, what, errors_); });
}

std::optional<RateType> SpecReader::rate_type(const YamlNode& name) {
  if (const auto type = find_rate(name.text); type && *type != RateType::none) return type;
  error(Code::unknown_dtype, name, fmt::format("unknown rate type \"{}\"", printable(name.text)),
        did_you_mean(name.text, kRateNames));
  return std::nullopt;
}

std::vector<RateType> SpecReader::rate_types(YamlMap& parent, std::string_view key) {
  std::vector<RateType> types;
  const YamlNode* node = parent.find(key);
  if (!node) return types;
  if (!node->is_list()) {
    error(Code::wrong_type, *node, fmt::format("{} must be a list of rate types", key), "write [fp64, fp4]");
    return types;
  }
  for (const YamlNode& item : node->items) {
    if (const auto type = rate_type(item)) types.push_back(*type);
  }
  return types;
}

}  // namespace roofline
