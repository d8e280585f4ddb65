#include "roofline/analysis/student_t.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace roofline {
namespace {

// Published tables: Fisher and Yates, as in Abramowitz and Stegun, table 26.10, and the
// NIST/SEMATECH e-Handbook 1.3.6.7.
struct Row {
  const char* name;
  double probability, degrees, quantile, error;
};
constexpr Row kStudent[] = {
    {"p95_1", 0.95, 1, 6.314, 5e-4},           {"p95_2", 0.95, 2, 2.920, 5e-4},
    {"p95_4", 0.95, 4, 2.132, 5e-4},           {"p95_8", 0.95, 8, 1.860, 5e-4},
    {"p95_9", 0.95, 9, 1.833, 5e-4},           {"p95_10", 0.95, 10, 1.812, 5e-4},
    {"p95_30", 0.95, 30, 1.697, 5e-4},         {"p95_120", 0.95, 120, 1.658, 5e-4},
    {"p975_1", 0.975, 1, 12.706, 5e-4},        {"p975_10", 0.975, 10, 2.228, 5e-4},
    {"p99_8", 0.99, 8, 2.896, 5e-4},           {"p99_9", 0.99, 9, 2.821, 5e-4},
    {"p995_10", 0.995, 10, 3.169, 5e-4},       {"p999_9", 0.999, 9, 4.297, 5e-4},
    {"p9995_1", 0.9995, 1, 636.619, 5e-4},     {"p90_3", 0.90, 3, 1.638, 5e-4},
    {"p05_4", 0.05, 4, -2.132, 5e-4},          {"half", 0.5, 7, 0, 1e-12},
    {"normal_limit", 0.95, 1e6, 1.6449, 1e-4},
};
class StudentTest : public ::testing::TestWithParam<Row> {};
TEST_P(StudentTest, QuantileIsTheTables) {
  const auto& row = GetParam();
  const double t = student_t_quantile(row.probability, row.degrees);
  EXPECT_NEAR(t, row.quantile, row.error);
  EXPECT_NEAR(student_t_probability(t, row.degrees), row.probability, 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Rows, StudentTest, ::testing::ValuesIn(kStudent),
                         [](auto& i) { return i.param.name; });

TEST(StudentTest, OneDegreeIsCauchyAndTwoHaveAClosedForm) {
  for (const double p : {0.6, 0.9, 0.95, 0.999}) {
    EXPECT_NEAR(student_t_quantile(p, 1) / std::tan(3.14159265358979323846 * (p - 0.5)), 1, 1e-11);
    const double closed = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 2) / closed, 1, 1e-11);
  }
}

TEST(StudentTest, WhatIsNoProbabilityHasNoQuantile) {
  for (const double p : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_TRUE(std::isnan(student_t_quantile(p, 5)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.95, 0)));
  EXPECT_TRUE(std::isnan(student_t_probability(1, 0)));
}

constexpr Row kChiSquared[] = {
    {"p99_4", 0.99, 4, 13.277, 0.13},   {"p99_8", 0.99, 8, 20.090, 0.2},
    {"p99_9", 0.99, 9, 21.666, 0.2},    {"p99_17", 0.99, 17, 33.409, 0.3},
    {"p95_10", 0.95, 10, 18.307, 0.18}, {"p90_2", 0.90, 2, 4.605, 0.05},
};
class ChiSquaredTest : public ::testing::TestWithParam<Row> {};
TEST_P(ChiSquaredTest, QuantileIsTheTablesToOnePercent) {
  const auto& row = GetParam();
  EXPECT_NEAR(chi_squared_quantile(row.probability, row.degrees), row.quantile, row.error);
}
INSTANTIATE_TEST_SUITE_P(Rows, ChiSquaredTest, ::testing::ValuesIn(kChiSquared),
                         [](auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
