#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "roofline/base/input.hpp"
#include "roofline/base/yaml.hpp"

namespace roofline {

/// The reference file that the table was made from; tests of the figures compare with it, not with our own output.
inline const std::string& facts_path() {
  static const std::string path = std::string(ROOFLINE_SHARED) + "/facts/gpus.yaml";
  return path;
}

inline const YamlDocument& facts() {
  static const YamlDocument document = [] {
    auto text = read_input(facts_path(), std::size_t{16} << 20);
    if (!text) return YamlDocument();
    auto parsed = read_yaml(std::move(*text), facts_path());
    return parsed ? std::move(*parsed) : YamlDocument();
  }();
  return document;
}

inline const YamlNode& facts_gpus() { return *facts().root().find("gpus"); }

}  // namespace roofline

#define SKIP_WITHOUT_FACTS()                                                                        \
  if (!std::filesystem::exists(roofline::facts_path())) GTEST_SKIP() << roofline::facts_path() << " is not here"; \
  ASSERT_TRUE(roofline::facts().root().is_map()) << "the reference file does not parse"
