#pragma once

namespace roofline {

/// P(T <= t) of Student's distribution with `degrees` of freedom, by the incomplete beta function.
/// Errors: NaN for degrees <= 0. Source: Abramowitz and Stegun 26.5 and 26.7.
double student_t_probability(double t, double degrees);

/// The t with P(T <= t) = `probability`, 0 < probability < 1, degrees >= 1; else NaN. Computed, not
/// tabled, so that no count of runs is the last one. To 12 digits.
double student_t_quantile(double probability, double degrees);

/// The x with P(X <= x) = `probability` of the chi-squared distribution with `degrees` of freedom
/// (>= 1), by the approximation of Wilson and Hilferty (1931): to 1 % for the probabilities of 0.9
/// to 0.999 that are asked for here.
double chi_squared_quantile(double probability, double degrees);

}  // namespace roofline
