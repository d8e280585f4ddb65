#include "roofline/quantities/quantity.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace roofline {
namespace {

// Dimensions follow from the arithmetic; a wrong one is in tests/compile_fail.
static_assert(std::is_same_v<decltype(Bytes() / ByteRate()), Seconds>);
static_assert(std::is_same_v<decltype(Flops() / FlopRate()), Seconds>);
static_assert(std::is_same_v<decltype(Flops() / Bytes()), Intensity>);
static_assert(std::is_same_v<decltype(FlopRate() / ByteRate()), Intensity>);
static_assert(std::is_same_v<decltype(Intensity() * ByteRate()), FlopRate>);
static_assert(std::is_same_v<decltype(ByteRate() * Seconds()), Bytes>);
static_assert(std::is_same_v<decltype(Seconds() / Seconds()), double>);
static_assert(!std::is_convertible_v<double, Seconds>);
static_assert(!std::is_convertible_v<Seconds, double>);
static_assert(sizeof(Seconds) == sizeof(double));

TEST(Quantity, RooflineByHand) {
  // H100 SXM: 989 TFLOP/s, 3.35 TB/s; gemm 4096^3 in bf16: 2 n^3 FLOP, 3 n^2 elements of 2 B.
  const Flops work(2.0 * 4096 * 4096 * 4096);
  const Bytes moved(3.0 * 4096 * 4096 * 2);
  const ByteRate bandwidth(3.35e12);
  const FlopRate peak(989e12);
  EXPECT_DOUBLE_EQ((work / moved).value(), 4096.0 / 3);
  EXPECT_NEAR((moved / bandwidth).value(), 30.05e-6, 0.01e-6);
  EXPECT_NEAR((work / peak).value(), 138.97e-6, 0.01e-6);
  EXPECT_GT(work / moved, peak / bandwidth);
}

TEST(Quantity, Arithmetic) {
  EXPECT_EQ(Seconds(1) + Seconds(2), Seconds(3));
  EXPECT_EQ(Seconds(1) - Seconds(2), -Seconds(1));
  EXPECT_EQ(2.0 * Seconds(3), Seconds(6));
  EXPECT_EQ(Seconds(3) * 2.0, Seconds(6));
  EXPECT_EQ(Seconds(3) / 2.0, Seconds(1.5));
  EXPECT_EQ(Bytes(6) / Bytes(3), 2.0);
  Seconds total;
  total += Seconds(4);
  EXPECT_EQ(total, Seconds(4));
  EXPECT_LT(Seconds(1), Seconds(2));
}

}  // namespace
}  // namespace roofline
