#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "cli/docs.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

Result<AnalyzeArgs> analyze_args(std::vector<std::string> words) {
  return parse<AnalyzeArgs>(words);
}

TEST(Options, AnOptionTakesOneValueAndLeavesTheInputs) {
  const auto args =
      analyze_args({"a.yaml", "--gpu", "h100", "b.yaml", "-g", "h200", "-qq", "-o", "-", "c.yaml"});
  ASSERT_TRUE(args) << args.error().what;
  EXPECT_EQ(args->inputs, (std::vector<std::string>{"a.yaml", "b.yaml", "c.yaml"}));
  EXPECT_EQ(args->gpus, (std::vector<std::string>{"h100", "h200"}));
  EXPECT_EQ(args->quiet, 2);
  EXPECT_EQ(args->output, "-");
}

struct BadRow {
  const char* name;
  std::vector<std::string> words;
  Code code;
  const char* hint;
  friend void PrintTo(const BadRow& row, std::ostream* out) { *out << row.name; }
};
const BadRow kBad[] = {
    {"misspelt", {"a.yaml", "--fromat", "json"}, Code::unknown_option, "--format"},
    {"misspelt_with_its_value", {"a.yaml", "--fromat=json"}, Code::unknown_option, "--format"},
    {"not_abbreviated", {"a.yaml", "--verb"}, Code::unknown_option, "--verbose"},
    {"without_its_value", {"a.yaml", "--gpu"}, Code::missing_argument, ""},
    {"twice", {"a.yaml", "-f", "csv", "-f", "json"}, Code::bad_option, ""},
};
class BadOption : public testing::TestWithParam<BadRow> {};
TEST_P(BadOption, IsNamedWithItsNeighbour) {
  const auto args = analyze_args(GetParam().words);
  ASSERT_FALSE(args);
  EXPECT_EQ(args.error().code, GetParam().code) << args.error().what;
  EXPECT_NE(args.error().hint.find(GetParam().hint), std::string::npos) << args.error().hint;
  EXPECT_EQ(describe(args.error().code).exit_code, 2);
}
INSTANTIATE_TEST_SUITE_P(Rows, BadOption, testing::ValuesIn(kBad),
                         [](const auto& i) { return i.param.name; });

TEST(Commands, EveryRowIsWhole) {
  std::set<std::string> names;
  for (const auto& command : commands()) {
    EXPECT_TRUE(names.insert(command.full_name()).second) << command.full_name();
    EXPECT_TRUE(command.summary.ends_with('.')) << command.full_name();
    EXPECT_GE(command.examples.size(), 2U) << command.full_name();
    ASSERT_NE(command.run, nullptr);
    for (const auto& option : command.options())
      EXPECT_FALSE(option.doc.empty()) << command.full_name();
  }
}

TEST(Commands, HelpKeepsToItsWidthAndNamesEveryOption) {
  for (const auto& command : commands()) {
    const auto help = command_help(command, true, 100);
    for (const auto& option : command.options())
      for (const auto& name : option.names)
        EXPECT_NE(help.find(name), std::string::npos) << command.full_name() << ' ' << name;
    for (std::size_t from = 0; from < help.size();) {
      const auto to = std::min(help.find('\n', from), help.size());
      EXPECT_LE(display_width(help.substr(from, to - from)), 100U) << help.substr(from, to - from);
      from = to + 1;
    }
  }
}

TEST(Commands, AFirstWordFindsItsRow) {
  std::size_t used = 0;
  for (const auto& command : commands()) {
    std::vector<std::string> words;
    if (!command.group.empty()) words.emplace_back(command.group);
    words.emplace_back(command.name);
    words.emplace_back("rest");
    ASSERT_EQ(find_command(words, used), &command) << command.full_name();
    EXPECT_EQ(used, words.size() - 1);
  }
}

TEST(Completion, KnowsThreeShells) {
  for (const auto* shell : {"bash", "zsh", "fish"})
    EXPECT_NE(completion(shell).find("analyze"), std::string::npos) << shell;
  EXPECT_TRUE(completion("tcsh").empty());
}

}  // namespace
}  // namespace roofline::cli
