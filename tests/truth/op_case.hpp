#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "roofline/kernel/op.hpp"

namespace roofline::truth {

/// A JSON number, list or map as a parameter value. null is an absent parameter and not passed on.
inline Value to_value(const nlohmann::json& json) {
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_unsigned()) return {Count(json.get<unsigned long>())};
  if (json.is_number_integer()) return {Count(json.get<long>())};
  if (json.is_number_float()) return {json.get<double>()};
  if (json.is_string()) return {json.get<std::string>()};
  if (json.is_array()) {
    ValueList list;
    for (const auto& item : json) list.push_back(to_value(item));
    return {std::move(list)};
  }
  ValueMap map;
  for (const auto& [key, item] : json.items()) map.push_back({key, to_value(item)});
  return {std::move(map)};
}

/// Fills the dtypes that a case does not give, by the rules of OperandSpec.
inline void add_default_dtypes(const OpEntry& op, OpInput& input) {
  for (std::size_t round = 0; round < op.operands.size();
       ++round)  // a rule may follow another operand's rule
    for (const auto& operand : op.operands) {
      if (operand.optional || input.has_dtype(operand.name) || operand.default_dtype.empty())
        continue;
      const auto rule = operand.default_dtype;
      if (rule.front() != '=') {
        input.set_dtype(operand.name, *find_dtype(rule));
      } else if (input.has_dtype(rule.substr(1))) {
        input.set_dtype(operand.name, input.dtype(rule.substr(1)));
      }
    }
}

/// The input of a case {params, dtypes}. The names of unknown parameters are returned: a case uses
/// none. `params` must outlive the input.
inline std::vector<std::string> to_input(const OpEntry& op, const nlohmann::json& params,
                                         const nlohmann::json& dtypes, OpInput& input) {
  std::vector<std::string> unknown;
  for (const auto& [name, json] : params.items()) {
    if (json.is_null()) continue;
    const ParamSpec* known = nullptr;
    for (const auto& spec : op.params)
      if (spec.name == name) known = &spec;
    if (known) {
      input.set(known->name, to_value(json));
    } else {
      unknown.push_back(name);
    }
  }
  for (const auto& [operand, json] : dtypes.items()) {
    std::vector<DType> list;
    for (const auto& name : json.is_array() ? json : nlohmann::json::array({json}))
      list.push_back(*find_dtype(name.get<std::string>()));
    input.set_dtypes(operand, list);
  }
  add_default_dtypes(op, input);
  return unknown;
}

}  // namespace roofline::truth
