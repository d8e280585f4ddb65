#include "kernel/ops/expected_experts.hpp"

#include <cmath>

namespace roofline::op_models {
namespace {

/// An unevaluated sum of two doubles, about 106 bits: 1 - r^T cancels, and the result is to be the
/// nearest double. Source: Dekker 1971; Hida, Li, Bailey 2001.
struct Pair {
  double high, low;
};

Pair normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

Pair product(Pair a, Pair b) {
  const double high = a.high * b.high;
  const double low = std::fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
  return normalised(high, low);
}

Pair quotient(double a, double b) {
  const double high = a / b;
  return normalised(high, std::fma(-high, b, a) / b);
}

Pair one_minus(Pair a) {
  const double high = 1 - a.high;
  return normalised(high, ((1 - high) - a.high) - a.low);
}

Pair power(Pair base, Count exponent) {
  Pair result{1, 0};
  for (auto left = exponent.value(); left > 0; left >>= 1) {
    if (left & 1) result = product(result, base);
    base = product(base, base);
  }
  return result;
}

}  // namespace

double expected_experts(Count experts, Count top_k, Count tokens) {
  const double e = experts.to_double();
  const auto missed = power(quotient((experts - top_k).to_double(), e), tokens);
  return product(one_minus(missed), {e, 0}).high;
}

}  // namespace roofline::op_models
