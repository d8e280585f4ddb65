#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"
#include "truth/op_case.hpp"

// Every case of tests/data/truth/cases, twice: the model function alone, and the case as an entry
// of a kernel description. Exact: FLOPs, bytes, every operand, datapath and fact. The cases come
// from a model written apart from this program (docs/model.md, sources) and checked there by brute
// force.
namespace roofline {
namespace {

using nlohmann::json;

json cases_of(std::string_view op) {
  std::ifstream file(std::string(ROOFLINE_TEST_DATA) + "/truth/cases/" + std::string(op) + ".json");
  return file ? json::parse(file).at("cases") : json::array();
}

/// The cases write cuda:<type> for the vector pipe.
std::string pipe_of(const std::string& name) {
  const auto pipe = find_pipe(name);
  return pipe ? pipe_name(*pipe) : "no pipe: " + name;
}

/// A fact as text: lists as "[56, 56]".
std::string fact_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ", ") + item.dump();
  return "[" + text + "]";
}

using Operands = std::map<std::string, std::pair<std::string, std::string>>;

Operands operands_of(const Work& work) {
  Operands operands;
  for (const auto& traffic : work.operands())
    operands[traffic.operand] = {traffic.read.to_string(), traffic.written.to_string()};
  return operands;
}

Operands operands_of(const json& expected) {
  Operands operands;
  for (const auto& [name, traffic] : expected.items())
    operands[name] = {traffic.at("read").get<std::string>(),
                      traffic.at("written").get<std::string>()};
  return operands;
}

std::map<std::string, std::string> facts_of(const Work& work) {
  std::map<std::string, std::string> facts;
  for (const auto& fact : work.facts()) facts[fact.name] = fact.value;
  return facts;
}

std::map<std::string, std::string> facts_of(const json& expected) {
  std::map<std::string, std::string> facts;
  if (expected.contains("extra"))
    for (const auto& [name, value] : expected.at("extra").items()) facts[name] = fact_text(value);
  return facts;
}

void expect_work(const Work& work, const json& expected) {
  EXPECT_EQ(work.flops().to_string(), expected.at("flops"));
  EXPECT_EQ(work.matmul_flops().to_string(), expected.at("matmul_flops"));
  EXPECT_EQ(work.vector_flops().to_string(), expected.at("vector_flops"));
  EXPECT_EQ(work.sfu_ops().to_string(), expected.at("sfu_ops"));
  EXPECT_EQ(work.int_ops().to_string(), expected.value("int_ops", "0"));
  EXPECT_EQ(work.bytes_read().to_string(), expected.at("bytes_read"));
  EXPECT_EQ(work.bytes_written().to_string(), expected.at("bytes_written"));
  EXPECT_EQ(operands_of(work), operands_of(expected.at("operands")));
  EXPECT_EQ(pipe_name(work.pipe()), pipe_of(expected.at("pipe")));
  EXPECT_EQ(facts_of(work), facts_of(expected));
  EXPECT_FALSE(work.overflowed());
}

/// The case as the one entry of a description. JSON is YAML.
std::string description_of(const json& c) {
  json entry = c.at("params");
  for (auto it = entry.begin(); it != entry.end();)
    it = it->is_null() ? entry.erase(it) : std::next(it);
  entry["name"] = "case";
  entry["op"] = c.at("op");
  if (!c.at("dtypes").empty()) entry["dtypes"] = c.at("dtypes");
  return json{{"schema", "roofline.kernel/1"}, {"kernels", json::array({entry})}}.dump();
}

class OpsTruthTest : public testing::TestWithParam<std::string> {};

TEST_P(OpsTruthTest, ModelsAgreeExactly) {
  const auto* op = find_op(GetParam());
  const auto cases = cases_of(GetParam());
  ASSERT_FALSE(cases.empty()) << "no cases in tests/data/truth/cases";
  if (GetParam() == "generic")
    return;  // its expressions are evaluated by the reader of descriptions: below
  for (const auto& c : cases) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    OpInput input;
    EXPECT_TRUE(truth::to_input(*op, c.at("params"), c.at("dtypes"), input).empty());
    const auto work = op->model(input);
    ASSERT_TRUE(work) << work.error().param << ": " << work.error().what;
    expect_work(*work, c);
  }
}

TEST_P(OpsTruthTest, DescriptionsAgreeExactly) {
  for (const auto& c : cases_of(GetParam())) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    const auto document = read_yaml(description_of(c), "case.json");
    ASSERT_TRUE(document);
    const auto file = KernelFile::read(*document);
    ASSERT_TRUE(file) << format_errors(file.error(), false);
    Workload workload;
    const auto errors = file->evaluate(0, workload);
    ASSERT_TRUE(errors.empty()) << format_errors(errors, false);
    ASSERT_EQ(workload.kernels.size(), 1u);
    expect_work(workload.kernels[0].work, c);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, OpsTruthTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto name : op_names()) names.emplace_back(name);
                           return names;
                         }()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace roofline
