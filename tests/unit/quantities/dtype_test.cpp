#include "roofline/quantities/dtype.hpp"

#include <gtest/gtest.h>

#include <set>

namespace roofline {
namespace {

struct BitsRow {
  const char* name;
  int bits;
};
constexpr BitsRow kBits[] = {
    // IEEE 754, OCP 8-bit floats and MX formats, numpy for complex
    {"fp64", 64},    {"fp32", 32},    {"tf32", 32},    {"fp16", 16},      {"bf16", 16},
    {"fp8_e4m3", 8}, {"fp8_e5m2", 8}, {"fp6_e3m2", 6}, {"fp6_e2m3", 6},   {"fp4_e2m1", 4},
    {"ue8m0", 8},    {"int64", 64},   {"int32", 32},   {"int16", 16},     {"int8", 8},
    {"uint8", 8},    {"bool", 8},     {"int4", 4},     {"complex64", 64}, {"complex128", 128},
};
class Bits : public testing::TestWithParam<BitsRow> {};
TEST_P(Bits, PerElement) {
  const auto dtype = find_dtype(GetParam().name);
  ASSERT_TRUE(dtype);
  EXPECT_EQ(describe(*dtype).bits, GetParam().bits);
  EXPECT_EQ(describe(*dtype).name, GetParam().name);
}
INSTANTIATE_TEST_SUITE_P(Rows, Bits, testing::ValuesIn(kBits),
                         [](const auto& i) { return i.param.name; });

TEST(DTypes, TableIsInTheOrderOfTheEnumerators) {
  for (std::size_t i = 0; i < dtypes().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(dtypes()[i].dtype), i);
  EXPECT_EQ(dtypes().size(), std::size(kBits));
  EXPECT_EQ(dtype_names().size(), dtypes().size());
}

TEST(DTypes, ComplexOnesSaySo) {
  for (const auto& entry : dtypes())
    EXPECT_EQ(entry.is_complex, entry.name.starts_with("complex")) << entry.name;
}

struct AliasRow {
  const char* alias;
  DType dtype;
};
constexpr AliasRow kAliases[] = {
    {"float32", DType::fp32},  {"float", DType::fp32},
    {"Half", DType::fp16},     {"BFloat16", DType::bf16},
    {"BF16", DType::bf16},     {"double", DType::fp64},
    {"e4m3", DType::fp8_e4m3}, {"float8_e5m2", DType::fp8_e5m2},
    {"fp4", DType::fp4_e2m1},  {"boolean", DType::boolean},
    {"long", DType::int64},
};
TEST(FindDType, Aliases) {
  for (const auto& row : kAliases) EXPECT_EQ(find_dtype(row.alias), row.dtype) << row.alias;
  for (const auto* unknown : {"", "bf61", "fp", "float 32", "fp32 "})
    EXPECT_EQ(find_dtype(unknown), std::nullopt) << unknown;
}

}  // namespace
}  // namespace roofline
