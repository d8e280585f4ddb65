#pragma once

#include <string_view>
#include <vector>

#include "roofline/kernel/operation.hpp"

namespace roofline {

/// The operands of a PyTorch operator from the lists of its event: "Input Dims", "Input type",
/// "Input Strides" and "Concrete Inputs" as they stand in the trace. A list of tensors is one
/// operand whose value is the list of their shapes.
std::vector<Operand> trace_operands(std::string_view shapes, std::string_view types,
                                    std::string_view strides, std::string_view values);

}  // namespace roofline
