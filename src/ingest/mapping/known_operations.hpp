#pragma once

#include <string_view>

namespace roofline {

/// Whether there is a model of FLOPs and bytes for an operator of this name ("aten::mm"), so that
/// of the operators that enclose a launch it is the one to describe.
bool has_model(std::string_view op_name);

}  // namespace roofline
