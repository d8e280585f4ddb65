#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

/// The few requests of man(7) that our pages are made of.
namespace roofline::cli::troff {

/// Text that troff prints as it stands: no escape, no request at the start of a line, hyphens that
/// can be copied.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n')
      if (c == '.' || c == '\'') result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

inline std::string section(std::string_view name) { return fmt::format(".SH {}\n", name); }

inline std::string item(std::string_view title, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(title), escaped(text));
}

}  // namespace roofline::cli::troff
