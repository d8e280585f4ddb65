#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace roofline {

/// Storage types of tensor elements.
enum class DType : unsigned char {
  fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, fp6_e3m2, fp6_e2m3, fp4_e2m1, ue8m0,
  int64, int32, int16, int8, uint8, boolean, int4, complex64, complex128,
};

struct DTypeEntry {
  DType dtype;
  std::string_view name;
  int bits;  ///< per element; sub-byte types pack back to back
  bool is_complex;
  std::string_view doc;
};

std::span<const DTypeEntry> dtypes();                ///< the one table of element sizes, in enum order
const DTypeEntry& describe(DType dtype);
std::optional<DType> find_dtype(std::string_view name);  ///< by name or alias (float32, half, e4m3 ...), any case
std::span<const std::string_view> dtype_names();     ///< for did-you-mean

}  // namespace roofline
