#pragma once

#include <string>
#include <string_view>

#include "roofline/base/text.hpp"

namespace roofline {

/// What a user wrote, as messages repeat it: in quotes, and short.
inline std::string quoted(std::string_view text) {
  return '"' + shortened(text.substr(0, 400), 60) + '"';
}

}  // namespace roofline
