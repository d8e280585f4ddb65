#include "roofline/base/pattern.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace roofline {
namespace {

struct Row {
  const char* name;
  bool glob;
  const char* pattern;
  const char* text;
  bool matches;
};
constexpr Row kRows[] = {
    {"anywhere", false, "gemm", "sm90_gemm_bf16", true},
    {"anchored", false, "^gemm", "sm90_gemm_bf16", false},
    {"from_the_design", false, "^sm90_.*gemm.*bf16", "sm90_xmma_gemm_bf16bf16", true},
    {"end", false, "bf16$", "gemm_bf16_v2", false},
    {"either", false, "^(add|mul)_kernel$", "mul_kernel", true},
    {"neither", false, "^(add|mul)_kernel$", "sub_kernel", false},
    {"either_without_group", false, "^add|mul$", "xmul", true},
    {"optional", false, "^v?add$", "add", true},
    {"counted", false, "^a{2,3}$", "aaa", true},
    {"counted_too_many", false, "^a{2,3}$", "aaaa", false},
    {"counted_open", false, "^a{2,}$", "a", false},
    {"counted_exactly", false, "^[0-9]{3}$", "123", true},
    {"brace_as_itself", false, "^a{b}$", "a{b}", true},
    {"class", false, "^[a-c_]+$", "abc_", true},
    {"class_negated", false, "^[^<>]*$", "a<b", false},
    {"class_with_bracket", false, "^[]a]$", "]", true},
    {"class_with_escape", false, R"(^[\d.]+$)", "1.5", true},
    {"digits", false, R"(x\d+x)", "128x64x", true},
    {"word_edge", false, R"(\badd\b)", "fused add kernel", true},
    {"word_edge_not_in_a_word", false, R"(\badd\b)", "fused_add_kernel", false},
    {"not_word_edge", false, R"(\Badd)", "badd", true},
    {"dot_is_no_line_break", false, "^a.b$", "a\nb", false},
    {"literal_dot", false, R"(^a\.b$)", "axb", false},
    {"lazy", false, "^a.*?b$", "axxb", true},
    {"nested_empty_repeats", false, "^(a*)*$", "aaaa", true},
    {"hexadecimal", false, R"(^\x41$)", "A", true},
    {"empty_pattern", false, "", "anything", true},
    {"empty_alternative", false, "^(a|)$", "", true},
    {"nothing_at_the_end", false, "x$|y*$", "abc", true},
    {"end_of_an_empty_text", false, "$", "", true},
    {"one_way_is_empty", false, "gemm|a*", "xyz", true},
    {"optional_before_a_letter", false, "q?emm", "sgemm", true},
    {"edge_before_alternatives", false, R"(\b(?:add|mul))", "x mul", true},
    {"edge_at_the_end", false, R"(l\b)", "x mul", true},
    {"first_byte_comes_late", false, "(?:copy|fill)[0-9]", "copy fill copyfill7", true},
    {"high_byte_first", false, "µs", "12 µs", true},
    {"hostile_name", false, "^::error", "::error::x", true},
    {"utf8_bytes", false, "^µs$", "µs", true},
    {"glob_whole", true, "gemm*", "sm90_gemm", false},
    {"glob_star", true, "*gemm*", "sm90_gemm_x", true},
    {"glob_question", true, "add?", "add2", true},
    {"glob_question_needs_one", true, "add?", "add", false},
    {"glob_set", true, "add_[fb]16", "add_f16", true},
    {"glob_set_negated", true, "add_[!f]16", "add_f16", false},
    {"glob_dot_is_a_dot", true, "a.b", "axb", false},
    {"glob_template_brackets", true, "gemm<*>", "gemm<128, 64>", true},
    {"glob_line_break", true, "a*b", "a\nb", true},
    {"glob_empty", true, "", "", true},
};

class PatternRow : public testing::TestWithParam<Row> {};
TEST_P(PatternRow, Matches) {
  const auto& row = GetParam();
  const auto pattern = row.glob ? Pattern::glob(row.pattern) : Pattern::regex(row.pattern);
  ASSERT_TRUE(pattern) << pattern.error().what;
  EXPECT_EQ(pattern->matches(row.text), row.matches);
}
INSTANTIATE_TEST_SUITE_P(Rows, PatternRow, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

struct Bad {
  const char* name;
  bool glob;
  const char* pattern;
  int column;
};
constexpr Bad kBad[] = {
    {"open_group", false, "a(b", 2},          {"closing_group", false, "ab)c", 3},
    {"open_class", false, "a[b", 2},          {"nothing_to_repeat", false, "a|*", 3},
    {"repeated_twice", false, "a**", 3},      {"back_reference", false, R"((a)\1)", 4},
    {"look_ahead", false, "a(?=b)", 2},       {"range_backwards", false, "[z-a]", 2},
    {"trailing_escape", false, "a\\", 2},     {"unknown_escape", false, R"(a\q)", 2},
    {"counts_backwards", false, "a{3,2}", 2}, {"too_many", false, "a{5000}", 2},
    {"glob_open_class", true, "a[b", 2},
};
class PatternBad : public testing::TestWithParam<Bad> {};
TEST_P(PatternBad, IsRefusedWithItsPlace) {
  const auto& row = GetParam();
  const auto pattern = row.glob ? Pattern::glob(row.pattern) : Pattern::regex(row.pattern);
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().code, Code::bad_expression);
  EXPECT_EQ(pattern.error().where.column, row.column) << pattern.error().what;
}
INSTANTIATE_TEST_SUITE_P(Rows, PatternBad, testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

TEST(Pattern, SizesHaveLimits) {
  for (const auto& text : {std::string(5000, 'a'), std::string("((a{1000}){1000}){1000}")}) {
    const auto pattern = Pattern::regex(text);
    ASSERT_FALSE(pattern);
    EXPECT_EQ(pattern.error().code, Code::limit_exceeded);
  }
  EXPECT_FALSE(Pattern::regex(std::string(2000, '(')));
}

/// What takes a backtracking matcher 2^n steps, and what overflows its stack.
TEST(Pattern, HostileInputTakesLinearTime) {
  EXPECT_FALSE(Pattern::regex("^(a+)+$")->matches(std::string(20'000, 'a') + "b"));
  EXPECT_TRUE(Pattern::regex("^(a|b)*c$")->matches(std::string(70'000, 'a') + "c"));
}

/// Against the standard library, on every text of up to five letters of a small alphabet.
TEST(Pattern, AgreesWithTheStandardLibrary) {
  for (const auto* text : {"a", "^a*b?$", "(a|ab)(c|bcd)*", "^(ab|a)(bc|c)?$", "[^a]b+",
                           "a{1,2}b{2}", "(a|b)*abb", "^$|c$", R"(\ba|b\b)", "(?:a?){3}a{3}"}) {
    const auto pattern = Pattern::regex(text);
    const std::regex standard(text);
    ASSERT_TRUE(pattern);
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < words.size(); ++i) {
      ASSERT_EQ(pattern->matches(words[i]), std::regex_search(words[i], standard))
          << text << " on " << words[i];
      if (words[i].size() < 5)
        for (const char c : std::string_view("abc_")) words.push_back(words[i] + c);
    }
  }
}

}  // namespace
}  // namespace roofline
