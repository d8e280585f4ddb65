#pragma once

#include <string>

#include "roofline/base/result.hpp"

namespace roofline::cli {

/// Absolute path of the plug-in: $ROOFLINE_PLUGIN, else beside the program, as installed
/// (../lib*/roofline) or as built. Errors: plugin_missing, with the places that were looked at.
Result<std::string> find_plugin();

}  // namespace roofline::cli
