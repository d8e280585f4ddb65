#pragma once

#include <array>
#include <string_view>

namespace roofline::op_models {

/// Arithmetic of an activation function per element. Sign flips and the log2(e) in front of an
/// exponential are free; a division is a reciprocal and a multiplication. Source: what fast-math
/// code issues, by the rules of docs/model.md, section 1.
struct ActivationCost {
  std::string_view name;
  int vector;  ///< FLOP
  int sfu;     ///< operations
  bool gated;  ///< takes two inputs, gate and up
};

inline constexpr ActivationCost kActivationCosts[] = {
    {"none", 0, 0, false},       {"relu", 1, 0, false},                            // max(x, 0)
    {"leaky_relu", 2, 0, false},                                                   // max(x, a*x)
    {"relu2", 2, 0, false},                                                        // max, square
    {"exp", 0, 1, false},        {"tanh", 0, 1, false}, {"sigmoid", 1, 2, false},  // exp, +1, rcp
    {"silu", 2, 2, false},                                                         // sigmoid, *x
    {"softplus", 1, 2, false},                                                     // exp, +1, log
    {"gelu_tanh", 8, 1, false},   // x*x; 1+c*xx (2); k*x; *; tanh; +1; 0.5*x; *
    {"gelu_erf", 4, 1, false},    // x/sqrt2; erf; +1; 0.5*x; *
    {"quick_gelu", 3, 2, false},  // x*sigmoid(1.702x)
    {"swiglu", 3, 2, true},       // silu(gate)*up
    {"geglu_tanh", 9, 1, true},  {"reglu", 2, 0, true},
};
inline constexpr std::size_t kPlainActivations = 12;  // the first rows; the gated ones follow

inline constexpr auto kActivationNames = [] {
  std::array<std::string_view, std::size(kActivationCosts)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kActivationCosts[i].name;
  return names;
}();
inline constexpr auto kPlainActivationNames = [] {
  std::array<std::string_view, kPlainActivations> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kActivationCosts[i].name;
  return names;
}();

/// The row of a name that a choice parameter already checked; that of "none" for any other.
constexpr const ActivationCost& activation_cost(std::string_view name) {
  for (const auto& cost : kActivationCosts)
    if (cost.name == name) return cost;
  return kActivationCosts[0];
}

}  // namespace roofline::op_models
