// The schemas in specs/schemas against the tables of the program. What validates documents against
// them is tests/schema/check.py. ROOFLINE_REWRITE=1 writes the part of kernel.json that follows
// from the table of ops.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/op.hpp"

namespace roofline {
namespace {

using nlohmann::ordered_json;

const std::string kFolder = std::string(ROOFLINE_SOURCE_DIR) + "/specs/schemas/";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ordered_json schema(const std::string& name) { return ordered_json::parse(text_of(name)); }

ordered_json reference(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }

std::string_view definition_of(ParamType type) {
  switch (type) {
    case ParamType::count: return "count";
    case ParamType::number: return "number";
    case ParamType::flag: return "flag";
    case ParamType::choice: return "choice";
    case ParamType::counts: return "counts";
    case ParamType::count_lists: return "count_lists";
    case ParamType::symbols: return "symbols";
    case ParamType::tensors: return "tensors";
    case ParamType::steps: return "steps";
    case ParamType::names: return "names";
    case ParamType::work_map: return "work_map";
  }
  return "";
}

ordered_json property_of(const ParamSpec& param) {
  ordered_json property = {{"description", param.doc}};
  if (param.type == ParamType::choice)
    property["enum"] = param.choices;
  else
    property.update(reference(definition_of(param.type)));
  return property;
}

ordered_json property_of(const OpEntry& op, const ParamAlias& alias) {
  ordered_json property = {{"description", "Stands for " + std::string(alias.targets)}};
  const auto target = alias.targets.substr(0, alias.targets.find(' '));
  for (const auto& param : op.params) {
    if (param.name != target) continue;
    if (!alias.value_if_true.empty())
      property["type"] = "boolean";
    else if (param.type == ParamType::choice)
      property["enum"] = param.choices;
    else
      property.update(reference(definition_of(param.type)));
  }
  return property;
}

/// Parameters and aliases of an op.
ordered_json schema_of(const OpEntry& op) {
  ordered_json properties = ordered_json::object();
  for (const auto& param : op.params) properties[std::string(param.name)] = property_of(param);
  for (const auto& alias : op.aliases)
    properties[std::string(alias.alias)] = property_of(op, alias);
  return {{"description", op.doc}, {"properties", properties}};
}

/// What an entry of the op may have: its parameters, also together in a map `params`. The op that
/// has a parameter of that name (optimizer) takes either.
ordered_json entry_of(const OpEntry& op, ordered_json& definition) {
  const auto self = reference("op_" + std::string(op.name));
  ordered_json nested = {{"type", "object"}};
  nested.update(self);
  nested["unevaluatedProperties"] = false;
  ordered_json entry = self;
  auto& properties = entry["properties"];
  properties["params"] = nested;
  if (auto& own = definition["properties"]; own.contains("params")) {
    ordered_json inner = {{"type", "object"}, {"properties", own}, {"additionalProperties", false}};
    own["params"] = {{"anyOf", {own["params"], inner}}};
    entry.erase("properties");
  }
  if (op.name == "generic")
    for (const char* key : {"reads", "writes"}) properties[key] = reference("step_names");
  return entry;
}

/// kernel.json with what the table of ops says filled in.
ordered_json expected_kernel_schema() {
  auto document = schema("kernel.json");
  ordered_json definitions;
  for (const auto& [name, definition] : document["$defs"].items())
    if (!name.starts_with("op_")) definitions[name] = definition;
  ordered_json choices = ordered_json::array();
  for (const auto& op : ops()) {
    const std::string name = "op_" + std::string(op.name);
    auto& definition = definitions[name] = schema_of(op);
    const auto entry = entry_of(op, definition);
    choices.push_back(
        {{"if", {{"properties", {{"op", {{"const", op.name}}}}}, {"required", {"op"}}}},
         {"then", entry}});
  }
  definitions["entry"]["allOf"] = choices;
  definitions["op"]["enum"] = op_names();
  document["$defs"] = definitions;
  return document;
}

/// JSON whose lists and maps stand on one line where they fit.
std::string folded(const ordered_json& value, std::size_t indent = 0, std::size_t before = 0) {
  constexpr std::size_t kColumns = 110;
  std::string flat = value.dump(-1, ' ', false);
  if (!value.is_structured() || flat.size() + indent + before < kColumns) return flat;
  std::string text(1, value.is_object() ? '{' : '[');
  for (auto it = value.begin(); it != value.end(); ++it) {
    const std::string key = value.is_object() ? ordered_json(it.key()).dump() + ": " : "";
    text += (it == value.begin() ? "\n" : ",\n") + std::string(indent + 2, ' ') + key +
            folded(*it, indent + 2, key.size());
  }
  return text + "\n" + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

TEST(KernelSchema, FollowsTheTableOfOps) {
  const auto expected = expected_kernel_schema();
  if (std::getenv("ROOFLINE_REWRITE") != nullptr)
    std::ofstream(kFolder + "kernel.json") << folded(expected) << "\n";
  const auto actual = schema("kernel.json");
  for (const auto& [name, definition] : expected["$defs"].items())
    EXPECT_EQ(actual["$defs"].value(name, ordered_json()), definition)
        << name << ": run ROOFLINE_REWRITE=1 unit_report --gtest_filter=KernelSchema.*";
  EXPECT_EQ(actual["$defs"].size(), expected["$defs"].size());
}

template <class E>
std::vector<std::string> names(int count, std::string_view (*name)(E)) {
  std::vector<std::string> list;
  for (int i = 0; i < count; ++i) list.emplace_back(name(static_cast<E>(i)));
  return list;
}

TEST(ResultSchema, ListsTheWordsOfTheVerdict) {
  const auto definitions = schema("result.json")["$defs"];
  EXPECT_EQ(definitions["bound"]["enum"], names(5, &bound_name));
  EXPECT_EQ(definitions["side"]["enum"], names(2, &side_name));
  EXPECT_EQ(definitions["status"]["enum"], names(4, &status_name));
  EXPECT_EQ(definitions["confidence"]["enum"], names(3, &confidence_name));
  EXPECT_EQ(definitions["timing"]["enum"], names(6, &timing_name));
  EXPECT_EQ(definitions["ceiling"]["properties"]["kind"]["enum"], names(3, &ceiling_kind_name));
}

TEST(GpuSchema, ListsTheRateTypes) {
  const auto types =
      schema("gpu.json")["properties"]["peaks"]["properties"]["tensor"]["properties"];
  ASSERT_EQ(types.size(), static_cast<std::size_t>(kRateTypes - 1));
  for (int type = 1; type < kRateTypes; ++type)
    EXPECT_TRUE(types.contains(rate_name(static_cast<RateType>(type))))
        << rate_name(static_cast<RateType>(type));
}

}  // namespace
}  // namespace roofline
