#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace roofline::testing {

/// One exact value of tests/data/truth/values: inputs, formula, and the value as "num/den" and as a double.
struct ValueCase {
  std::string id, formula;
  nlohmann::json inputs;
  double value = 0;

  friend void PrintTo(const ValueCase& c, std::ostream* out) { *out << c.id; }
};

inline std::vector<ValueCase> value_cases(const std::string& group) {
  std::ifstream file(std::string(ROOFLINE_TEST_DATA) + "/truth/values/" + group + ".json");
  const auto document = nlohmann::json::parse(file);
  std::vector<ValueCase> cases;
  for (const auto& c : document.at("cases"))
    cases.push_back({c.at("id"), c.at("formula"), c.at("inputs"), c.at("value")});
  return cases;
}

inline std::string case_name(const ::testing::TestParamInfo<ValueCase>& info) {
  std::string name;
  for (const char c : info.param.id) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

}  // namespace roofline::testing
