#pragma once

#include "base/yaml_tree.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline {

struct ParsedYaml {
  YamlNode root;  ///< not to be used when there are errors
  bool complete;  ///< the text has the form of YAML, whatever else is wrong with it
};

/// One document of YAML by yaml-cpp, aliases expanded. Adds to `errors`, which is empty. May throw
/// what the standard library throws.
ParsedYaml parse_yaml(const SourceText& source, const YamlLimits& limits, Errors& errors);

}  // namespace roofline
