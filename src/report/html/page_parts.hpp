#pragma once

#include <string_view>

namespace roofline::html {

std::string_view page_style();   ///< page.css
std::string_view page_script();  ///< page.js

}  // namespace roofline::html
