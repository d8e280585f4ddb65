#include "roofline/kernel/function_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "kernel/brackets.hpp"

namespace roofline {
namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";
// The longest first: "operator<<=" is not "operator<" with a template list.
constexpr std::string_view kOperatorSymbols[] = {
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=",
    "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|=", "++", "--", "<",
    ">",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  "!",  "=",  ","};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool ends_with_operator(std::string_view text) {
  return text.ends_with(kOperator) &&
         (text.size() == kOperator.size() || !is_word(text[text.size() - kOperator.size() - 1]));
}

/// Reads a C++ signature from the left and keeps the name alone.
class Signature {
 public:
  explicit Signature(std::string_view text) : text_(text) {}

  std::string name() {
    while (at_ < text_.size() && step()) {
    }
    while (!name_.empty() && name_.back() == ' ') name_.pop_back();
    return name_;
  }

 private:
  bool at(std::string_view piece) const { return text_.substr(at_).starts_with(piece); }

  bool step() {
    if (ends_with_operator(name_)) return operator_symbol();
    if (at(kUnnamed)) return unnamed();
    switch (text_[at_]) {
      case ' ':  // what stands before was the return type
        name_.clear();
        ++at_;
        return true;
      case '<':
      case '[': at_ = after_bracket(text_, at_); return true;
      case '{': return braces();
      case '(': return parentheses();
      default: name_.push_back(text_[at_++]); return true;
    }
  }

  bool unnamed() {
    at_ += kUnnamed.size();
    if (at("::")) at_ += 2;
    return true;
  }

  bool braces() {
    const auto end = after_bracket(text_, at_);
    name_ += text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  bool operator_symbol() {
    for (const auto symbol : kOperatorSymbols) {
      if (!at(symbol)) continue;
      name_ += symbol;
      at_ += symbol.size();
      while (at(" ")) ++at_;  // "operator< <int>"
      if (at("<")) at_ = after_bracket(text_, at_);
      return at("::");  // nothing but a parameter list can follow
    }
    const auto end =
        std::min(text_.find('(', at_), text_.size());  // "operator bool", "operator new"
    name_ += text_.substr(at_, end - at_);
    at_ = end;
    return false;
  }

  /// A parameter list ends the name, unless it is that of an enclosing function; "int
  /// (*f<int>(int))()" has the name inside.
  bool parentheses() {
    if (name_.empty() &&
        (text_.substr(at_ + 1).starts_with('*') || text_.substr(at_ + 1).starts_with('&'))) {
      at_ = std::min(text_.find_first_not_of("*& ", at_ + 1), text_.size());
      return true;
    }
    at_ = after_bracket(text_, at_);
    if (at(" const::")) at_ += 6;
    return at("::");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string name_;
};

/// The nested name of a mangled one, without its template lists: for names that are too long for
/// the C++ runtime. Types in template lists are passed over, not understood.
class MangledName {
 public:
  explicit MangledName(std::string_view rest) : rest_(rest) {}

  std::optional<std::string> name() {
    if (!take("_Z")) return std::nullopt;
    take("L");
    const bool nested = take("N");
    if (nested) rest_.remove_prefix(std::min(rest_.find_first_not_of("rVKRO"), rest_.size()));
    if (take("St")) add("std");
    while (is_next_digit()) {
      const auto part = source_name();
      if (!part) return std::nullopt;
      if (!part->starts_with("_GLOBAL__N_") && !part->starts_with("_INTERNAL_")) add(*part);
      while (rest_.starts_with('B')) {  // an ABI tag
        rest_.remove_prefix(1);
        if (!source_name()) return std::nullopt;
      }
      if (take("I") && !skip_list()) return std::nullopt;
      if (!nested) break;
    }
    if ((nested && !rest_.starts_with('E')) || name_.empty()) return std::nullopt;
    return name_;
  }

 private:
  bool is_next_digit() const { return !rest_.empty() && is_digit(rest_.front()); }
  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  void add(std::string_view part) {
    if (!name_.empty()) name_ += "::";
    name_ += part;
  }

  std::optional<std::string_view> source_name() {
    std::size_t length = 0;
    while (is_next_digit() && length < rest_.size()) {
      length = length * 10 + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (length == 0 || length > rest_.size()) return std::nullopt;
    const auto name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  /// Past the E that ends a list just begun. Lists, nested names, literals, expressions and
  /// function types all end so.
  bool skip_list() {
    std::string open = "I";
    while (!rest_.empty() && !open.empty()) {
      if (open.back() == 'V') {
        if (!skip_value()) return false;
        open.pop_back();
        continue;
      }
      if (open.back() == 'L') {
        begin_literal(open);
        continue;
      }
      if (is_next_digit()) {
        if (!source_name()) return false;
        continue;
      }
      if (open.back() == 'X' && (take("cl") || take("il") || take("tl"))) {
        open.push_back('X');
        continue;
      }
      if (take("Dt") || take("DT")) {
        open.push_back('X');
        continue;
      }
      if (skip_substitution()) continue;
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == 'E')
        open.pop_back();
      else if (std::string_view("IJNXLFZ").find(c) != std::string_view::npos)
        open.push_back(c);
      else if (c == 'U' && take("l"))
        open.push_back('I');  // the parameters of a lambda
      else if (c == 'A')
        skip_extent();
    }
    return open.empty();
  }

  /// A literal is a type, then its value up to the E; or the address of something mangled.
  void begin_literal(std::string& open) {
    open.back() = take("_Z") ? 'I' : 'V';
    if (open.back() == 'I') return;
    if (take("N"))
      open.push_back('N');
    else if (is_next_digit())
      source_name();
    else if (!skip_substitution())
      rest_.remove_prefix(1);
  }
  bool skip_value() {
    const auto end = rest_.find('E');
    if (end == std::string_view::npos) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  /// S_, S1_, T_, T0_, St and the like: letters that open nothing.
  bool skip_substitution() {
    if (!rest_.starts_with('S') && !rest_.starts_with('T')) return false;
    std::size_t end = 1;
    while (end < rest_.size() && (is_digit(rest_[end]) || (rest_[end] >= 'A' && rest_[end] <= 'Z')))
      ++end;
    if (end < rest_.size() && rest_[end] == '_') {
      rest_.remove_prefix(end + 1);
      return true;
    }
    rest_.remove_prefix(std::min<std::size_t>(2, rest_.size()));  // St, Sa, Ss ...
    return true;
  }

  /// "A4_f", an array: the number is no length of a name.
  void skip_extent() {
    while (is_next_digit()) rest_.remove_prefix(1);
    take("_");
  }

  std::string_view rest_;
  std::string name_;
};

/// "copy[T=I32 Blocks=64]", as harnesses name one state of a benchmark: no function's signature.
bool is_state(std::string_view text) {
  const auto open = text.find('[');
  return open != std::string_view::npos && open > 0 && text.ends_with(']') &&
         text.find('=', open) != std::string_view::npos && text.find_first_of("(<{ ") > open;
}

std::optional<std::string> demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::optional<std::string>(text.get()) : std::nullopt;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  const std::string terminated(name);
  if (auto text = demangled(terminated)) return *text;
  // Runtimes before GCC 13 do not know std::bfloat16_t. A type that they know takes its place, one
  // that no kernel uses.
  auto text = demangled(replaced(terminated, "DF16b", "Dd"));
  return text ? replaced(*text, "decimal64", "std::bfloat16_t") : terminated;
}

std::string canonical_name(std::string_view name) {
  auto text = demangle(name);
  // What another compiler writes for a namespace without a name is no list of template arguments.
  for (const std::string_view other : {"<unnamed>", "{anonymous}", "`anonymous namespace'"})
    for (auto at = text.find(other); at != std::string::npos; at = text.find(other))
      text.replace(at, other.size(), kUnnamed);
  if (text.starts_with("_Z")) return MangledName(text).name().value_or(text);
  if (text.starts_with('[') || is_state(text)) return text;
  auto canonical = Signature(text).name();
  return canonical.empty() ? text : canonical;
}

}  // namespace roofline
