#include "roofline/base/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace roofline {
namespace {

// The two errors of the mock-up in design/cli.md 7.11.
Error unknown_key() {
  return {Code::unknown_key,
          {"roofline.gate.yml", 27, 7, 18, "      max_time_over_flor: 1.25", 0},
          "unknown key \"max_time_over_flor\"",
          "did you mean \"max_time_over_floor\"?",
          {}};
}
Error no_unit() {
  return {Code::needs_unit,
          {"roofline.gate.yml", 44, 17, 3, "      max_time: 2.1", 0},
          "this limit needs a unit",
          "write 2.1 us, 2.1 ms or 2.1 s",
          {}};
}

TEST(FormatErrors, AsInTheMockUp) {
  const Error errors[] = {unknown_key(), no_unit()};
  EXPECT_EQ(format_errors(errors, false),
            "error[RF2003]: unknown key \"max_time_over_flor\"\n"
            "  --> roofline.gate.yml:27:7\n"
            "   |\n"
            "27 |       max_time_over_flor: 1.25\n"
            "   |       ^^^^^^^^^^^^^^^^^^ did you mean \"max_time_over_floor\"?\n"
            "   |\n"
            "error[RF2011]: this limit needs a unit\n"
            "  --> roofline.gate.yml:44:17\n"
            "   |\n"
            "44 |       max_time: 2.1\n"
            "   |                 ^^^ write 2.1 us, 2.1 ms or 2.1 s\n"
            "   |\n");
}

TEST(FormatErrors, InTheOrderOfTheFile) {
  const Error errors[] = {no_unit(), unknown_key()};
  const auto text = format_errors(errors, false);
  EXPECT_LT(text.find("RF2003"), text.find("RF2011"));
}

TEST(FormatErrors, OtherFilesKeepTheirPlace) {
  auto other = unknown_key();
  other.where.file = "other.yml";
  const Error errors[] = {no_unit(), other, unknown_key()};
  const auto text = format_errors(errors, false);
  EXPECT_LT(text.find("yml:44"), text.find("other.yml:27"));
  EXPECT_LT(text.find("other.yml:27"), text.find("gate.yml:27"));
}

struct Row {
  const char* name;
  Error error;
  const char* text;
};
const std::string kLong(300, 'x');
const Row kRows[] = {
    {"no_place",
     {Code::unknown_command, {}, "unknown command \"analize\"", "did you mean \"analyze\"?", {}},
     "error[RF1001]: unknown command \"analize\"\n"
     "  did you mean \"analyze\"?\n"},
    {"no_place_and_advice",
     {Code::no_gpu, {}, "no GPU was named", "roofline gpus list", {}},
     "error[RF3006]: no GPU was named\n"
     "help: roofline gpus list\n"},
    {"only_a_file",
     {Code::cannot_read, {"a.yaml", 0, 0, 1, {}, 0}, "no such file", {}, {}},
     "error[RF2001]: no such file\n"
     "  --> a.yaml\n"},
    {"line_without_its_text",
     {Code::wrong_type, {"a.yaml", 3, 5, 1, {}, 0}, "wrong", "fix it", {}},
     "error[RF2004]: wrong\n"
     "  --> a.yaml:3:5\n"
     "help: fix it\n"},
    {"note",
     {Code::duplicate_key, {"a.yaml", 2, 1, 1, "a: 2", 0}, "twice", {}, "first at a.yaml:1:1"},
     "error[RF2006]: twice\n"
     "  --> a.yaml:2:1\n"
     "   |\n"
     " 2 | a: 2\n"
     "   | ^\n"
     "   |\n"
     "note: first at a.yaml:1:1\n"},
    {"long_hint_on_a_line_of_its_own",
     {Code::wrong_type,
      {"a.yaml", 2, 1, 1, "a: 2", 0},
      "wrong",
      "this is a hint of more words than would fit beside the caret, so that it gets a line of its "
      "own, all of it",
      {}},
     "error[RF2005]: wrong\n"
     "  --> a.yaml:2:1\n"
     "   |\n"
     " 2 | a: 2\n"
     "   | ^\n"
     "   |\n"
     "help: this is a hint of more words than would fit beside the caret, so that it gets a line "
     "of its own, all of it\n"},
    {"hint_of_two_lines",
     {Code::wrong_type, {"a.yaml", 2, 1, 1, "a: 2", 0}, "wrong", "one\ntwo", {}},
     "error[RF2005]: wrong\n"
     "  --> a.yaml:2:1\n"
     "   |\n"
     " 2 | a: 2\n"
     "   | ^\n"
     "   |\n"
     "help: one\n"
     "      two\n"},
    {"five_digits",
     {Code::wrong_type, {"a.yaml", 12345, 4, 1, "a: 2", 0}, "wrong", {}, {}},
     "error[RF2005]: wrong\n"
     "  --> a.yaml:12345:4\n"
     "      |\n"
     "12345 | a: 2\n"
     "      |    ^\n"
     "      |\n"},
    {"tab_is_four_columns",
     {Code::wrong_type, {"a.yaml", 1, 3, 2, "\t\tab", 0}, "wrong", {}, {}},
     "error[RF2005]: wrong\n"
     "  --> a.yaml:1:3\n"
     "   |\n"
     " 1 |         ab\n"
     "   |         ^^\n"
     "   |\n"},
    {"caret_by_display_width",
     {Code::wrong_type, {"a.yaml", 1, 9, 6, "\u8868\u8868: \u8868\u8868", 0}, "wrong", {}, {}},
     "error[RF2005]: wrong\n"
     "  --> a.yaml:1:9\n"
     "   |\n"
     " 1 | \u8868\u8868: \u8868\u8868\n"
     "   |       ^^^^\n"
     "   |\n"},
    {"past_the_end_of_the_line",
     {Code::yaml_syntax, {"a.yaml", 1, 9, 5, "a: \"x", 0}, "open", {}, {}},
     "error[RF2002]: open\n"
     "  --> a.yaml:1:9\n"
     "   |\n"
     " 1 | a: \"x\n"
     "   |      ^\n"
     "   |\n"},
    {"escapes_do_not_reach_the_terminal",
     {Code::wrong_type, {"\x1b[2Ja", 1, 1, 1, "\x1b[2J", 0}, "\x1b]0;x\x07", {}, {}},
     "error[RF2005]: \uFFFD]0;x\uFFFD\n"
     "  --> \uFFFD[2Ja:1:1\n"
     "   |\n"
     " 1 | \uFFFD[2J\n"
     "   | ^\n"
     "   |\n"},
};
class Format : public testing::TestWithParam<Row> {};
TEST_P(Format, Text) {
  // The code of the row that has no source line is of no interest; its number is.
  auto error = GetParam().error;
  std::string expected = GetParam().text;
  expected.replace(6, 6, code_name(error.code));
  EXPECT_EQ(format_errors({&error, 1}, false), expected);
}
INSTANTIATE_TEST_SUITE_P(Rows, Format, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

/// The source line and the caret line of an error in `line` at byte `column`.
std::pair<std::string, std::string> shown(const std::string& line, int column, int length,
                                          int offset = 0) {
  const Error error{Code::wrong_type, {"a", 1, column, length, line, offset}, "x", {}, {}};
  const auto text = format_errors({&error, 1}, false);
  const auto source = text.find(" 1 | ");
  const auto end = text.find('\n', source);
  const auto caret_end = text.find('\n', end + 1);
  return {text.substr(source + 5, end - source - 5), text.substr(end + 6, caret_end - end - 6)};
}

TEST(FormatErrors, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  const auto [source, caret] = shown(line, 501, 4);
  EXPECT_LE(source.size(), 120u);
  EXPECT_TRUE(source.starts_with("...a"));
  EXPECT_TRUE(source.ends_with("b..."));
  EXPECT_EQ(source.substr(caret.find('^'), 4), "HERE");
  EXPECT_EQ(caret.substr(caret.find('^')), "^^^^");
}

TEST(FormatErrors, LongLinesAreCutAtTheEndOnly) {
  const auto [source, caret] = shown("HERE" + std::string(500, 'b'), 1, 4);
  EXPECT_TRUE(source.starts_with("HERE"));
  EXPECT_TRUE(source.ends_with("b..."));
  EXPECT_EQ(caret, "^^^^");
}

TEST(FormatErrors, LongLinesAreCutAtTheStartOnly) {
  const auto [source, caret] = shown(std::string(500, 'a') + "HERE", 501, 4);
  EXPECT_TRUE(source.starts_with("...a"));
  EXPECT_TRUE(source.ends_with("HERE"));
  EXPECT_EQ(source.substr(caret.find('^')), "HERE");
}

TEST(FormatErrors, LongTokensAreUnderlinedAsFarAsShown) {
  const auto [source, caret] = shown("k: " + std::string(10'000, 'x'), 4, 10'000);
  EXPECT_LE(caret.size(), source.size());
  EXPECT_EQ(caret.find('^'), 3u);
}

TEST(FormatErrors, PartOfALine) {
  // 1000 bytes of the line stand before what is quoted.
  const auto [source, caret] = shown("abcHERE", 1004, 4, 1000);
  EXPECT_EQ(source, "...abcHERE");
  EXPECT_EQ(source.substr(caret.find('^')), "HERE");
}

TEST(FormatErrors, WideCharactersAtTheCut) {
  std::string line;
  for (int i = 0; i < 300; ++i) line += "\u8868";
  const auto [source, caret] = shown(line, 451, 3);
  EXPECT_TRUE(source.starts_with("...\u8868")) << source;
  EXPECT_EQ(source.find("\uFFFD"), std::string::npos);
  EXPECT_EQ(caret.substr(caret.find('^')), "^^");
}

TEST(FormatErrors, SaysHowManyMore) {
  const std::vector<Error> errors(23, unknown_key());
  const auto text = format_errors(errors, false);
  EXPECT_TRUE(text.ends_with("and 3 more errors\n"));
  EXPECT_TRUE(format_errors(std::span(errors).first(3), false, 2).ends_with("and 1 more error\n"));
  EXPECT_EQ(format_errors(std::span(errors).first(20), false).find("more"), std::string::npos);
}

TEST(FormatErrors, MegabytesInAMessageAreCut) {
  auto error = unknown_key();
  error.what = std::string(1 << 20, 'w');
  error.hint = std::string(1 << 20, 'h');
  EXPECT_LT(format_errors({&error, 1}, false).size(), 2000u);
}

TEST(FormatErrors, ColourOnlyWhenAsked) {
  const auto error = unknown_key();
  EXPECT_EQ(format_errors({&error, 1}, false).find('\x1b'), std::string::npos);
  auto coloured = format_errors({&error, 1}, true);
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  // Without the escapes it is the same text: colour never carries meaning alone.
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, format_errors({&error, 1}, false));
}

// Every enumerator, by a switch: the compiler names the one that is missing here.
constexpr bool is_known(Code code) {
  switch (code) {
    case Code::unknown_command:
    case Code::unknown_option:
    case Code::bad_option:
    case Code::missing_argument:
    case Code::cannot_read:
    case Code::yaml_syntax:
    case Code::unknown_key:
    case Code::missing_key:
    case Code::wrong_type:
    case Code::duplicate_key:
    case Code::bad_number:
    case Code::out_of_range:
    case Code::bad_expression:
    case Code::unknown_name:
    case Code::needs_unit:
    case Code::wrong_unit:
    case Code::operands_disagree:
    case Code::limit_exceeded:
    case Code::unsupported_yaml:
    case Code::unknown_op:
    case Code::unknown_dtype:
    case Code::cannot_write:
    case Code::empty_input:
    case Code::contradiction:
    case Code::bad_source:
    case Code::no_device:
    case Code::unknown_gpu:
    case Code::gpu_not_in_table:
    case Code::no_rate:
    case Code::ambiguous_gpu:
    case Code::no_gpu:
    case Code::figure_unexplained:
    case Code::plugin_missing:
    case Code::injection_taken:
    case Code::counters_not_permitted:
    case Code::profiler_refused:
    case Code::not_profiled:
    case Code::driver_failed:
    case Code::no_compiler:
    case Code::missing_kernel:
    case Code::limit_broken:
    case Code::slower_than_baseline:
    case Code::launch_count:
    case Code::quarantine_ended:
    case Code::extra_kernels:
    case Code::code_changed:
    case Code::runs_too_noisy:
    case Code::too_few_runs:
    case Code::machine_disturbed:
    case Code::environment_changed:
    case Code::too_few_sessions:
    case Code::too_near_the_limit:
    case Code::below_floor:
    case Code::value_absent:
    case Code::impossible_value:
    case Code::ambiguous_match:
    case Code::launches_vary:
    case Code::empty_result:
    case Code::measured_program_failed:
    case Code::trace_incomplete:
    case Code::measured_elsewhere:
    case Code::counters_absent:
    case Code::no_baseline:
    case Code::baseline_unusable:
    case Code::held_in_l2:
    case Code::in_quarantine:
    case Code::not_recordable:
    case Code::dirty_tree:
    case Code::not_comparable:
    case Code::program_not_found:
    case Code::program_failed:
    case Code::no_kernels:
    case Code::program_timed_out:
    case Code::interrupted:
    case Code::output_not_written:
    case Code::internal: return true;
  }
  return false;
}

TEST(ErrorCodes, EveryCodeHasARow) {
  std::set<int> rows, codes;
  for (const auto& entry : error_codes()) rows.insert(static_cast<int>(entry.code));
  for (int number = 0; number < 10'000; ++number)
    if (is_known(static_cast<Code>(number))) codes.insert(number);
  EXPECT_EQ(rows, codes);
  EXPECT_EQ(rows.size(), error_codes().size());
}

TEST(ErrorCodes, RowsAreComplete) {
  for (const auto& entry : error_codes()) {
    SCOPED_TRACE(code_name(entry.code));
    EXPECT_EQ(&describe(entry.code), &entry);
    EXPECT_FALSE(entry.title.empty());
    EXPECT_GT(entry.meaning.size(), 60u);
    EXPECT_TRUE(entry.meaning.ends_with('.'));
    EXPECT_FALSE(entry.example.empty());
  }
}

struct ExitRow {
  const char* name;
  Code code;
  int exit_code;
};
constexpr ExitRow kExits[] = {
    // design/cli.md: 1 a check failed, 2 the input is wrong, 3 this machine cannot answer
    {"command_line", Code::unknown_option, 2},
    {"file", Code::yaml_syntax, 2},
    {"cannot_write", Code::cannot_write, 2},
    {"unknown_gpu", Code::unknown_gpu, 2},
    {"ambiguous_gpu", Code::ambiguous_gpu, 2},
    {"no_gpu", Code::no_gpu, 2},
    {"no_rate", Code::no_rate, 2},
    {"no_device", Code::no_device, 3},
    {"not_in_table", Code::gpu_not_in_table, 3},
    {"audit", Code::figure_unexplained, 1},
    // design/gate.md 4.11
    {"gate_fails", Code::limit_broken, 1},
    {"gate_undecided", Code::runs_too_noisy, 5},
    {"gate_measured_elsewhere", Code::measured_elsewhere, 3},
    {"gate_counters", Code::counters_absent, 3},
    {"gate_program", Code::measured_program_failed, 4},
    {"gate_baseline", Code::baseline_unusable, 2},
};
class Exit : public testing::TestWithParam<ExitRow> {};
TEST_P(Exit, Code) { EXPECT_EQ(describe(GetParam().code).exit_code, GetParam().exit_code); }
INSTANTIATE_TEST_SUITE_P(Rows, Exit, testing::ValuesIn(kExits),
                         [](const auto& i) { return i.param.name; });

TEST(ErrorCodes, Name) { EXPECT_EQ(code_name(Code::unknown_key), "RF2003"); }

}  // namespace
}  // namespace roofline
