#pragma once

#include <span>

#include "cli/terminal.hpp"
#include "roofline/base/error.hpp"

namespace roofline::cli {

/// How errors are shown.
struct ErrorStyle {
  bool json = false;
  ColourChoice colour = ColourChoice::automatic;
};

/// Prints the errors on stderr and returns the exit code of the first.
int report_errors(std::span<const Error> errors, ErrorStyle style);
int report_error(const Error& error, ErrorStyle style);

}  // namespace roofline::cli
