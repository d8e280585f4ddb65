#pragma once

#include <span>
#include <string_view>

namespace roofline {

std::span<const std::string_view> formula_functions();  ///< reserved: no variable may be called so
bool is_formula_name(std::string_view text);            ///< [A-Za-z_][A-Za-z0-9_]*

}  // namespace roofline
