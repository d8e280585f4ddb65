#include "roofline/kernel/formula.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "kernel/formula_program.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMaxLength = 4096;  // bytes

bool binary(Operation operation) { return operation >= Operation::add; }

std::size_t stack_needed(const std::vector<Instruction>& code) {
  std::size_t held = 0, most = 0;
  for (const auto& step : code) {
    if (step.operation <= Operation::name) most = std::max(most, ++held);
    if (binary(step.operation)) --held;
  }
  return most;
}

std::vector<int> names_used(const std::vector<Instruction>& code) {
  std::vector<int> used;
  for (const auto& step : code)
    if (step.operation == Operation::name &&
        std::find(used.begin(), used.end(), step.name) == used.end())
      used.push_back(step.name);
  return used;
}

/// What a step cannot do with its operands, before it is tried.
struct Refusal {
  Code code = Code::bad_expression;
  std::string what, hint;
};

std::optional<Refusal> refuse_logarithm(const Instruction& step, Rational a) {
  if (!(Rational{} < a))
    return Refusal{Code::bad_expression, "log2 of " + a.to_string(), "log2 needs a value above 0"};
  if (step.operation == Operation::log2 && !exact_log2(a))
    return Refusal{Code::bad_expression, "log2(" + a.to_string() + ") is not exact",
                   "write ceil(log2(...)) or floor(log2(...))"};
  return std::nullopt;
}

std::optional<Refusal> refuse_power(Rational base, Rational exponent) {
  if (!exponent.integral())
    return Refusal{
        Code::bad_expression, "the exponent " + exponent.to_string() + " is not an integer", {}};
  if (base.num == Count(0) && exponent.num < Count(0))
    return Refusal{Code::bad_expression, "0 to a negative power", {}};
  return std::nullopt;
}

std::optional<Refusal> refuse(const Instruction& step, Rational a, Rational b) {
  switch (step.operation) {
    case Operation::log2:
    case Operation::floor_log2:
    case Operation::ceil_log2: return refuse_logarithm(step, a);
    case Operation::divide:
    case Operation::floor_divide:
    case Operation::modulo:
    case Operation::ceil_divide:
      if (b.num == Count(0)) return Refusal{Code::bad_expression, "division by zero", {}};
      return std::nullopt;
    case Operation::power: return refuse_power(a, b);
    default: return std::nullopt;
  }
}

/// Integers are divided without reducing the fraction first, which would cost a greatest common
/// divisor.
Count floored_quotient(Rational a, Rational b) {
  return a.integral() && b.integral() ? floor_div(a.num, b.num) : floor(a / b);
}

Rational apply(Operation operation, Rational a) {
  switch (operation) {
    case Operation::negate: return Rational{} - a;
    case Operation::floor: return {floor(a), 1};
    case Operation::ceil: return {ceil(a), 1};
    case Operation::log2:
    case Operation::floor_log2: return {floor_log2(a), 1};
    default: return {exact_log2(a) ? floor_log2(a) : floor_log2(a) + 1, 1};  // ceil_log2
  }
}

Rational apply(Operation operation, Rational a, Rational b) {
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::floor_divide: return {floored_quotient(a, b), 1};
    case Operation::modulo: return a - b * Rational{floored_quotient(a, b), 1};
    case Operation::power: return power(a, b.num);
    case Operation::minimum: return b < a ? b : a;
    case Operation::maximum: return a < b ? b : a;
    default: return Rational{} - Rational{floored_quotient(Rational{} - a, b), 1};  // ceil_divide
  }
}

tl::unexpected<Error> past_limit(std::string_view text, const Instruction& step) {
  return fail(Code::out_of_range, place_in(step.column, step.length),
              "a value in " + quoted(text) + " passes 2^127", "counts are exact up to 2^127");
}

}  // namespace

Result<Formula> Formula::parse(std::string_view text, std::span<const std::string> names) {
  if (text.size() > kMaxLength)
    return fail(Code::limit_exceeded, place_in(1, 1),
                "an expression of " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(kMaxLength) + " are read");
  auto code = compile_formula(text, names);
  if (!code) return tl::unexpected(std::move(code.error()));
  auto program = std::make_shared<Program>();
  program->names = names_used(*code);
  program->stack = stack_needed(*code);
  program->code = std::move(*code);
  program->code.shrink_to_fit();
  Formula formula;
  formula.program_ = std::move(program);
  formula.text_ = text;
  return formula;
}

Result<Count> Formula::evaluate(std::span<const Count> values) const {
  const auto& code = program_->code;
  if (code.size() == 1 &&
      code[0].operation == Operation::name) {  // `m: M`, by far the most common in a sweep
    const Count value = values[static_cast<std::size_t>(code[0].name)];
    if (!value.overflowed()) return value;
  }
  std::array<Rational, 8> few;
  std::vector<Rational> many;
  if (program_->stack > few.size()) many.resize(program_->stack);
  Rational* top = many.empty() ? few.data() : many.data();  // one past the last value held
  for (const auto& step : code) {
    if (step.operation <= Operation::name) {
      *top++ = {step.operation == Operation::name ? values[static_cast<std::size_t>(step.name)]
                                                  : step.constant,
                1};
    } else {
      const bool two = binary(step.operation);
      const Rational b = two ? *--top : Rational{};
      Rational& a = top[-1];
      if (auto refusal = refuse(step, a, b))
        return fail(refusal->code, place_in(step.column, step.length),
                    refusal->what + " in " + quoted(text_), refusal->hint);
      a = two ? apply(step.operation, a, b) : apply(step.operation, a);
    }
    if (top[-1].overflowed()) return past_limit(text_, step);
  }
  const Rational result = top[-1];
  if (result.integral()) return result.num;
  return fail(Code::bad_expression, place_in(1, static_cast<int>(text_.size())),
              quoted(text_) + " is not an integer: it is " + result.to_string(),
              "divide with // or ceil_div(a, b), or wrap it in floor() or ceil()");
}

bool Formula::constant() const { return program_->names.empty(); }
std::span<const int> Formula::names() const { return program_->names; }

}  // namespace roofline
