#pragma once

#include <span>
#include <string>

#include "roofline/base/error.hpp"

namespace roofline {

/// The errors as JSON lines, one roofline.error/1 object each (docs/formats.md), in the order
/// given:
/// {"schema":"roofline.error/1","code":"RF2003","exit_code":2,"message":"..","file":"..","line":7,"column":10,"length":4,
/// "help":"..","note":".."}. What is not known is absent. `file` is as the user named it.
std::string errors_as_json(std::span<const Error> errors);

}  // namespace roofline
