#include <gtest/gtest.h>

#include "roofline/base/yaml.hpp"

namespace roofline {
namespace {

struct Reading {
  explicit Reading(std::string text) : document(*read_yaml(std::move(text), "f.yaml")) {}
  YamlDocument document;
  Errors errors;
  YamlMap map() { return {document, document.root(), "a kernel", errors}; }
};

TEST(YamlMap, WhatIsAskedForIsFound) {
  Reading r("op: gemm\nm: 1");
  auto map = r.map();
  EXPECT_TRUE(map.ok());
  EXPECT_EQ(map.need("op")->text, "gemm");
  EXPECT_EQ(map.find("m")->text, "1");
  EXPECT_EQ(map.find("n"), nullptr);
  map.close();
  EXPECT_TRUE(r.errors.empty());
}

TEST(YamlMap, MissingKey) {
  Reading r("m: 1");
  auto map = r.map();
  EXPECT_EQ(map.need("op"), nullptr);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, Code::missing_key);
  EXPECT_EQ(r.errors[0].what, "a kernel needs the key \"op\"");
  EXPECT_EQ(r.errors[0].where.line, 1);
}

TEST(YamlMap, UnknownKeyIsReportedWithTheNearest) {
  Reading r("op: gemm\nrepaet: 2\n");
  auto map = r.map();
  for (const auto* key : {"op", "repeat", "tile"}) map.find(key);
  map.close();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, Code::unknown_key);
  EXPECT_EQ(r.errors[0].what, "unknown key \"repaet\"");
  EXPECT_EQ(r.errors[0].hint, "did you mean \"repeat\"?");
  EXPECT_EQ(r.errors[0].where.line, 2);
  EXPECT_EQ(r.errors[0].where.length, 6);
}

TEST(YamlMap, AKeyThatIsGivenIsNotSuggested) {
  Reading r("repeat: 1\nrepeats: 2\n");
  auto map = r.map();
  map.find("repeat");
  map.close();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].hint.find("did you mean"), std::string::npos);
}

TEST(YamlMap, NotAMapIsReportedOnce) {
  Reading r("[1, 2]");
  auto map = r.map();
  EXPECT_FALSE(map.ok());
  EXPECT_EQ(map.need("op"), nullptr);
  EXPECT_EQ(map.find("m"), nullptr);
  map.close();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, Code::wrong_type);
  EXPECT_EQ(r.errors[0].what, "a kernel must be a map of keys and values, not a list");
}

TEST(YamlMap, ManyUnknownKeysAreCounted) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  Reading r(text);
  auto map = r.map();
  map.find("op");
  map.close();
  EXPECT_EQ(r.errors.size(), 20u);
  EXPECT_EQ(r.errors.back().note, "980 more keys of this map are unknown");
}

struct FlagRow {
  const char* name;
  const char* text;
  std::optional<bool> value;
};
constexpr FlagRow kFlags[] = {
    {"true_", "true", true},
    {"false_", "false", false},
    {"yes", "yes", std::nullopt},
    {"no", "no", std::nullopt},
    {"capitals", "True", std::nullopt},
    {"quoted", "'true'", std::nullopt},
    {"one", "1", std::nullopt},
    {"list", "[true]", std::nullopt},
};
class Flag : public testing::TestWithParam<FlagRow> {};
TEST_P(Flag, OnlyTrueAndFalse) {
  Reading r(GetParam().text);
  EXPECT_EQ(read_flag(r.document, r.document.root(), "causal", r.errors), GetParam().value);
  EXPECT_EQ(r.errors.size(), GetParam().value ? 0u : 1u);
  if (!r.errors.empty()) {
    EXPECT_EQ(r.errors[0].code, Code::wrong_type);
    EXPECT_TRUE(r.errors[0].what.starts_with("causal must be true or false, not "))
        << r.errors[0].what;
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, Flag, testing::ValuesIn(kFlags),
                         [](const auto& i) { return i.param.name; });

struct NamesRow {
  const char* name;
  const char* text;
  std::optional<std::vector<std::string>> names;
};
const NamesRow kNames[] = {
    {"one", "h100", {{"h100"}}},
    {"several", "[h100, 'b 200']", {{"h100", "b 200"}}},
    {"none", "[]", {std::vector<std::string>{}}},
    {"map", "{a: 1}", std::nullopt},
    {"list_in_list", "[a, [b]]", std::nullopt},
    {"null_in_list", "[a, ~]", std::nullopt},
};
class Names : public testing::TestWithParam<NamesRow> {};
TEST_P(Names, OneOrAList) {
  Reading r(GetParam().text);
  EXPECT_EQ(read_names(r.document, r.document.root(), "gpu", r.errors), GetParam().names);
  EXPECT_EQ(r.errors.size(), GetParam().names ? 0u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Rows, Names, testing::ValuesIn(kNames),
                         [](const auto& i) { return i.param.name; });

TEST(ReadText, ScalarsOnly) {
  Reading r("{a: 010, b: [1], c: }");
  const auto& root = r.document.root();
  EXPECT_EQ(read_text(r.document, *root.find("a"), "name", r.errors), "010");
  EXPECT_EQ(read_text(r.document, *root.find("b"), "name", r.errors), std::nullopt);
  EXPECT_EQ(read_text(r.document, *root.find("c"), "name", r.errors), std::nullopt);
  ASSERT_EQ(r.errors.size(), 2u);
  EXPECT_EQ(r.errors[0].what, "name must be a text, not a list");
  EXPECT_EQ(r.errors[1].what, "name must be a text, not nothing");
}

}  // namespace
}  // namespace roofline
