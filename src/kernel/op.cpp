#include "roofline/kernel/op.hpp"

#include <algorithm>

namespace roofline {
namespace {

/// Names are one to a dozen characters and asked for twenty times a point: most of those that differ do so in length or
/// in the first character, and a call to compare the rest costs more than the rest.
bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return a.size() == b.size();
  return a.front() == b.front() && (a.size() == 1 || a.data() == b.data() || a == b);
}

}  // namespace

void OpInput::set(std::string_view name, Value value) {
  for (auto& [known, old] : values_)
    if (known == name) {
      old = std::move(value);
      return;
    }
  values_.emplace_back(name, std::move(value));
}

void OpInput::set_dtype(std::string_view operand, DType dtype) { set_dtypes(operand, {dtype}); }

void OpInput::set_dtypes(std::string_view operand, std::vector<DType> list) {
  for (auto& [known, old] : dtypes_)
    if (known == operand) {
      old = std::move(list);
      return;
    }
  dtypes_.emplace_back(operand, std::move(list));
}

void OpInput::clear() {
  values_.clear();
  dtypes_.clear();
}

const Value* OpInput::find(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (same_name(known, name)) return &value;
  return nullptr;
}

int OpInput::position(std::string_view name) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].first == name) return static_cast<int>(i);
  return -1;
}

Count OpInput::count(std::string_view name, Count otherwise) const {
  const auto* value = find(name);
  const auto* count = value ? std::get_if<Count>(&value->data) : nullptr;
  return count ? *count : otherwise;
}

double OpInput::number(std::string_view name, double otherwise) const {
  const auto* value = find(name);
  if (!value) return otherwise;
  if (const auto* number = std::get_if<double>(&value->data)) return *number;
  if (const auto* count = std::get_if<Count>(&value->data)) return count->to_double();
  return otherwise;
}

bool OpInput::flag(std::string_view name, bool otherwise) const {
  const auto* value = find(name);
  const auto* flag = value ? std::get_if<bool>(&value->data) : nullptr;
  return flag ? *flag : otherwise;
}

std::string_view OpInput::choice(std::string_view name, std::string_view otherwise) const {
  const auto* value = find(name);
  const auto* text = value ? std::get_if<std::string>(&value->data) : nullptr;
  return text ? std::string_view(*text) : otherwise;
}

namespace {
std::vector<Count> counts_of(const Value& value) {
  std::vector<Count> counts;
  if (const auto* list = std::get_if<ValueList>(&value.data))
    for (const auto& item : *list)
      if (const auto* count = std::get_if<Count>(&item.data)) counts.push_back(*count);
  return counts;
}
}  // namespace

std::vector<Count> OpInput::counts(std::string_view name) const {
  const auto* value = find(name);
  return value ? counts_of(*value) : std::vector<Count>{};
}

std::vector<std::vector<Count>> OpInput::count_lists(std::string_view name) const {
  std::vector<std::vector<Count>> lists;
  const auto* value = find(name);
  if (const auto* list = value ? std::get_if<ValueList>(&value->data) : nullptr)
    for (const auto& item : *list) lists.push_back(counts_of(item));
  return lists;
}

bool OpInput::has_dtype(std::string_view operand) const { return !dtype_list(operand).empty(); }

DType OpInput::dtype(std::string_view operand) const {
  const auto list = dtype_list(operand);
  return list.empty() ? DType::fp32 : list.front();
}

std::span<const DType> OpInput::dtype_list(std::string_view operand) const {
  for (const auto& [known, list] : dtypes_)
    if (same_name(known, operand)) return list;
  return {};
}

const OpEntry* find_op(std::string_view name) {
  const auto table = ops();
  const auto it = std::lower_bound(table.begin(), table.end(), name, [](const OpEntry& entry, std::string_view n) { return entry.name < n; });
  return it != table.end() && it->name == name ? &*it : nullptr;
}

std::span<const std::string_view> op_names() {
  static const auto names = [] {
    std::vector<std::string_view> list;
    for (const auto& entry : ops()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

}  // namespace roofline
