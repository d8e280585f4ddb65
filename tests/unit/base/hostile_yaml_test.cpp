// Files made to take all memory or time. Each is refused, or read, within a few seconds and without
// a deep stack.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "roofline/base/yaml.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMega = 1 << 20;

std::string repeated(std::string_view part, std::size_t count) {
  std::string result;
  result.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += part;
  return result;
}

std::string numbered(std::size_t count, const std::function<std::string(std::string)>& line) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += line(std::to_string(i));
  return result;
}

/// Each list holds the one before it nine times: nine to the power of `levels`.
std::string billion_laughs(int levels) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < levels; ++i) {
    const auto one = "*a" + std::to_string(i - 1) + ", ";
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(one, 9) + "]\n";
  }
  return text;
}

struct Row {
  const char* name;
  std::function<std::string()> text;
  Code code;
  YamlLimits limits = {};
};
constexpr YamlLimits kFewer = {.nodes = 1'000'000};  // the default would only take longer to pass
const Row kRows[] = {
    {"brackets", [] { return repeated("[", 60 * kMega); }, Code::limit_exceeded},
    {"brackets_after_a_key", [] { return "k: " + repeated("[", 60 * kMega); },
     Code::limit_exceeded},
    {"brackets_on_lines", [] { return "k: " + repeated("[[[[[[[[[[\n", 5 * kMega); },
     Code::limit_exceeded},
    {"braces", [] { return repeated("{a: ", 15 * kMega); }, Code::limit_exceeded},
    {"braces_after_a_key", [] { return "k: " + repeated("{a: ", 15 * kMega); },
     Code::limit_exceeded},
    {"json_braces", [] { return repeated("{\"a\":", 12 * kMega); }, Code::limit_exceeded},
    {"dashes", [] { return repeated("- ", 30 * kMega); }, Code::limit_exceeded},
    {"questions", [] { return repeated("? ", 30 * kMega); }, Code::limit_exceeded},
    {"colons", [] { return repeated(": ", 30 * kMega); }, Code::limit_exceeded},
    {"colons_and_names", [] { return repeated("a: b: c: ", kMega); }, Code::yaml_syntax},
    {"stairs",
     [] {
       return numbered(
           2000, [](const std::string& i) { return std::string(std::stoul(i), ' ') + "a:\n"; });
     },
     Code::limit_exceeded},
    {"billion_laughs", [] { return billion_laughs(12); }, Code::limit_exceeded},
    {"aliases_of_a_long_text",
     [] {
       return "a: &a \"" + std::string(kMega, 'x') + "\"\nb: [" + repeated("*a,", 100'000) + "]";
     },
     Code::limit_exceeded},
    {"aliases_that_nest",  // each alias is small, the depth of them all is not
     [] {
       return "a0: &a0 [1]\n" + numbered(20'000, [](const std::string& i) {
                return "a" + std::to_string(std::stoul(i) + 1) + ": &a" +
                       std::to_string(std::stoul(i) + 1) + " [*a" + i + "]\n";
              });
     },
     Code::limit_exceeded},
    {"long_plain_text", [] { return "k: " + std::string(10 * kMega, 'x'); }, Code::limit_exceeded},
    {"long_quoted_text", [] { return "k: \"" + std::string(10 * kMega, 'x'); },
     Code::limit_exceeded},
    {"commas", [] { return "k: [" + repeated(",", 3 * kMega) + "]"; }, Code::yaml_syntax},
    {"empty_items", [] { return repeated("-\n", 3 * kMega); }, Code::limit_exceeded, kFewer},
    {"json_numbers", [] { return "[" + repeated("1,", 3 * kMega) + "1]"; }, Code::limit_exceeded,
     kFewer},
    {"json_open_string", [] { return "[\"" + std::string(40 * kMega, 'x'); }, Code::yaml_syntax},
    {"too_many_bytes", [] { return "a: 1\n" + std::string(65 * kMega, '\n'); },
     Code::limit_exceeded},
    {"same_key", [] { return repeated("a: 1\n", 300'000); }, Code::duplicate_key},
    {"stars", [] { return repeated("*", kMega); }, Code::yaml_syntax},
    {"documents", [] { return repeated("--- a\n", kMega); }, Code::unsupported_yaml},
    {"tags", [] { return repeated("- !!str a\n", kMega); }, Code::unsupported_yaml},
};
class Hostile : public testing::TestWithParam<Row> {};
TEST_P(Hostile, Refused) {
  const auto start = std::chrono::steady_clock::now();
  const auto document = read_yaml(GetParam().text(), "f", GetParam().limits);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().front().code, GetParam().code)
      << format_errors(document.error(), false, 1);
  EXPECT_LE(document.error().size(), 20u);
  EXPECT_LT(format_errors(document.error(), false).size(), 20'000u);
  // Generous: linear work is a hundredth of it, and what is not linear would take hours.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
}
INSTANTIATE_TEST_SUITE_P(Rows, Hostile, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

struct LegalRow {
  const char* name;
  std::function<std::string()> text;
  std::size_t items;
};
const LegalRow kLegal[] = {
    {"many_keys",
     [] { return numbered(200'000, [](const std::string& i) { return "k" + i + ": 1\n"; }); },
     200'000},
    {"many_keys_in_brackets",
     [] {
       return "{" + numbered(100'000, [](const std::string& i) { return "k" + i + ": 1, "; }) + "}";
     },
     100'000},
    {"many_anchors",
     [] { return numbered(200'000, [](const std::string& i) { return "- &a" + i + " 1\n"; }); },
     200'000},
    {"many_aliases", [] { return "- &a 1\n" + repeated("- *a\n", 200'000); }, 200'001},
    {"long_json_line", [] { return "[" + repeated("{\"a\":1},", 200'000) + "1]"; }, 200'001},
    {"deepest", [] { return std::string(64, '[') + std::string(64, ']'); }, 1},
};
class Legal : public testing::TestWithParam<LegalRow> {};
TEST_P(Legal, Read) {
  const auto start = std::chrono::steady_clock::now();
  const auto document = read_yaml(GetParam().text(), "f");
  ASSERT_TRUE(document) << format_errors(document.error(), false, 1);
  EXPECT_EQ(document->root().items.size(), GetParam().items);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
}
INSTANTIATE_TEST_SUITE_P(Rows, Legal, testing::ValuesIn(kLegal),
                         [](const auto& i) { return i.param.name; });

TEST(Limits, DepthIsExact) {
  for (const std::string key : {"", "k: "}) {
    const int own = key.empty() ? 0 : 1;
    const auto nested = [&](int depth) {
      const auto brackets = static_cast<std::size_t>(depth - own);
      return key + std::string(brackets, '[') + std::string(brackets, ']');
    };
    EXPECT_TRUE(read_yaml(nested(10), "f", {.depth = 10}));
    EXPECT_FALSE(read_yaml(nested(11), "f", {.depth = 10}));
  }
}

TEST(Limits, BytesAndNodesAreExact) {
  EXPECT_TRUE(read_yaml("a: 1", "f", {.bytes = 4}));
  EXPECT_EQ(read_yaml("a: 1", "f", {.bytes = 3}).error().front().code, Code::limit_exceeded);
  for (const auto* text : {"[1, 2]", "- 1\n- 2"}) {
    EXPECT_TRUE(read_yaml(text, "f", {.nodes = 3}));
    EXPECT_EQ(read_yaml(text, "f", {.nodes = 2}).error().front().code, Code::limit_exceeded);
  }
}

TEST(Limits, AliasNodesAreCountedInTotal) {
  const std::string text = "a: &a [1, 2]\nb: [*a, *a]";  // each copy has 3 nodes
  EXPECT_TRUE(read_yaml(text, "f", {.alias_nodes = 6}));
  EXPECT_EQ(read_yaml(text, "f", {.alias_nodes = 5}).error().front().code, Code::limit_exceeded);
}

}  // namespace
}  // namespace roofline
