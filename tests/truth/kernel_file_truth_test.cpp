#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel_file.hpp"

// The reference cases as users write them: parameters nested under `params:`, through variables and
// expressions, and all of them in one description. tests/truth/ops_truth_test.cpp holds every
// figure of a case written plainly.
namespace roofline {
namespace {

using nlohmann::json;

std::vector<json> all_cases() {
  std::vector<json> cases;
  std::map<std::string, std::filesystem::path> files;  // sorted, whatever the file system does
  const std::filesystem::path folder = std::string(ROOFLINE_TEST_DATA) + "/truth/cases";
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files[entry.path().string()] = entry.path();
  for (const auto& [name, path] : files) {
    const json file = json::parse(std::ifstream(path));
    for (const auto& c : file.at("cases")) cases.push_back(c);
  }
  return cases;
}

json without_nulls(json params) {
  for (auto it = params.begin(); it != params.end();)
    it = it->is_null() ? params.erase(it) : std::next(it);
  return params;
}

/// The case as an entry whose parameters stand under `params:`.
json nested_entry(const json& c) {
  json entry{{"name", c.at("id")}, {"op", c.at("op")}, {"params", without_nulls(c.at("params"))}};
  if (!c.at("dtypes").empty()) entry["dtypes"] = c.at("dtypes");
  return entry;
}

/// Every integer of `value` as an expression over ONE and TEN that has the same value.
json through_variables(const json& value) {
  if (value.is_number_integer() && value >= 0) {
    const auto text = value.dump();
    return text.substr(0, text.size() - 1) + (text.size() > 1 ? "*TEN + " : "0*ONE + ") +
           text.back() + "*ONE";
  }
  if (!value.is_structured()) return value;
  json copy = value;
  for (auto& item : copy) item = through_variables(item);
  return copy;
}

void expect_work(const Work& work, const json& expected) {
  EXPECT_EQ(work.flops().to_string(), expected.at("flops"));
  EXPECT_EQ(work.matmul_flops().to_string(), expected.at("matmul_flops"));
  EXPECT_EQ(work.vector_flops().to_string(), expected.at("vector_flops"));
  EXPECT_EQ(work.sfu_ops().to_string(), expected.at("sfu_ops"));
  EXPECT_EQ(work.bytes_read().to_string(), expected.at("bytes_read"));
  EXPECT_EQ(work.bytes_written().to_string(), expected.at("bytes_written"));
  for (const auto& traffic : work.operands()) {
    ASSERT_TRUE(expected.at("operands").contains(traffic.operand)) << traffic.operand;
    EXPECT_EQ(traffic.read.to_string(), expected.at("operands").at(traffic.operand).at("read"));
    EXPECT_EQ(traffic.written.to_string(),
              expected.at("operands").at(traffic.operand).at("written"));
  }
}

void expect_cases(const json& description, const std::vector<json>& cases) {
  const auto document = read_yaml(description.dump(), "cases.json");
  ASSERT_TRUE(document) << format_errors(document.error(), false);
  const auto file = KernelFile::read(*document);
  ASSERT_TRUE(file) << format_errors(file.error(), false);
  Workload workload;
  for (Count point = 0; point < file->points(); point += Count(1)) {
    const auto errors = file->evaluate(point, workload);
    ASSERT_TRUE(errors.empty()) << format_errors(errors, false);
    ASSERT_EQ(workload.kernels.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(cases[i].at("id").get<std::string>());
      EXPECT_EQ(workload.kernels[i].name, cases[i].at("id"));
      expect_work(workload.kernels[i].work, cases[i]);
    }
  }
}

TEST(KernelFileTruth, EveryCaseInOneDescription) {
  const auto cases = all_cases();
  if (cases.empty()) GTEST_SKIP() << "no cases in tests/data/truth/cases";
  json description{{"kernels", json::array()}};
  for (const auto& c : cases) description["kernels"].push_back(nested_entry(c));
  expect_cases(description, cases);
}

TEST(KernelFileTruth, EveryCaseThroughVariablesThatVary) {
  const auto cases = all_cases();
  if (cases.empty()) GTEST_SKIP() << "no cases in tests/data/truth/cases";
  // ONE and TEN are computed from a swept variable, so that every parameter is evaluated anew at
  // every point.
  json description{{"params", {{"A", "3:5"}, {"ONE", "A // A"}, {"TEN", "ONE*10"}}},
                   {"kernels", json::array()}};
  for (const auto& c : cases) {
    auto entry = nested_entry(c);
    for (auto& [name, value] : entry["params"].items())
      if (c.at("op") != "generic")
        value = through_variables(value);
      else if (name == "symbols")
        value = through_variables(value);
    description["kernels"].push_back(std::move(entry));
  }
  expect_cases(description, cases);
}

}  // namespace
}  // namespace roofline
