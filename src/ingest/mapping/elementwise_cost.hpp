#pragma once

#include <string_view>

namespace roofline::mapping {

enum class ElementType : unsigned char { promoted, boolean, of_first };

/// What an elementwise operator costs for each element of its result.
struct ElementwiseCost {
  std::string_view name;  ///< without the "_" of the form that works in place
  unsigned inputs;        ///< tensors among the first arguments
  unsigned vector, sfu;
  ElementType result = ElementType::promoted;
};

/// By its name, with "_" or not; nullptr: it is none, or what it costs depends on its arguments.
const ElementwiseCost* elementwise_cost(std::string_view name);

}  // namespace roofline::mapping
