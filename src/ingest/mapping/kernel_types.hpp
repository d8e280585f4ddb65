#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "roofline/kernel/operation.hpp"

namespace roofline::mapping {

/// The type of a kernel's operands by its name: "bf16" of "ampere_bf16_s16816gemm_bf16_128x64",
/// "fp32" of "ampere_sgemm_128x64". A narrow type goes before "float", which is then the
/// accumulator's. nullopt: the name tells none, or several.
std::optional<std::string_view> operand_dtype_of(std::string_view kernel_name);

/// The first two arguments of a template in a kernel's name: "fp32" and "bf16" of
/// "chunk_cat_cuda_kernel<float, c10::BFloat16>", by the mark "chunk_cat_cuda_kernel<". nullopt:
/// the name has no such template, or its arguments are no types.
std::optional<std::pair<std::string_view, std::string_view>> two_types_in(
    std::string_view kernel_name, std::string_view mark);

/// An operator whose tensors were recorded without types (emit_nvtx), with that of its kernel's
/// name. nullopt: it has types, the name tells none, or its operands need not be of one type.
std::optional<Operation> with_kernel_types(const Operation& operation,
                                           std::string_view kernel_name);

}  // namespace roofline::mapping
