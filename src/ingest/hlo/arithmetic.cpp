#include <algorithm>

#include "ingest/hlo/work.hpp"

/// Instructions of XLA that work element by element, and their operations: additions, products,
/// comparisons and choices one each, special functions one each, as in docs/model.md, section 1,
/// and in XLA's own hlo_cost_analysis.cc; a division is a reciprocal and a product. Signs,
/// conversions and whatever only moves elements are free.
namespace roofline::hlo {
namespace {

constexpr Arithmetic kRows[] = {
    {"add", 1, 0},
    {"subtract", 1, 0},
    {"multiply", 1, 0},
    {"maximum", 1, 0},
    {"minimum", 1, 0},
    {"compare", 1, 0},
    {"select", 1, 0},
    {"clamp", 2, 0},
    {"and", 1, 0},
    {"or", 1, 0},
    {"xor", 1, 0},
    {"not", 1, 0},
    {"shift-left", 1, 0},
    {"shift-right-logical", 1, 0},
    {"shift-right-arithmetic", 1, 0},
    {"popcnt", 1, 0},
    {"count-leading-zeros", 1, 0},
    {"divide", 1, 1},
    {"remainder", 3, 1},
    {"power", 1, 2},
    {"sqrt", 0, 1},
    {"rsqrt", 0, 1},
    {"cbrt", 0, 1},
    {"exponential", 0, 1},
    {"exponential-minus-one", 1, 1},
    {"log", 0, 1},
    {"log-plus-one", 1, 1},
    {"logistic", 1, 2},
    {"sine", 0, 1},
    {"cosine", 0, 1},
    {"tan", 0, 1},
    {"tanh", 0, 1},
    {"erf", 0, 1},
    {"atan2", 0, 1},
    {"floor", 1, 0},
    {"ceil", 1, 0},
    {"round-nearest-afz", 1, 0},
    {"round-nearest-even", 1, 0},
    {"sign", 1, 0},
    {"is-finite", 1, 0},
    {"negate", 0, 0},
    {"abs", 0, 0},
    {"convert", 0, 0},
    {"bitcast-convert", 0, 0},
    {"reduce-precision", 0, 0},
    {"copy", 0, 0},
    {"bitcast", 0, 0},
    {"reshape", 0, 0},
    {"transpose", 0, 0},
    {"reverse", 0, 0},
    {"real", 0, 0},
    {"imag", 0, 0},
    {"complex", 0, 0},
    {"optimization-barrier", 0, 0},
};

}  // namespace

const Arithmetic* find_arithmetic(std::string_view opcode) {
  const auto* at = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Arithmetic& row) { return row.opcode == opcode; });
  return at == std::end(kRows) ? nullptr : at;
}

bool add_arithmetic(Work& work, const Arithmetic& arithmetic, const Type& of,
                    std::uint64_t elements) {
  if (arithmetic.vector + arithmetic.sfu == 0) return true;
  switch (of.kind) {
    case TypeClass::boolean: return true;  // predicates come with the comparison
    case TypeClass::integer:
      work.add("int", times(std::max(arithmetic.vector, 1u), elements));
      return true;
    case TypeClass::real:
      // Narrower types are widened for arithmetic, as on the vector pipe of every other operator.
      if (arithmetic.vector > 0)
        work.add(of.name == "f64" ? "vector.fp64" : "vector.fp32",
                 times(arithmetic.vector, elements));
      if (arithmetic.sfu > 0) work.add("sfu", times(arithmetic.sfu, elements));
      return true;
    case TypeClass::complex: {
      const auto per_element = arithmetic.opcode == "multiply"                                 ? 6u
                               : arithmetic.opcode == "add" || arithmetic.opcode == "subtract" ? 2u
                               : arithmetic.opcode == "compare" || arithmetic.opcode == "select"
                                   ? 1u
                                   : 0u;
      if (per_element == 0) return false;
      work.add(of.name == "c128" ? "vector.fp64" : "vector.fp32", times(per_element, elements));
      return true;
    }
    case TypeClass::none: break;
  }
  return false;
}

std::string product_path(const Type& a, const Type& b) {
  const auto fp8 = [](const Type& type) { return type.ours.starts_with("fp8"); };
  if (a.ours.empty() || (a.ours != b.ours && !(fp8(a) && fp8(b)))) return {};
  if (a.kind != TypeClass::real && a.ours != "int8" && a.ours != "int4") return {};
  return "matmul." + std::string(a.ours);
}

}  // namespace roofline::hlo
