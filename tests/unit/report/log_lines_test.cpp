#include "report/log_lines.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

struct Row {
  const char *name, *lines, *shown;
};
constexpr Row kRows[] = {
    {"nothing", "", ""},
    {"plain", "a kernel\n", "a kernel\n"},
    {"command", "::error::x\n", "'::error::x\n"},
    {"after_blanks", "  FAIL x\n    ::add-mask::y\n", "  FAIL x\n    '::add-mask::y\n"},
    {"inside_of_a_line", "gemm::run ::error::x\n", "gemm::run ::error::x\n"},
    {"old_command", "a ##[error]b ##[add-mask]c\n", "a ## [error]b ## [add-mask]c\n"},
    {"old_command_first", "##[error]b", "## [error]b"},
    {"both", "::error::##[x]", "'::error::## [x]"},
    {"more_marks", "###[x] ##", "### [x] ##"},
    {"empty_lines", "\n\n", "\n\n"},
    {"no_end", "a\n::b", "a\n'::b"},
};

class LogLines : public testing::TestWithParam<Row> {};
TEST_P(LogLines, AreNoCommands) { EXPECT_EQ(log_lines(GetParam().lines), GetParam().shown); }
INSTANTIATE_TEST_SUITE_P(Rows, LogLines, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline
