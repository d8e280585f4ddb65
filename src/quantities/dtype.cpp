#include "roofline/quantities/dtype.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace roofline {
namespace {

constexpr DTypeEntry kDTypes[] = {
    {DType::fp64, "fp64", 64, false, "IEEE double"},
    {DType::fp32, "fp32", 32, false, "IEEE single; a plain fp32 matrix product runs on the vector pipe"},
    {DType::tf32, "tf32", 32, false, "fp32 in memory, 10 mantissa bits in the tensor core"},
    {DType::fp16, "fp16", 16, false, "IEEE half"},
    {DType::bf16, "bf16", 16, false, "brain float: 8 exponent bits"},
    {DType::fp8_e4m3, "fp8_e4m3", 8, false, "OCP 8-bit float, 4 exponent bits"},
    {DType::fp8_e5m2, "fp8_e5m2", 8, false, "OCP 8-bit float, 5 exponent bits"},
    {DType::fp6_e3m2, "fp6_e3m2", 6, false, "OCP 6-bit float, 3 exponent bits"},
    {DType::fp6_e2m3, "fp6_e2m3", 6, false, "OCP 6-bit float, 2 exponent bits"},
    {DType::fp4_e2m1, "fp4_e2m1", 4, false, "OCP 4-bit float (mxfp4, nvfp4 values)"},
    {DType::ue8m0, "ue8m0", 8, false, "power-of-two block scale of the OCP MX formats"},
    {DType::int64, "int64", 64, false, ""},
    {DType::int32, "int32", 32, false, ""},
    {DType::int16, "int16", 16, false, ""},
    {DType::int8, "int8", 8, false, ""},
    {DType::uint8, "uint8", 8, false, ""},
    {DType::boolean, "bool", 8, false, ""},
    {DType::int4, "int4", 4, false, "two to a byte"},
    {DType::complex64, "complex64", 64, true, "two fp32"},
    {DType::complex128, "complex128", 128, true, "two fp64"},
};

struct Alias {
  std::string_view alias, name;
};
constexpr Alias kAliases[] = {
    {"float64", "fp64"},      {"double", "fp64"},       {"f64", "fp64"},       {"float32", "fp32"},
    {"float", "fp32"},        {"f32", "fp32"},          {"float16", "fp16"},   {"half", "fp16"},
    {"f16", "fp16"},          {"bfloat16", "bf16"},     {"fp8", "fp8_e4m3"},   {"e4m3", "fp8_e4m3"},
    {"float8_e4m3fn", "fp8_e4m3"}, {"e5m2", "fp8_e5m2"}, {"float8_e5m2", "fp8_e5m2"}, {"e3m2", "fp6_e3m2"},
    {"fp6", "fp6_e3m2"},      {"e2m3", "fp6_e2m3"},     {"fp4", "fp4_e2m1"},   {"e2m1", "fp4_e2m1"},
    {"float4_e2m1fn_x2", "fp4_e2m1"}, {"e8m0", "ue8m0"}, {"i64", "int64"},     {"long", "int64"},
    {"i32", "int32"},         {"i16", "int16"},         {"i8", "int8"},        {"u8", "uint8"},
    {"boolean", "bool"},      {"i4", "int4"},           {"uint4", "int4"},     {"c64", "complex64"},
    {"c128", "complex128"},
};

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kDTypes)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kDTypes[i].name;
  return names;
}();

}  // namespace

std::span<const DTypeEntry> dtypes() { return kDTypes; }
const DTypeEntry& describe(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }
std::span<const std::string_view> dtype_names() { return kNames; }

std::optional<DType> find_dtype(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& alias : kAliases)
    if (alias.alias == lower) lower = alias.name;
  for (const auto& entry : kDTypes)
    if (entry.name == lower) return entry.dtype;
  return std::nullopt;
}

}  // namespace roofline
