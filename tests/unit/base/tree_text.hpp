#pragma once

#include <string>

#include "roofline/base/yaml.hpp"

namespace roofline {

/// A tree on one line, quoted scalars in quotes: {a:1,b:["x y",null]}. Tests compare it with what a
/// reader of the file would write down.
inline std::string tree_text(const YamlNode& node) {
  if (node.is_null()) return "null";
  if (node.is_scalar()) return node.quoted ? '"' + node.text + '"' : node.text;
  std::string result;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) result += ',';
    if (node.is_map()) result += tree_text(node.keys[i]) + ':';
    result += tree_text(node.items[i]);
  }
  return node.is_map() ? '{' + result + '}' : '[' + result + ']';
}

}  // namespace roofline
