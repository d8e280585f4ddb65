#pragma once

#include <string_view>

namespace roofline::cli {

std::string_view version_number();  ///< "0.1.0"

}  // namespace roofline::cli
