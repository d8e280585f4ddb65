#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/rational.hpp"
#include "roofline/kernel/formula.hpp"

namespace roofline {

enum class Operation : unsigned char {
  constant,
  name,  // push
  negate,
  floor,
  ceil,
  log2,
  floor_log2,
  ceil_log2,  // one value
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  minimum,
  maximum,
  ceil_divide,  // two values
};

/// One step of a stack machine, and the part of the text that it came from.
struct Instruction {
  Operation operation = Operation::constant;
  int name = 0;        ///< of `name`: position in the values
  Count constant = 0;  ///< of `constant`
  int column = 1, length = 1;
};

struct Formula::Program {
  std::vector<Instruction> code;
  std::vector<int> names;
  std::size_t stack = 0;  ///< values held at once, at most
};

/// Text to code; names are looked up from the back, so that an inner scope hides an outer one.
Result<std::vector<Instruction>> compile_formula(std::string_view text,
                                                 std::span<const std::string> names);

inline Location place_in(int column, int length) {
  Location where;
  where.column = column;
  where.length = length;
  return where;
}

}  // namespace roofline
