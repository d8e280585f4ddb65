#pragma once

#include <string>
#include <string_view>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// A YAML tree as compact bytes, without positions: how the embedded spec table is stored, so that one reader serves
/// both a user's file and the built-in entries and nothing is parsed as YAML at start-up.
std::string pack(const YamlNode& node);

/// The tree again. `bytes` come from pack(); anything else is an internal error.
Result<YamlNode> unpack(std::string_view bytes);

}  // namespace roofline
