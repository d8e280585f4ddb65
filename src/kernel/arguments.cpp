#include "kernel/arguments.hpp"

#include <algorithm>

#include "kernel/formula_text.hpp"
#include "kernel/number_text.hpp"
#include "kernel/quoted.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostSymbols = 1000;  // every expression looks its names up among them
constexpr std::size_t kMostItems = 10'000;  // of a shape, or of a list of shapes

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ArgumentReader::Path ArgumentReader::Path::operator/(std::size_t index) const {
  Path inner = *this;
  inner.steps[static_cast<std::size_t>(inner.depth++)] = static_cast<int>(index);
  return inner;
}

void ArgumentReader::read(const ParamSpec& spec, const YamlNode& node) {
  auto& input = entry_.prototype.input;
  input.set(spec.name, {});
  const auto position = static_cast<std::size_t>(input.position(spec.name));
  Value value = read_value(spec, node, Path{} / position);
  input.at(static_cast<int>(position)) = std::move(value);
  entry_.arguments.emplace_back(spec.name, Place::of(node));
}

void ArgumentReader::set_choice(const ParamSpec& spec, std::string_view choice,
                                const YamlNode& node) {
  entry_.prototype.input.set(spec.name, {std::string(choice)});
  entry_.arguments.emplace_back(spec.name, Place::of(node));
}

Value ArgumentReader::read_value(const ParamSpec& spec, const YamlNode& node, Path path) {
  switch (spec.type) {
    case ParamType::count: return read_count(spec.name, spec.minimum, node, path);
    case ParamType::number: return read_number(spec, node, path);
    case ParamType::flag:
      return {read_flag(reading_.document(), node, spec.name, reading_.errors()).value_or(false)};
    case ParamType::choice: {
      const auto choice = read_choice(reading_, node, spec.name, spec.choices);
      return {std::string(choice ? spec.choices[*choice] : std::string_view())};
    }
    case ParamType::counts: return read_counts(spec.name, spec.minimum, node, path);
    case ParamType::count_lists: return read_count_lists(spec, node, path);
    case ParamType::symbols: return read_symbols(node, path);
    case ParamType::tensors: return read_tensors(node, path);
    case ParamType::steps: return read_steps(node, path);
    case ParamType::names: return read_name_list(node, spec.name);
    case ParamType::work_map: return read_work(node, path);
  }
  return {};
}

Count ArgumentReader::add_slot(Slot::Target target, Expression expression, std::string_view what,
                               Count minimum, Path path) {
  return roofline::add_slot(reading_, values_,
                            {std::move(expression), target, path.steps, path.depth, what, minimum},
                            entry_);
}

Value ArgumentReader::read_count(std::string_view what, Count minimum, const YamlNode& node,
                                 Path path) {
  if (node.is_scalar() &&
      all_digits(node.text))  // most counts of a long description: no expression is kept for them
    if (const auto value = parse_count(node.text); value && !(*value < minimum)) return {*value};
  auto expression = read_expression(reading_, node, what, scope_);
  if (!expression) return {Count(0)};
  if (!expression->formula.constant()) {
    add_slot(Slot::Target::argument, std::move(*expression), what, minimum, path);
    return {Count(0)};
  }
  auto value = evaluate(*expression, what, minimum, {}, reading_.document());
  if (value) return {*value};
  reading_.report(std::move(value.error()));
  return {Count(0)};
}

Value ArgumentReader::read_number(const ParamSpec& spec, const YamlNode& node, Path path) {
  if (!node.is_scalar()) {
    reading_.report_kind(node, spec.name, "a number");
    return {0.0};
  }
  auto number = parse_number(node.text);
  if (number) return {*number};
  if (Formula::parse(node.text, scope_.names))
    return read_count(spec.name, kAnyInteger, node, path);
  number.error().where = {};
  reading_.report_inside(node, std::move(number.error()));
  return {0.0};
}

Value ArgumentReader::read_counts(std::string_view what, Count minimum, const YamlNode& node,
                                  Path path) {
  ValueList list;
  if (node.is_scalar()) {  // `shape: N` for `shape: [N]`
    list.push_back(read_count(what, minimum, node, path / 0));
  } else if (!node.is_list()) {
    reading_.report_kind(node, what, "a list of numbers", "for example [8192, 8192]");
  } else {
    for (const auto& item : items_of(node, what, kMostItems))
      list.push_back(read_count(what, minimum, item, path / list.size()));
  }
  return {std::move(list)};
}

Value ArgumentReader::read_count_lists(const ParamSpec& spec, const YamlNode& node, Path path) {
  ValueList lists;
  if (!node.is_list()) {
    reading_.report_kind(node, spec.name, "a list of lists",
                         "for example [[512, 1024], [512, 1024]]");
    return {std::move(lists)};
  }
  for (const auto& item : items_of(node, spec.name, kMostItems)) {
    if (!item.is_list())
      reading_.report_kind(item, "each item of " + std::string(spec.name), "a list",
                           "for example [[512, 1024], [512, 1024]]");
    lists.push_back(item.is_list() ? read_counts(spec.name, spec.minimum, item, path / lists.size())
                                   : Value{ValueList{}});
  }
  return {std::move(lists)};
}

Value ArgumentReader::read_symbols(const YamlNode& node, Path path) {
  ValueMap symbols;
  if (!node.is_map()) {
    reading_.report_kind(node, "symbols", "a map of names and integers", "symbols: {NX: 1024}");
    return {std::move(symbols)};
  }
  if (node.keys.size() > kMostSymbols) {
    reading_.report(Code::limit_exceeded, node,
                    std::to_string(node.keys.size()) + " symbols; at most " +
                        std::to_string(kMostSymbols) + " are read");
    return {std::move(symbols)};
  }
  const auto functions = formula_functions();
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const auto& key = node.keys[i];
    if (!is_formula_name(key.text) ||
        std::find(functions.begin(), functions.end(), key.text) != functions.end()) {
      reading_.report(Code::bad_expression, key,
                      quoted(key.text) + " cannot be the name of a symbol",
                      "names have letters, digits and _, start with a letter or _, and are not "
                      "those of functions");
      continue;
    }
    auto expression = read_expression(reading_, node.items[i], "a symbol", scope_);
    const bool varies = expression && expression->varies;
    const Count first = expression ? add_slot(Slot::Target::symbol, std::move(*expression),
                                              "a symbol", kAnyInteger, path / symbols.size())
                                   : Count(0);
    symbols.push_back({key.text, Value{Count(0)}});
    scope_.add(key.text, varies);  // also after a mistake: its uses are none
    if (values_ != nullptr) values_->push_back(first);
  }
  return {std::move(symbols)};
}

Value ArgumentReader::read_work(const YamlNode& node, Path path) {
  ValueMap work;
  if (!node.is_map())
    reading_.report_kind(node, "work", "a map of datapaths and counts",
                         "work: {vector.fp32: 9*N, sfu: N}");
  for (std::size_t i = 0; i < node.keys.size() && !reading_.has_enough(); ++i)
    work.push_back({node.keys[i].text, read_count("work", 0, node.items[i], path / i)});
  return {std::move(work)};
}

std::span<const YamlNode> ArgumentReader::items_of(const YamlNode& node, std::string_view what,
                                                   std::size_t most) {
  if (!node.is_list()) return {&node, 1};  // a single name for a list of one
  if (node.items.size() <= most) return node.items;
  reading_.report(Code::limit_exceeded, node,
                  std::string(what) + " has " + std::to_string(node.items.size()) +
                      " items; at most " + std::to_string(most) + " are read");
  return {};
}

Value ArgumentReader::read_name_list(const YamlNode& node, std::string_view what) {
  ValueList names;
  if (const auto read = read_names(reading_.document(), node, what, reading_.errors()))
    for (const auto& name : *read) names.push_back({name});
  return {std::move(names)};
}

}  // namespace roofline
