#pragma once

#include <optional>

#include "kernel/entry.hpp"

namespace roofline {

/// Whether a dtype's operand stands for `name` among the traffic of its op ("in*" covers in0, in1
/// ...).
bool covers(const OperandSpec& spec, std::string_view name);

/// Holds what the op counts for each bound operand against the tensor's size, and notes what is
/// read and written in `kernel.tensors`. Error: operands_disagree with both figures, unknown_name
/// for an operand that this kernel lacks.
std::optional<Error> check_operands(const Entry& entry, const Surroundings& around, Kernel& kernel);

}  // namespace roofline
