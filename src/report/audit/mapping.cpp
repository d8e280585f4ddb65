#include "report/audit/mapping.hpp"

#include "report/audit/cell.hpp"

namespace roofline::audit_rows {
namespace {

std::optional<Count> first_of(const std::vector<std::string_view>& names, const RowFields& row) {
  for (const auto name : names)
    if (const auto text = row.find(name)) return read_count(*text);
  return std::nullopt;
}

}  // namespace

Mapping::Node Mapping::parse(std::string_view& text) {
  Node node;
  if (text.starts_with('[')) {
    node.list = true;
    do {
      text.remove_prefix(1);  // the bracket, or a comma
      node.items.push_back(parse(text));
    } while (text.starts_with(','));
    text.remove_prefix(1);  // ]
    return node;
  }
  const auto stop = text.find_first_of(",]");
  auto sum = text.substr(0, stop);
  text.remove_prefix(sum.size());
  node.sum.emplace_back();
  while (!sum.empty()) {
    const auto end = std::min(sum.find_first_of("|+"), sum.size());
    node.sum.back().push_back(sum.substr(0, end));
    if (end < sum.size() && sum[end] == '+') node.sum.emplace_back();
    sum.remove_prefix(std::min(end + 1, sum.size()));
  }
  return node;
}

std::optional<Value> Mapping::evaluate(const Node& node, const RowFields& row) {
  if (node.list) {
    ValueList list;
    for (const auto& item : node.items) {
      auto value = evaluate(item, row);
      if (!value) return std::nullopt;
      list.push_back(std::move(*value));
    }
    return Value{std::move(list)};
  }
  Count total = 0;
  for (const auto& names : node.sum) {
    const auto count = first_of(names, row);
    if (!count) return std::nullopt;
    total += *count;
  }
  return Value{total};
}

Mapping Mapping::of(const ParamSpec& param, std::string_view text) {
  Mapping mapping;
  mapping.param_ = &param;
  mapping.root_ = parse(text);
  return mapping;
}

std::optional<Value> Mapping::value(const RowFields& row) const { return evaluate(root_, row); }

std::vector<Mapping> parse_mappings(const OpEntry& op, std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  split_pairs(text, pairs);
  std::vector<Mapping> mappings;
  for (const auto& [name, value] : pairs)
    if (const auto* param = find_param(op, name)) mappings.push_back(Mapping::of(*param, value));
  return mappings;
}

const ParamSpec* find_param(const OpEntry& op, std::string_view name) {
  for (const auto& param : op.params)
    if (param.name == name) return &param;
  return nullptr;
}

}  // namespace roofline::audit_rows
