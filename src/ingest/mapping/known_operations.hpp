#pragma once

#include <string_view>

namespace roofline::mapping {

/// Whether work can be made of operators of this name ("aten::mm"), given their shapes: of several
/// operators around a launch, the innermost such one is what the launch was for.
bool has_model(std::string_view operation);

}  // namespace roofline::mapping
