#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ingest/hlo/module.hpp"
#include "roofline/kernel/operation.hpp"

namespace roofline::hlo {

/// An instruction as an operation of a capture: its name behind "hlo::", the arrays that it reads
/// as operands, and in its attributes `opcode`, `result` ("bf16[8,128]"), what it has to do at
/// least (`read_bytes`, `written_bytes`, `work`: "matmul.bf16=1024;sfu=16"), that of a collective
/// (`collective`, `group_size`, `in_elements`, `out_elements`, `dtype`), or why that is not known
/// (`unknown`: a reason of `unmapped`).
Operation operation_of(const Module& module, Place place);

/// "bf16[8,128]", "(f32[2], s32[])".
std::string shape_text(const Shape& shape);

}  // namespace roofline::hlo
