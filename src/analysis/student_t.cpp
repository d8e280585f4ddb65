#include "roofline/analysis/student_t.hpp"

#include <cmath>
#include <limits>

namespace roofline {
namespace {

constexpr double kTiny = 1e-300;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double away_from_zero(double value) { return std::fabs(value) < kTiny ? kTiny : value; }

/// The continued fraction of the incomplete beta function by Lentz's method (Abramowitz and
/// Stegun 26.5.8).
double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double product = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    product *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    product *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return product;
}

/// The regularised incomplete beta function I_x(a, b), 0 <= x <= 1.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast below the mean, so the other side is reached by symmetry.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// Standard normal quantile by bisection of the error function.
double normal_quantile(double probability) {
  double low = -40, high = 40;
  for (int step = 0; step < 64; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// P(T > t) for t >= 0.
double upper_tail(double t, double degrees) {
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
}

double density(double t, double degrees) {
  constexpr double kPi = 3.14159265358979323846;
  return std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) -
                  std::log(degrees * kPi) / 2 - (degrees + 1) / 2 * std::log1p(t * t / degrees));
}

}  // namespace

double student_t_probability(double t, double degrees) {
  if (!(degrees > 0) || std::isnan(t)) return kNaN;
  return t > 0 ? 1 - upper_tail(t, degrees) : upper_tail(t, degrees);
}

double student_t_quantile(double probability, double degrees) {
  if (!(probability > 0 && probability < 1) || !(degrees >= 1)) return kNaN;
  if (probability == 0.5) return 0;
  if (probability < 0.5) return -student_t_quantile(1 - probability, degrees);
  const double tail = 1 - probability;
  double low = 0, high = 1;
  while (upper_tail(high, degrees) > tail && high < 1e15) high *= 2;
  // Newton on the log of the tail, which is nearly straight; a step that leaves the bracket is a
  // bisection instead.
  double t = (low + high) / 2;
  for (int step = 0; step < 100; ++step) {
    const double here = upper_tail(t, degrees);
    (here > tail ? low : high) = t;
    double next = t + std::log(here / tail) * here / density(t, degrees);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::fabs(next - t) <= 1e-14 * t) return next;
    t = next;
  }
  return t;
}

double chi_squared_quantile(double probability, double degrees) {
  if (!(probability > 0 && probability < 1) || !(degrees >= 1)) return kNaN;
  const double part = 2 / (9 * degrees);
  const double root = 1 - part + normal_quantile(probability) * std::sqrt(part);
  return root <= 0 ? 0 : degrees * root * root * root;
}

}  // namespace roofline
