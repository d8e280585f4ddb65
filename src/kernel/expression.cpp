#include "kernel/expression.hpp"

#include <algorithm>

#include "kernel/quoted.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSweepHint =
    "what varies is declared once, under params: (M: [1, 8, 64] or M: 1:512:x2), and used by its "
    "name";

Error out_of_range(std::string_view what, Count value, Count minimum) {
  return {Code::out_of_range,
          {},
          std::string(what) + " is " + value.to_string(),
          "it must be at least " + minimum.to_string(),
          {}};
}

}  // namespace

void Scope::add(std::string name, bool varying, bool value_unknown) {
  names.push_back(std::move(name));
  varies.push_back(varying);
  unknown.push_back(value_unknown);
}

void Scope::shrink(std::size_t size) {
  names.resize(size);
  varies.resize(size);
  unknown.resize(size);
}

YamlNode Expression::node() const {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.quoted = quoted;
  node.line = line;
  node.column = column;
  node.text = formula.text();
  return node;
}

std::optional<Expression> read_expression(Reading& reading, const YamlNode& node,
                                          std::string_view what, const Scope& scope) {
  if (!node.is_scalar()) {
    reading.report_kind(node, what, "a number or an expression",
                        node.is_list() ? std::string(kSweepHint) : std::string());
    return std::nullopt;
  }
  auto formula = Formula::parse(node.text, scope.names);
  if (!formula) {
    if (node.text.find(':') != std::string::npos && formula.error().code == Code::bad_expression)
      formula.error().hint = kSweepHint;
    reading.report_inside(node, std::move(formula.error()));
    return std::nullopt;
  }
  Expression expression;
  expression.line = node.line;
  expression.column = node.column;
  expression.quoted = node.quoted;
  for (const int name : formula->names()) {
    expression.varies = expression.varies || scope.varies[static_cast<std::size_t>(name)];
    expression.unknown = expression.unknown || scope.unknown[static_cast<std::size_t>(name)];
  }
  expression.formula = std::move(*formula);
  return expression;
}

Result<Count> evaluate(const Expression& expression, std::string_view what, Count minimum,
                       std::span<const Count> values, const YamlDocument& places) {
  auto value = expression.formula.evaluate(values);
  if (value && !(*value < minimum)) return value;
  Error error = value ? out_of_range(what, *value, minimum) : std::move(value.error());
  error.where = place_inside(places, expression.node(), error.where);
  return tl::unexpected(std::move(error));
}

std::optional<Count> read_constant(Reading& reading, const YamlNode& node, std::string_view what,
                                   Count minimum, const Scope& scope,
                                   std::span<const Count> values) {
  const auto expression = read_expression(reading, node, what, scope);
  if (!expression || expression->unknown) return std::nullopt;
  if (expression->varies) {
    reading.report(
        Code::contradiction, node,
        std::string(what) + " " + quoted(node.text) + " depends on a variable that is swept",
        "only what is the same at every point can stand here");
    return std::nullopt;
  }
  auto value = evaluate(*expression, what, minimum, values, reading.document());
  if (value) return *value;
  reading.report(std::move(value.error()));
  return std::nullopt;
}

}  // namespace roofline
