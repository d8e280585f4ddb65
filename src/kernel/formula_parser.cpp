#include <algorithm>
#include <array>

#include "kernel/formula_program.hpp"
#include "kernel/formula_text.hpp"
#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxArguments = 4096;  // no shorter than the longest expression: never met

struct Function {
  std::string_view name;
  int fewest, most;  ///< arguments; two or more are folded from the left
  Operation operation;
};

constexpr std::array<Function, 6> kFunctions = {{
    {"ceil", 1, 1, Operation::ceil},
    {"ceil_div", 2, 2, Operation::ceil_divide},
    {"floor", 1, 1, Operation::floor},
    {"log2", 1, 1, Operation::log2},
    {"max", 2, kMaxArguments, Operation::maximum},
    {"min", 2, kMaxArguments, Operation::minimum},
}};

struct Operator {
  std::string_view text;
  int level;  ///< 1 sum, 2 product, 3 power
  Operation operation;
};

constexpr std::array<Operator, 7> kOperators = {{
    // longer ones first
    {"**", 3, Operation::power},
    {"//", 2, Operation::floor_divide},
    {"*", 2, Operation::multiply},
    {"/", 2, Operation::divide},
    {"%", 2, Operation::modulo},
    {"+", 1, Operation::add},
    {"-", 1, Operation::subtract},
}};

bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool name_part(char c) { return name_start(c) || (c >= '0' && c <= '9'); }

const Function* find_function(std::string_view name) {
  const auto* it = std::find_if(kFunctions.begin(), kFunctions.end(),
                                [&](const Function& f) { return f.name == name; });
  return it == kFunctions.end() ? nullptr : it;
}

/// Recursive descent with Python's precedence: sums, products, unary signs, powers (from the
/// right), atoms.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  Result<std::vector<Instruction>> parse() {
    if (trimmed(text_).empty()) return error(0, 1, Code::bad_expression, "an empty expression", {});
    if (!sum()) return tl::unexpected(std::move(error_));
    skip_space();
    if (at_ < text_.size() && !refuse_rest()) return tl::unexpected(std::move(error_));
    return std::move(code_);
  }

 private:
  // Every rule returns false once error_ is set.
  bool sum() { return chain(1); }

  bool chain(int level) {
    if (!operand(level)) return false;
    for (;;) {
      const Operator* op = peek_operator();
      if (!op || op->level != level) return true;
      const std::size_t start = at_;
      at_ += op->text.size();
      if (!operand(level)) return false;
      emit(op->operation, start, op->text.size());
    }
  }

  bool operand(int level) { return level == 1 ? chain(2) : signed_value(); }

  bool signed_value() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '-' && text_[at_] != '+')) return power();
    const std::size_t start = at_++;
    if (!deeper(start) || !signed_value()) return false;
    --depth_;
    if (text_[start] == '-') emit(Operation::negate, start, 1);
    return true;
  }

  bool power() {
    if (!atom()) return false;
    const Operator* op = peek_operator();
    if (!op || op->level != 3) return true;
    const std::size_t start = at_;
    at_ += 2;
    if (!deeper(start) || !signed_value()) return false;
    --depth_;
    emit(op->operation, start, 2);
    return true;
  }

  bool atom() {
    skip_space();
    if (at_ >= text_.size())
      return refuse(last_token(), text_.size() - last_token(), Code::bad_expression,
                    "the expression ends too early", {});
    const char c = text_[at_];
    if (c == '(') return parenthesis();
    if (c >= '0' && c <= '9') return number();
    if (name_start(c)) return word();
    return refuse_character();
  }

  bool parenthesis() {
    const std::size_t start = at_++;
    if (!deeper(start) || !sum()) return false;
    --depth_;
    return closed(start);
  }

  bool closed(std::size_t start) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == ')') return ++at_, true;
    if (at_ < text_.size()) return refuse_rest();
    return refuse(start, 1, Code::bad_expression, "\"(\" is never closed", {});
  }

  bool number() {
    const std::size_t length = count_length(text_.substr(at_));
    auto value = parse_count(text_.substr(at_, length));
    if (!value)
      return refuse(at_, length, value.error().code, std::move(value.error().what),
                    std::move(value.error().hint));
    emit(Operation::constant, at_, length);
    code_.back().constant = *value;
    at_ += length;
    return true;
  }

  bool word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && name_part(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    skip_space();
    const bool called = at_ < text_.size() && text_[at_] == '(';
    if (const auto* function = find_function(word))
      return called ? call(*function, start) : refuse_function(*function, start);
    if (called) return refuse_call(word, start);
    for (std::size_t i = names_.size(); i-- > 0;)
      if (names_[i] == word) {
        emit(Operation::name, start, word.size());
        code_.back().name = static_cast<int>(i);
        return true;
      }
    return refuse_name(word, start);
  }

  bool call(const Function& function, std::size_t start) {
    const std::size_t open = at_++;
    if (!deeper(start)) return false;
    int arguments = 0;
    for (;;) {
      if (!sum()) return false;
      if (++arguments > 1 && arguments <= function.most)
        emit(function.operation, start, function.name.size());
      skip_space();
      if (at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    --depth_;
    if (!closed(open)) return false;
    if (arguments < function.fewest || arguments > function.most)
      return refuse_arguments(function, start, arguments);
    if (function.most == 1) emit_unary(function, start);
    return true;
  }

  /// ceil(log2(x)) and floor(log2(x)) round a logarithm that need not be exact.
  void emit_unary(const Function& function, std::size_t start) {
    const bool of_log = code_.back().operation == Operation::log2;
    if (of_log && function.operation == Operation::ceil)
      code_.back().operation = Operation::ceil_log2;
    else if (of_log && function.operation == Operation::floor)
      code_.back().operation = Operation::floor_log2;
    else
      emit(function.operation, start, function.name.size());
  }

  const Operator* peek_operator() {
    skip_space();
    for (const auto& op : kOperators)
      if (text_.substr(at_).starts_with(op.text)) return &op;
    return nullptr;
  }

  bool deeper(std::size_t start) {
    if (++depth_ <= kMaxDepth) return true;
    return refuse(start, 1, Code::limit_exceeded,
                  "an expression nested more than " + std::to_string(kMaxDepth) + " deep", {});
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  std::size_t last_token() const {
    const auto last = text_.find_last_not_of(" \t\n");
    return last == std::string_view::npos ? 0 : last;
  }

  void emit(Operation operation, std::size_t start, std::size_t length) {
    code_.push_back({operation, 0, 0, static_cast<int>(start) + 1, static_cast<int>(length)});
  }

  bool refuse_rest() {
    const char c = text_[at_];
    if (c == ')') return refuse(at_, 1, Code::bad_expression, "\")\" without \"(\"", {});
    if (c == ',')
      return refuse(at_, 1, Code::bad_expression, "\",\" outside a function",
                    "a list is written [a, b]");
    if (c == '(' || name_part(c))
      return refuse(at_, 1, Code::bad_expression, "an operator is missing here",
                    "a product is written with *: 2*N");
    return refuse_character();
  }

  bool refuse_character() {
    const char c = text_[at_];
    if (c == '.') return refuse_point();
    std::size_t length = 1;
    while (at_ + length < text_.size() && (text_[at_ + length] & 0xC0) == 0x80)
      ++length;  // all bytes of one character
    const std::string shown = quoted(text_.substr(at_, length));
    if (std::string_view("+-*/%),").find(c) != std::string_view::npos)
      return refuse(at_, 1, Code::bad_expression,
                    "a number, a name or \"(\" is missing before " + shown, {});
    return refuse(at_, length, Code::bad_expression, "unexpected " + shown + " in an expression",
                  c == '^' ? "a power is written **"
                           : "expressions have + - * / // % ** ( ), names and functions");
  }

  bool refuse_point() {
    const std::size_t length = count_length(text_.substr(at_));
    return refuse(at_, length, Code::bad_number,
                  quoted(text_.substr(at_, length)) + " is not a count",
                  "a count is a decimal integer");
  }

  bool refuse_function(const Function& function, std::size_t start) {
    return refuse(start, function.name.size(), Code::bad_expression,
                  quoted(function.name) + " is a function",
                  "write " + std::string(function.name) + "(...)");
  }

  bool refuse_call(std::string_view word, std::size_t start) {
    const bool known = std::find(names_.begin(), names_.end(), word) != names_.end();
    const auto functions = formula_functions();
    return refuse(start, word.size(), known ? Code::bad_expression : Code::unknown_name,
                  quoted(word) + " is not a function",
                  known ? "a product is written with *" : did_you_mean(word, functions));
  }

  bool refuse_name(std::string_view word, std::size_t start) {
    const std::string lower = lower_case(word);
    if (lower == "nan" || lower == "inf" || lower == "infinity")
      return refuse(start, word.size(), Code::bad_number, quoted(word) + " is not a count",
                    "a count is a finite integer");
    if (lower == "true" || lower == "false")
      return refuse(start, word.size(), Code::bad_number, quoted(word) + " is not a count",
                    "a count is an integer");
    std::vector<std::string_view> known(names_.begin(), names_.end());
    std::string hint = did_you_mean(word, known);
    if (hint.empty())
      hint = known.empty() ? "no variables are declared; params: {" +
                                 std::string(word.substr(0, 40)) + ": 1024}"
                           : "variables are declared under params:";
    return refuse(start, word.size(), Code::unknown_name,
                  "unknown name " + quoted(word) + " in an expression", std::move(hint));
  }

  bool refuse_arguments(const Function& function, std::size_t start, int given) {
    return refuse(start, function.name.size(), Code::bad_expression,
                  std::string(function.name) + " takes " + std::to_string(function.fewest) +
                      (function.most > 2 ? " or more" : "") +
                      (function.fewest == 1 && function.most == 1 ? " value" : " values") +
                      ", not " + std::to_string(given),
                  {});
  }

  bool refuse(std::size_t start, std::size_t length, Code code, std::string what,
              std::string hint) {
    error_ = Error{code,
                   place_in(static_cast<int>(start) + 1, static_cast<int>(length)),
                   std::move(what),
                   std::move(hint),
                   {}};
    return false;
  }

  tl::unexpected<Error> error(std::size_t start, std::size_t length, Code code, std::string what,
                              std::string hint) {
    refuse(start, length, code, std::move(what), std::move(hint));
    return tl::unexpected(std::move(error_));
  }

  std::string_view text_;
  std::span<const std::string> names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Instruction> code_;
  Error error_;
};

}  // namespace

Result<std::vector<Instruction>> compile_formula(std::string_view text,
                                                 std::span<const std::string> names) {
  return Parser(text, names).parse();
}

std::span<const std::string_view> formula_functions() {
  static const auto names = [] {
    std::array<std::string_view, kFunctions.size()> list;
    std::transform(kFunctions.begin(), kFunctions.end(), list.begin(),
                   [](const Function& f) { return f.name; });
    return list;
  }();
  return names;
}

bool is_formula_name(std::string_view text) {
  return !text.empty() && name_start(text.front()) &&
         std::all_of(text.begin(), text.end(), name_part);
}

}  // namespace roofline
