#pragma once

#include <cstddef>
#include <optional>

#include "cli/args.hpp"
#include "cli/errors.hpp"

namespace roofline::cli {

/// How errors of the command line itself are shown: found without parsing, because parsing is what
/// failed.
ErrorStyle style_of(Words words);

std::optional<ColourChoice> find_colour_choice(std::string_view word);  ///< auto, always, never

/// `--color` and `--width` of commands that need nothing else. Errors: bad_option.
struct CommonStyle {
  ErrorStyle errors;
  std::size_t width = 100;
};
Result<CommonStyle> common_style(const CommonArgs& args);

}  // namespace roofline::cli
