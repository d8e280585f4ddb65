#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// What reading a text as JSON gave: a tree, or where and why it is not JSON.
struct JsonOutcome {
  std::optional<YamlNode> root;
  std::size_t offset = 0;  ///< of the fault
  Code code = Code::yaml_syntax;
  std::string what;
};

/// Whether the first character that is not blank opens a list or a map.
bool looks_like_json(std::string_view text);

/// Reads strict JSON (RFC 8259), valid UTF-8. JSON is nearly YAML, but not to yaml-cpp: tabs in the
/// indentation, \u escapes of surrogate pairs and long lines are common in JSON files. Repeated
/// keys are left in the tree.
JsonOutcome read_json(std::string_view text, const YamlLimits& limits);

/// `text` with every tab that is outside of quotes made a space.
std::string without_tabs(std::string_view text);

}  // namespace roofline
