#include "report/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

std::string written(std::vector<Column> columns, const std::vector<std::vector<std::string>>& rows,
                    std::size_t width = 100) {
  std::string text;
  AlignedTable table(std::move(columns), width, 2, [&](std::string_view piece) { text += piece; });
  for (const auto& row : rows) {
    if (row.empty())
      table.rule();
    else
      table.row(row);
  }
  table.finish();
  return text;
}

TEST(Table, AlignsByDisplayWidthAndEndsNoLineInBlanks) {
  EXPECT_EQ(written({{"kernel"}, {"time", Align::right}, {"bound"}},
                    {{"add", "240.4 us", "memory"},
                     {"\xE8\xA1\x8C\xE5\x88\x97", "5 \xC2\xB5s", ""},
                     {},
                     {"all", "1 ms", "x"}}),
            "  kernel      time  bound\n"
            "  add     240.4 us  memory\n"
            "  \xE8\xA1\x8C\xE5\x88\x97        5 \xC2\xB5s\n"
            "  ------------------------\n"
            "  all         1 ms  x\n");
}

TEST(Table, WritesNoTitleLineWhereNoColumnHasATitle) {
  EXPECT_EQ(written({{""}, {""}}, {{"a", "b"}}), "  a  b\n");
}

TEST(Table, ShortensInTheMiddleBeforeItLeavesOut) {
  EXPECT_EQ(written({{"name", Align::left, 9, 0}, {"n", Align::right, 0, 1}},
                    {{"void_kernel_A_fp16", "1"}}, 14),
            "  name       n\n"
            "  voi...p16  1\n");
}

struct ShortRow {
  const char* name;
  const char* text;
  std::size_t width;
  const char* expected;
};
constexpr ShortRow kShort[] = {
    {"as_it_is", "short", 10, "short"},
    {"both_ends_stay", "void_kernel_A_fp16", 11, "void...fp16"},
    {"odd_room_goes_to_the_front", "void_kernel_A_fp16", 10, "void...p16"},
    {"wide_characters_count_two",
     "\xE8\xA1\x8C\xE5\x88\x97\xE8\xA1\x8C\xE5\x88\x97\xE8\xA1\x8C\xE5\x88\x97", 9,
     "\xE8\xA1\x8C...\xE5\x88\x97"},
};
class Shortened : public testing::TestWithParam<ShortRow> {};
TEST_P(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened_middle(GetParam().text, GetParam().width), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(Rows, Shortened, testing::ValuesIn(kShort),
                         [](const auto& i) { return i.param.name; });

TEST(Table, LeavesOutTheColumnsThatMayGoAndNamesThem) {
  std::string text;
  AlignedTable table({{"kernel"}, {"op", Align::left, 0, 2}, {"share", Align::right, 0, 1}}, 20, 2,
                     [&](std::string_view piece) { text += piece; });
  table.row({"add", "elementwise", "100 %"});
  table.finish();
  EXPECT_EQ(text, "  kernel  share\n  add     100 %\n");
  EXPECT_EQ(table.left_out(), std::vector<std::string>{"op"});
}

TEST(Table, KeepsToTheWidthWhereverColumnsMayShrink) {
  const auto text = written({{"kernel", Align::left, 8, 0}, {"shape", Align::left, 8, 0}},
                            {{std::string(300, 'k'), std::string(300, 's')}}, 40);
  for (std::size_t from = 0; from < text.size();) {
    const auto to = text.find('\n', from);
    EXPECT_LE(display_width(text.substr(from, to - from)), 40U);
    from = to + 1;
  }
}

TEST(Table, StreamsPastItsBufferInTheSameWidths) {
  std::size_t lines = 0, longest = 0;
  AlignedTable table({{"n", Align::right}}, 100, 2, [&](std::string_view piece) {
    lines += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
    longest = std::max(longest, piece.size());
  });
  for (std::size_t i = 0; i < AlignedTable::kBuffered; ++i) table.row({std::to_string(i)});
  const auto seen = lines;
  EXPECT_EQ(seen, AlignedTable::kBuffered + 1);  // all that was held back, and the titles
  table.row({"7"});
  EXPECT_EQ(lines, seen + 1);
  table.finish();
  EXPECT_EQ(lines, seen + 1);
  EXPECT_LE(longest, 8U);
}

}  // namespace
}  // namespace roofline
