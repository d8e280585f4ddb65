#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/yaml.hpp"
#include "roofline/machine/gpu.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {

/// What a spec file may refer to beyond itself. Both lists are sorted.
struct SpecReferences {
  std::span<const std::string_view> source_keys;
  std::span<const std::string_view> architecture_ids;
  std::function<Checked<Architecture>(std::string_view id)> architecture;  ///< called for known ids only
};

/// Reads the parts that all spec files share: figures with their origin, quantities, names of rate types. What is
/// wrong is added to the errors; a reader goes on, so that all errors of a file are shown together.
class SpecReader {
 public:
  SpecReader(const YamlDocument& document, std::span<const std::string_view> source_keys, Errors& errors)
      : document_(document), source_keys_(source_keys), errors_(errors) {}

  const YamlDocument& document() const { return document_; }
  Errors& errors() { return errors_; }
  void error(Code code, const YamlNode& node, std::string what, std::string hint = {});

  /// Sources that the file itself describes, so that its figures may name them.
  void add_own_sources(const YamlNode& node);
  const std::vector<Source>& own_sources() const { return own_sources_; }

  /// Checks `schema:` against the one name that this reader understands.
  void schema(YamlMap& map, std::string_view expected);

  /// A number above zero in the dimension's unit, or without a unit (`plain`). `what` names it in messages.
  std::optional<double> quantity(const YamlNode& node, std::string_view what, Dimension dimension);
  std::optional<double> plain(const YamlNode& node, std::string_view what);
  std::optional<Count> count(const YamlNode& node, std::string_view what);

  /// Source keys and flags of a figure whose other keys the caller reads from the same map.
  Origin origin(YamlMap& map);
  std::vector<std::string> sources(const YamlNode& node, std::string_view what);

  /// The figure under `key` of `parent`, or nothing when the file leaves it out. `read_value` turns the node of
  /// `value:` into a T.
  template <class T, class ReadValue>
  MaybeFigure<T> figure(YamlMap& parent, std::string_view key, const std::string& what, ReadValue read_value) {
    const YamlNode* node = parent.find(key);
    if (!node) return std::nullopt;
    return figure_at<T>(*node, what, read_value);
  }
  template <class T, class ReadValue>
  MaybeFigure<T> figure_at(const YamlNode& node, const std::string& what, ReadValue read_value) {
    if (!is_figure(node, what)) return std::nullopt;
    YamlMap map(document_, node, what, errors_);
    const YamlNode* value = map.need("value");
    std::optional<T> read;
    if (value) read = read_value(*value);
    Figure<T> figure{read.value_or(T{}), origin(map)};
    map.close();
    if (!read) return std::nullopt;
    return figure;
  }

  /// Figures with a dimension, as doubles in base units and as a quantity type.
  template <class Q>
  MaybeFigure<Q> measure(YamlMap& parent, std::string_view key, const std::string& what, Dimension dimension) {
    return figure<Q>(parent, key, what, [&](const YamlNode& node) -> std::optional<Q> {
      const auto value = quantity(node, what, dimension);
      if (!value) return std::nullopt;
      return Q(*value);
    });
  }
  MaybeFigure<double> number(YamlMap& parent, std::string_view key, const std::string& what);
  MaybeFigure<std::string> text(YamlMap& parent, std::string_view key, const std::string& what);
  MaybeFigure<std::vector<std::string>> names(YamlMap& parent, std::string_view key, const std::string& what);

  /// The rate type that a key or name stands for; an unknown one is reported.
  std::optional<RateType> rate_type(const YamlNode& name);
  std::vector<RateType> rate_types(YamlMap& parent, std::string_view key);

 private:
  bool is_figure(const YamlNode& node, const std::string& what);

  const YamlDocument& document_;
  std::span<const std::string_view> source_keys_;
  Errors& errors_;
  std::vector<Source> own_sources_;
};

/// Reads one entry of a `sources:` map: a title, or title, revision, address and seen.
std::optional<Source> read_source(SpecReader& reader, std::string_view key, const YamlNode& node);

}  // namespace roofline
