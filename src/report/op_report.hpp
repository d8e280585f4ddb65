#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "roofline/kernel/op.hpp"

namespace roofline {

/// The table of operations by family: name and what it computes.
std::string list_ops(std::size_t width = 100);
/// One operation: parameters, operands, other spellings, closed forms, source, an example that
/// runs.
std::string show_op(const OpEntry& op, std::size_t width = 100);
/// roofline.op-list/1: everything that show_op() prints.
std::string ops_json(std::span<const OpEntry> ops);
/// The whole reference: docs/ops.md is a copy of it.
std::string ops_markdown();

}  // namespace roofline
