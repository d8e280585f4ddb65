#include "kernel/variables.hpp"

#include <algorithm>
#include <array>

#include "kernel/formula_text.hpp"
#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostVariables = 1000;  // every expression looks its names up among them

bool usable_name(Reading& reading, const YamlNode& key, const Scope& scope) {
  const auto functions = formula_functions();
  if (std::find(functions.begin(), functions.end(), key.text) != functions.end()) {
    reading.report(Code::bad_expression, key, quoted(key.text) + " is the name of a function",
                   "choose another name");
    return false;
  }
  if (!is_formula_name(key.text)) {
    reading.report(Code::bad_expression, key,
                   quoted(key.text) + " is not a name that expressions can use",
                   "names have letters, digits and _, and start with a letter or _");
    return false;
  }
  return std::find(scope.names.begin(), scope.names.end(), key.text) ==
         scope.names.end();  // twice: reported by the reader
}

/// A name that is unknown only because it comes later.
void hint_at_order(std::span<Error> errors, std::span<const YamlNode> later) {
  for (auto& error : errors)
    for (const auto& key : later)
      if (error.code == Code::unknown_name &&
          error.what.find(quoted(key.text)) != std::string::npos)
        error.hint = "a variable uses those above it; " + quoted(key.text) + " is declared later";
}

/// "1:512:x2" in its two or three parts; empty where it is no range.
std::vector<YamlNode> range_parts(const YamlNode& node) {
  std::vector<YamlNode> parts;
  for (std::size_t start = 0; start <= node.text.size();) {
    const auto end = std::min(node.text.find(':', start), node.text.size());
    YamlNode part = node;
    part.text = node.text.substr(start, end - start);
    part.column = node.column + static_cast<int>(start) + (node.quoted ? 1 : 0);
    part.quoted = false;
    parts.push_back(std::move(part));
    start = end + 1;
  }
  return parts;
}

void drop_first(YamlNode& node) {
  node.text.erase(0, 1);
  ++node.column;
}

/// How many of first, first + step, ... (or first * step, ...) do not pass `last`.
Count range_size(Count first, Count last, Count step, bool geometric) {
  if (!geometric) return floor_div(last - first, step) + Count(1);
  Count size = 0;
  for (Count value = first; !value.overflowed() && value <= last; value *= step) size += Count(1);
  return size;
}

}  // namespace

Count Range::at(Count position) const {
  if (!geometric) return first + position * step;
  Count value = first;
  for (Count i = 0; i < position; i += Count(1))
    value *= step;  // at most 126 rounds: it does not pass 2^127
  return value;
}

Count Variables::Axis::size() const {
  if (const auto* range = std::get_if<Range>(&values)) return range->size;
  return Count(std::get<SweptList>(values).size());
}

Variables Variables::read(Reading& reading, const YamlNode* node) {
  Variables variables;
  if (node == nullptr || node->is_null()) return variables;
  if (!node->is_map()) {
    reading.report_kind(*node, "params", "a map of names and integers",
                        "params: {M: 4096, B: [1, 8, 64]}");
    return variables;
  }
  if (node->keys.size() > kMostVariables) {
    reading.report(Code::limit_exceeded, *node,
                   std::to_string(node->keys.size()) + " variables; at most " +
                       std::to_string(kMostVariables) + " are read");
    return variables;
  }
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const auto before = reading.errors().size();
    if (usable_name(reading, node->keys[i], variables.scope_))
      variables.read_variable(reading, node->keys[i], node->items[i]);
    const auto found = std::span(reading.errors()).subspan(before);
    if (!found.empty()) hint_at_order(found, std::span(node->keys).subspan(i + 1));
  }
  return variables;
}

void Variables::read_variable(Reading& reading, const YamlNode& key, const YamlNode& node) {
  const auto declared = scope_.size();
  if (node.is_list()) {
    read_list(reading, key.text, node);
  } else if (node.is_scalar() && node.text.find(':') != std::string::npos) {
    read_range(reading, key.text, node);
  } else {
    read_scalar(reading, key.text, node);
  }
  if (scope_.size() != declared) return;
  declare(key.text, false, 0, std::nullopt);
  scope_.unknown.back() = true;
}

void Variables::read_scalar(Reading& reading, const std::string& name, const YamlNode& node) {
  auto expression = read_expression(reading, node, name, scope_);
  if (!expression || expression->unknown) return;
  if (expression->varies) return declare(name, true, 0, std::move(expression));
  auto value = roofline::evaluate(*expression, name, kAnyInteger, constants_, reading.document());
  if (!value) return reading.report(std::move(value.error()));
  // Kept also where it is constant: another value may be tried for a variable that it is computed
  // from.
  if (expression->formula.constant()) expression.reset();
  declare(name, false, *value, std::move(expression));
}

void Variables::read_list(Reading& reading, const std::string& name, const YamlNode& node) {
  if (node.items.size() == 1)
    return read_scalar(reading, name, node.items.front());  // one value is no sweep
  SweptList list;
  for (const auto& item : node.items)
    if (auto expression = read_expression(reading, item, "a value of " + name, scope_)) {
      if (!expression->varies && !expression->unknown)
        if (auto value =
                roofline::evaluate(*expression, name, kAnyInteger, constants_, reading.document());
            !value)
          reading.report(std::move(value.error()));
      list.push_back(std::move(*expression));
    } else if (reading.has_enough()) {
      return;
    }
  if (node.items.empty())
    return reading.report(Code::out_of_range, node, name + " has no values",
                          "a sweep has one value or more");
  if (list.size() == node.items.size()) sweep(name, std::move(list));
}

void Variables::read_range(Reading& reading, const std::string& name, const YamlNode& node) {
  auto parts = range_parts(node);
  if (parts.size() > 3)
    return reading.report(Code::bad_expression, node, quoted(node.text) + " is not a range",
                          "a range is first:last, first:last:step or first:last:xfactor");
  Range range;
  if (parts.size() == 3) {
    auto& step = parts[2];
    while (step.text.starts_with(' ')) drop_first(step);
    range.geometric = step.text.starts_with('x') || step.text.starts_with('*');
    if (range.geometric || step.text.starts_with('+')) drop_first(step);
  }
  const auto bound = [&](const YamlNode& part, std::string_view what, Count minimum) {
    return read_constant(reading, part, std::string(what) + " of " + name, minimum, scope_,
                         constants_);
  };
  const auto first = bound(parts[0], "the first value", range.geometric ? Count(1) : kAnyInteger);
  const auto last = bound(parts[1], "the last value", kAnyInteger);
  const auto step = parts.size() == 3 ? bound(parts[2], range.geometric ? "the factor" : "the step",
                                              range.geometric ? 2 : 1)
                                      : std::optional<Count>(1);
  if (!first || !last || !step) return;
  if (*last < *first)
    return reading.report(Code::out_of_range, node,
                          "the range " + quoted(node.text) + " is empty: it ends before it starts",
                          "write the smaller bound first");
  range.first = *first;
  range.step = *step;
  range.size = range_size(*first, *last, *step, range.geometric);
  if (range.size.overflowed())
    return reading.report(Code::out_of_range, node,
                          "the range " + quoted(node.text) + " passes 2^127 values");
  if (range.size == Count(1)) return declare(name, false, range.first, std::nullopt);
  sweep(name, range);
}

void Variables::declare(std::string name, bool varies, Count value,
                        std::optional<Expression> expression) {
  scope_.add(std::move(name), varies);
  constants_.push_back(value);
  expressions_.push_back(std::move(expression));
}

void Variables::sweep(const std::string& name, std::variant<Range, SweptList> values) {
  axes_.push_back({scope_.size(), std::move(values)});
  swept_names_.push_back(name);
  points_ *= axes_.back().size();
  declare(name, true, 0, std::nullopt);
}

std::optional<Error> Variables::evaluate(Count point, bool varying_only, Pins pins,
                                         std::vector<Count>& values,
                                         const YamlDocument& places) const {
  values.resize(scope_.size());
  std::array<Count, 16> few;
  std::vector<Count> many(axes_.size() > few.size() ? axes_.size() : 0);
  Count* position = many.empty() ? few.data() : many.data();
  for (std::size_t i = axes_.size(); i-- > 0;) {  // last declared fastest
    if (i == 0) {
      position[0] = point;
    } else {
      const Count size = axes_[i].size(), left = floor_div(point, size);
      position[i] = point - left * size;
      point = left;
    }
  }
  std::size_t axis = 0;
  for (std::size_t v = 0; v < scope_.size(); ++v) {
    const bool swept = axis < axes_.size() && axes_[axis].variable == v;
    const std::size_t this_axis = swept ? axis++ : 0;
    const auto pin =
        std::find_if(pins.begin(), pins.end(), [v](const auto& p) { return p.first == v; });
    if (pin != pins.end()) {
      values[v] = pin->second;
      continue;
    }
    if (varying_only && !scope_.varies[v]) continue;
    const Expression* expression = expressions_[v] ? &*expressions_[v] : nullptr;
    if (swept) {
      if (const auto* range = std::get_if<Range>(&axes_[this_axis].values)) {
        values[v] = range->at(position[this_axis]);
        continue;
      }
      expression = &std::get<SweptList>(
          axes_[this_axis].values)[static_cast<std::size_t>(position[this_axis].to_int64())];
    }
    if (expression == nullptr) {
      values[v] = constants_[v];
      continue;
    }
    auto value = roofline::evaluate(*expression, scope_.names[v], kAnyInteger, values, places);
    if (!value) return std::move(value.error());
    values[v] = *value;
  }
  return std::nullopt;
}

std::optional<std::size_t> Variables::find(std::string_view name) const {
  const auto found = std::find(scope_.names.begin(), scope_.names.end(), name);
  if (found == scope_.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - scope_.names.begin());
}

void Variables::mark_dependencies(std::vector<bool>& marked) const {
  const auto mark = [&](const Expression& expression) {
    for (const int used : expression.formula.names()) marked[static_cast<std::size_t>(used)] = true;
  };
  for (std::size_t v = scope_.size();
       v-- > 0;) {  // a variable uses earlier ones only: one pass from the back
    if (!marked[v]) continue;
    if (expressions_[v]) mark(*expressions_[v]);
    for (const auto& axis : axes_)
      if (const auto* list = axis.variable == v ? std::get_if<SweptList>(&axis.values) : nullptr)
        for (const auto& item : *list) mark(item);
  }
}

}  // namespace roofline
