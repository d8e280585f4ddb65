#include "roofline/quantities/count.hpp"

#include <gtest/gtest.h>

#include <random>

namespace roofline {
namespace {

const Count kTwoTo64 = Count(std::int64_t{1} << 32) * Count(std::int64_t{1} << 32);
const Count kLargest = kTwoTo64 * (Count(std::int64_t{1} << 62)) - Count(1) +
                       kTwoTo64 * Count(std::int64_t{1} << 62);  // 2^127 - 1

TEST(Count, PastSixtyFourBits) {
  // 2 m n k of a product with 2^21 on every side: 2^64, which is 0 in 64 bits.
  const Count side = 1 << 21;
  EXPECT_EQ((Count(2) * side * side * side).to_string(), "18446744073709551616");
  EXPECT_FALSE((Count(2) * side * side * side).fits_int64());
}

struct TextRow {
  const char* name;
  Count count;
  const char* text;
};
const TextRow kTexts[] = {
    {"zero", 0, "0"},
    {"negative", -42, "-42"},
    {"int64_max", INT64_MAX, "9223372036854775807"},
    {"int64_min", INT64_MIN, "-9223372036854775808"},
    {"largest", kLargest, "170141183460469231731687303715884105727"},
    {"smallest", Count(0) - kLargest, "-170141183460469231731687303715884105727"},
    {"overflow", Count::overflow(), "overflow"},
};
class Text : public testing::TestWithParam<TextRow> {};
TEST_P(Text, Decimal) { EXPECT_EQ(GetParam().count.to_string(), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, Text, testing::ValuesIn(kTexts),
                         [](const auto& i) { return i.param.name; });

struct OverflowRow {
  const char* name;
  Count count;
};
const OverflowRow kOverflows[] = {
    {"sum", kLargest + Count(1)},
    {"difference", Count(0) - kLargest - Count(2)},
    {"product", kTwoTo64* kTwoTo64},
    {"stays_in_a_sum", Count::overflow() + Count(1)},
    {"stays_in_a_difference", Count(1) - Count::overflow()},
    {"stays_in_a_product", Count(0) * Count::overflow()},
    {"stays_in_max", max(Count(1), Count::overflow())},
    {"stays_in_min", min(Count::overflow(), Count(1))},
    {"division_by_zero", floor_div(Count(1), Count(0))},
    {"division_rounded_up_by_zero", ceil_div(Count(1), Count(0))},
    {"stays_in_a_quotient", floor_div(Count::overflow(), Count(2))},
    {"stays_in_a_rounded_up_quotient", ceil_div(Count(2), Count::overflow())},
};
class Overflow : public testing::TestWithParam<OverflowRow> {};
TEST_P(Overflow, IsRemembered) {
  EXPECT_TRUE(GetParam().count.overflowed());
  EXPECT_FALSE(GetParam().count.fits_int64());
}
INSTANTIATE_TEST_SUITE_P(Rows, Overflow, testing::ValuesIn(kOverflows),
                         [](const auto& i) { return i.param.name; });

struct DivisionRow {
  const char* name;
  int a, b, floor, ceil;
};
constexpr DivisionRow kDivisions[] = {
    // Python's a // b and -(-a // b)
    {"exact", 6, 3, 2, 2},
    {"rest", 7, 3, 2, 3},
    {"negative_numerator", -7, 3, -3, -2},
    {"negative_denominator", 7, -3, -3, -2},
    {"both_negative", -7, -3, 2, 3},
    {"zero", 0, 5, 0, 0},
    {"smaller", 1, 5, 0, 1},
    {"smaller_negative", -1, 5, -1, 0},
};
class Division : public testing::TestWithParam<DivisionRow> {};
TEST_P(Division, AsInPython) {
  EXPECT_EQ(floor_div(GetParam().a, GetParam().b), Count(GetParam().floor));
  EXPECT_EQ(ceil_div(GetParam().a, GetParam().b), Count(GetParam().ceil));
}
INSTANTIATE_TEST_SUITE_P(Rows, Division, testing::ValuesIn(kDivisions),
                         [](const auto& i) { return i.param.name; });

TEST(Count, Order) {
  EXPECT_LT(Count(-1), Count(0));
  EXPECT_GT(kTwoTo64, Count(INT64_MAX));
  EXPECT_EQ(max(Count(2), Count(3)), Count(3));
  EXPECT_EQ(min(Count(2), Count(3)), Count(2));
  EXPECT_EQ(Count(5).to_int64(), 5);
  EXPECT_EQ(kTwoTo64.to_double(), 18446744073709551616.0);
}

TEST(CompareProducts, WhereBothSidesPass127Bits) {
  EXPECT_EQ(compare_products(kLargest, kLargest, kLargest, kLargest), std::strong_ordering::equal);
  EXPECT_EQ(compare_products(kLargest, kLargest, kLargest, kLargest - Count(1)),
            std::strong_ordering::greater);
  EXPECT_EQ(compare_products(kLargest - Count(1), kLargest, kLargest, kLargest),
            std::strong_ordering::less);
  // (2^64 - 1)(2^64 + 1) = 2^128 - 1 < 2^64 * 2^64
  EXPECT_EQ(compare_products(kTwoTo64 - Count(1), kTwoTo64 + Count(1), kTwoTo64, kTwoTo64),
            std::strong_ordering::less);
}

TEST(CompareProducts, AgreesWithSmallNumbers) {
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const int a = static_cast<int>(random() % 1000), x = static_cast<int>(random() % 1000);
    const int b = static_cast<int>(random() % 1000), y = static_cast<int>(random() % 1000);
    EXPECT_EQ(compare_products(a, x, b, y), a * x <=> b * y);
  }
}

/// (a + d)(x) against (a)(x) + 1: the low word decides, and carries between the words are right.
TEST(CompareProducts, CarriesAreRight) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10'000; ++i) {
    const auto wide = [&] {
      return floor_div(Count(static_cast<std::int64_t>(random() >> 1)) *
                           Count(static_cast<std::int64_t>(random() >> 1)),
                       Count(2));
    };
    const Count a = wide(), b = wide();
    const Count k = static_cast<std::int64_t>(random() >> 33) + 2;
    EXPECT_EQ(compare_products(a, b * Count(1), b, a), std::strong_ordering::equal);
    EXPECT_EQ(compare_products(a + Count(1), b, b, a),
              b == Count(0) ? std::strong_ordering::equal : std::strong_ordering::greater);
    EXPECT_EQ(compare_products(floor_div(a, k), k, a, Count(1)), floor_div(a, k) * k <=> a);
  }
}

}  // namespace
}  // namespace roofline
