#include "ingest/hlo/module.hpp"

#include <algorithm>
#include <limits>

namespace roofline::hlo {
namespace {

using enum TypeClass;

/// PrimitiveType of xla/xla_data.proto.
constexpr Type kTypes[] = {
    {0, "", 0, none, ""},
    {1, "pred", 8, boolean, "bool"},
    {2, "s8", 8, integer, "int8"},
    {3, "s16", 16, integer, "int16"},
    {4, "s32", 32, integer, "int32"},
    {5, "s64", 64, integer, "int64"},
    {6, "u8", 8, integer, "uint8"},
    {7, "u16", 16, integer, ""},
    {8, "u32", 32, integer, ""},
    {9, "u64", 64, integer, ""},
    {10, "f16", 16, real, "fp16"},
    {11, "f32", 32, real, "fp32"},
    {12, "f64", 64, real, "fp64"},
    {13, "tuple", 0, none, ""},
    {14, "opaque", 0, none, ""},
    {15, "c64", 64, complex, "complex64"},
    {16, "bf16", 16, real, "bf16"},
    {17, "token", 0, none, ""},
    {18, "c128", 128, complex, "complex128"},
    {19, "f8e5m2", 8, real, "fp8_e5m2"},
    {20, "f8e4m3fn", 8, real, "fp8_e4m3"},
    {21, "s4", 4, integer, "int4"},
    {22, "u4", 4, integer, ""},
    {23, "f8e4m3b11fnuz", 8, real, "fp8_e4m3"},
    {24, "f8e5m2fnuz", 8, real, "fp8_e5m2"},
    {25, "f8e4m3fnuz", 8, real, "fp8_e4m3"},
    {26, "s2", 2, integer, ""},
    {27, "u2", 2, integer, ""},
    {28, "f8e4m3", 8, real, "fp8_e4m3"},
    {29, "f8e3m4", 8, real, ""},
    {32, "f4e2m1fn", 4, real, "fp4_e2m1"},
    {33, "f8e8m0fnu", 8, real, "ue8m0"},
};
constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();

}  // namespace

const Type* find_type(unsigned code) {
  for (const auto& type : kTypes)
    if (type.code == code) return &type;
  return kTypes;
}
const Type* find_type(std::string_view name) {
  for (const auto& type : kTypes)
    if (type.name == name) return &type;
  return kTypes;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMost / a ? kMost : a * b;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return b > kMost - a ? kMost : a + b; }

std::uint64_t Shape::elements() const {
  if (tuple) return parts.empty() ? 0 : parts.front().elements();
  std::uint64_t all = type->bits == 0 ? 0 : 1;
  for (const auto size : sizes) all = times(all, size);
  return all;
}
std::uint64_t Shape::bytes() const {
  if (!tuple) {
    const auto bits = times(elements(), type->bits);
    return bits / 8 + (bits % 8 != 0 ? 1 : 0);
  }
  std::uint64_t all = 0;
  for (const auto& part : parts) all = plus(all, part.bytes());
  return all;
}

const Details& Instruction::more() const {
  static const Details kNone;
  return details ? *details : kNone;
}

void Module::index() {
  for (std::uint32_t c = 0; c < computations.size(); ++c)
    for (std::uint32_t i = 0; i < computations[c].instructions.size(); ++i)
      places_.insert_or_assign(computations[c].instructions[i].name, Place{c, i});
}
std::optional<Place> Module::find(std::string_view instruction) const {
  const auto at = places_.find(instruction);
  return at == places_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace roofline::hlo
