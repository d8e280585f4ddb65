#pragma once

#include <string>
#include <vector>

#include "cli/args.hpp"
#include "roofline/base/error.hpp"

namespace roofline::cli {

/// A setting and where it was made: "ROOFLINE_GPU", "roofline.yml".
struct Setting {
  std::vector<std::string> values;
  std::string origin;
  Location where;  ///< in the file; empty for a variable

  bool given() const { return !values.empty(); }
  std::string text() const { return values.empty() ? std::string() : values.front(); }
};

/// What stands below the options of the command line: variables, then the project's file, then the
/// user's.
struct Settings {
  Setting gpu, format, color, launch_cost;
  std::vector<std::string> files;  ///< that were read, for -v
};
Checked<Settings> read_settings(const CommonArgs& args);

/// An error of a setting's value, with the place or the variable that it comes from.
Error at_setting(Error error, const Setting& setting);

}  // namespace roofline::cli
