#pragma once

#include <string>
#include <string_view>

#include "roofline/base/result.hpp"
#include "roofline/kernel/kernel.hpp"
#include "roofline/kernel/operation.hpp"

namespace roofline {

/// Why no work could be made of an operation: a snake_case word of mapping_reason_text().
namespace unmapped {
inline constexpr std::string_view kNotModelled = "operation_not_modelled";
inline constexpr std::string_view kNoShapes = "operation_without_shapes";
inline constexpr std::string_view kNoArguments = "operation_without_arguments";
inline constexpr std::string_view kNoDtype = "operation_without_dtype";
inline constexpr std::string_view kLengths = "operation_lengths_unknown";
inline constexpr std::string_view kContradiction = "operation_contradictory";
}  // namespace unmapped

/// What the file does not tell of an operation, and the machine does.
struct MappingContext {
  /// The links' switches can sum (NVLink SHARP): an all-reduce may then send its array once, where
  /// a ring sends it nearly twice; NCCL's kernel names do not tell which it did.
  bool switch_sums = false;
};

/// Exact FLOPs and compulsory bytes of an operation as a framework's trace tells it, by the same op
/// models as descriptions: the kernel's name is operation_text(). `kernel_name`: the demangled name
/// of the kernel that did most of it, which decides between FP32 and TF32 matrix products. What is
/// not told is never assumed to be small: the answer is then a reason of `unmapped`.
tl::expected<Kernel, std::string_view> map_operation(const Operation& operation,
                                                     std::string_view kernel_name,
                                                     const MappingContext& context = {});

}  // namespace roofline
