#pragma once

#include <string_view>

#include "base/yaml_tree.hpp"
#include "roofline/base/error.hpp"

namespace roofline {

/// What yaml-cpp threw, and how far it had come.
struct YamlFault {
  std::string_view message;        ///< yaml-cpp's
  int line = 0, column = 0;        ///< from 1
  std::size_t offset = 0;          ///< the same place as a byte
  std::size_t reached = 0;         ///< where the last node starts that was read
  const YamlNode* open = nullptr;  ///< the innermost collection that is not closed
};

/// yaml-cpp's complaint in our words, at the place where a reader will find the mistake.
Error describe_fault(const YamlFault& fault, const SourceText& source);

Error tab_in_indentation(Location where);
Error open_quote(Location where);

}  // namespace roofline
