#include "cli/terminal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace roofline::cli {
namespace {

struct ColourRow {
  const char* name;
  ColourChoice choice;
  const char *no_color, *clicolor_force, *force_color, *term;
  bool colour;  ///< on a stream that is no terminal
};
constexpr ColourRow kRows[] = {
    {"plain_by_default", ColourChoice::automatic, nullptr, nullptr, nullptr, "xterm", false},
    {"always", ColourChoice::always, nullptr, nullptr, nullptr, "xterm", true},
    {"never", ColourChoice::never, nullptr, "1", "1", "xterm", false},
    {"the_program_s_own_choice_beats_no_color", ColourChoice::always, "1", nullptr, nullptr,
     "xterm", true},
    {"forced", ColourChoice::automatic, nullptr, "1", nullptr, "xterm", true},
    {"forced_by_the_other_name", ColourChoice::automatic, nullptr, nullptr, "1", "xterm", true},
    {"zero_forces_nothing", ColourChoice::automatic, nullptr, "0", "0", "xterm", false},
    {"empty_forces_nothing", ColourChoice::automatic, nullptr, "", "", "xterm", false},
    {"no_color_beats_forcing", ColourChoice::automatic, "1", "1", "1", "xterm", false},
    {"an_empty_no_color_is_none", ColourChoice::automatic, "", "1", nullptr, "xterm", true},
    {"forcing_beats_a_dumb_terminal", ColourChoice::automatic, nullptr, "1", nullptr, "dumb", true},
    {"dumb", ColourChoice::automatic, nullptr, nullptr, nullptr, "dumb", false},
};

void set(const char* name, const char* value) {
  if (value)
    ::setenv(name, value, 1);
  else
    ::unsetenv(name);
}

class Colour : public testing::TestWithParam<ColourRow> {};
TEST_P(Colour, FollowsTheOrder) {
  const auto& row = GetParam();
  set("NO_COLOR", row.no_color);
  set("CLICOLOR_FORCE", row.clicolor_force);
  set("FORCE_COLOR", row.force_color);
  set("TERM", row.term);
  if (is_terminal(Stream::out) && row.choice == ColourChoice::automatic)
    GTEST_SKIP() << "run from a terminal";
  EXPECT_EQ(wants_colour(Stream::out, row.choice), row.colour);
}
INSTANTIATE_TEST_SUITE_P(Rows, Colour, testing::ValuesIn(kRows),
                         [](const auto& i) { return i.param.name; });

struct WidthRow {
  const char* name;
  const char* columns;
  std::size_t width;
};
constexpr WidthRow kWidths[] = {
    {"said", "120", 120},
    {"too_narrow", "10", 40},
    {"not_a_number", "wide", 100},
    {"absurd", "99999999999999999999", 100},
};
class Width : public testing::TestWithParam<WidthRow> {};
TEST_P(Width, ComesFromColumns) {
  ::setenv("COLUMNS", GetParam().columns, 1);
  if (is_terminal(Stream::out)) GTEST_SKIP() << "run from a terminal";
  EXPECT_EQ(terminal_width(), GetParam().width);
}
INSTANTIATE_TEST_SUITE_P(Rows, Width, testing::ValuesIn(kWidths),
                         [](const auto& i) { return i.param.name; });

}  // namespace
}  // namespace roofline::cli
