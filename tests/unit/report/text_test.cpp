#include <gtest/gtest.h>

#include <regex>

#include "report/formats/formats.hpp"
#include "roofline/base/text.hpp"
#include "unit/report/hand_made.hpp"

namespace roofline {
namespace {

using hand_made::Script;
using hand_made::square_gemm;

auto text_of(std::size_t width, bool colour = false, int verbosity = 0, bool explain = false) {
  return [=](TextSink sink, ReportOptions options) {
    options.width = width;
    options.colour = colour;
    options.verbosity = verbosity;
    options.explain = explain;
    return make_text(std::move(sink), options);
  };
}

Script one(Kernel kernel) {
  Script script;
  script.points = {{std::move(kernel)}};
  return script;
}

Script sweep() {
  Script script;
  script.swept = {"N"};
  for (const int n : {512, 886, 887, 4096}) {
    script.points.push_back({square_gemm(n)});
    script.bindings.push_back({{"N", n}});
  }
  return script;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto to = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

/// The words that a reader must find, from the mock-ups and the reference values.
struct WordsRow {
  const char* name;
  Script script;
  std::vector<const char*> words;
  friend void PrintTo(const WordsRow& row, std::ostream* out) { *out << row.name; }
};
Kernel timed(Kernel kernel, double seconds, Timing timing) {
  kernel.time = Seconds(seconds);
  kernel.timing = timing;
  return kernel;
}
std::vector<WordsRow> words_rows() {
  Script sequence;  // twenty kernels of 3 us, 5 us to launch each: 103, 160 and 65 us, 58 %
  auto small = timed(hand_made::copy(1'000'000, "small"), 3e-6, Timing::kernel);
  small.repeat = 20;
  sequence.points = {{small}};
  sequence.launch_cost = Seconds(5e-6);
  auto tiny = one(square_gemm(64));
  tiny.gpus.front().launch_floor = LaunchFloor{{.value = Seconds(2.4e-6), .origin = {}},
                                               {.value = Seconds(1.26e-6), .origin = {}}};
  return {
      {"gemm_4096",
       one(square_gemm(4096)),
       {"100.7 MB", "137.4 GFLOP", "1365 FLOP/B", "295.3", "138.9 us", "22 % of it", "4.62x",
        "compute-bound"}},
      {"tiny_gemm_says_its_side",
       tiny,
       {"overhead-bound", "left of the ridge (memory side)", "a launch"}},
      {"near",
       one(timed(square_gemm(4096), 190e-6, Timing::kernel)),
       {"73 % of 989.4 TFLOP/s BF16 tensor, dense", "near its ceiling"}},
      {"under_the_roof",
       one(timed(hand_made::copy(201'326'592, "fused"), 400e-6, Timing::kernel)),
       {"402.7 MB", "120.2 us", "30 % of 3.35 TB/s DRAM", "3.33x the floor", "under the roof"}},
      {"impossible",
       one(timed(hand_made::copy(40'000'000, "add_small"), 18.9e-6, Timing::kernel)),
       {"impossible", "18.9 us", "no verdict", "likely", "cannot be recorded as a baseline"}},
      {"sequence",
       sequence,
       {"103 us", "160 us", "65 us", "58 %", "38 %", "5 us a launch > 3 us a kernel",
        "overhead-bound"}},
      {"sweep", sweep(), {"<- was ", "N", "verdict"}},
  };
}
class TextWords : public testing::TestWithParam<WordsRow> {};
TEST_P(TextWords, AreThere) {
  const auto text = GetParam().script.write(text_of(200));
  for (const auto* word : GetParam().words)
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}
INSTANTIATE_TEST_SUITE_P(Rows, TextWords, testing::ValuesIn(words_rows()),
                         [](const auto& i) { return i.param.name; });

TEST(Text, TheVerdictIsLastButForItsLevers) {
  const auto lines = lines_of(one(square_gemm(4096)).write(text_of(100)));
  ASSERT_GE(lines.size(), 2U);
  EXPECT_TRUE(lines.back().starts_with("lever")) << lines.back();
  EXPECT_TRUE(lines[lines.size() - 2].starts_with("verdict")) << lines[lines.size() - 2];
}

TEST(Text, AnImpossibleTimeHasNoBoundAndNoLever) {
  const auto text =
      one(timed(hand_made::copy(40'000'000), 18.9e-6, Timing::kernel)).write(text_of(100));
  EXPECT_EQ(text.find("-bound"), std::string::npos) << text;
  EXPECT_EQ(text.find("\nlever"), std::string::npos) << text;
}

TEST(Text, QuietIsVerdictLinesOnly) {
  for (const auto& line : lines_of(one(square_gemm(4096)).write(text_of(100, false, -1))))
    EXPECT_TRUE(line.starts_with("verdict  qkv: compute-bound") || line.starts_with("         "))
        << line;
}

TEST(Text, TheConventionIsSaidOnce) {
  for (const bool explain : {false, true}) {
    const auto text = one(square_gemm(4096)).write(text_of(100, false, 0, explain));
    const auto first = text.find("1 FMA = 2 FLOP");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("1 FMA = 2 FLOP", first + 1), std::string::npos);
  }
}

TEST(Text, ExplainShowsExactNumbers) {
  const auto text = one(square_gemm(4096)).write(text_of(120, false, 0, true));
  for (const auto* word : {"16 777 216 x 16 bit / 8 = 33 554 432 B", "100 663 296 B",
                           "137 438 953 472 FLOP", "1.83 GHz", "<- sets the floor"})
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

TEST(Text, ColourIsDecorationOnly) {
  const auto script = one(square_gemm(4096));
  const auto plain = script.write(text_of(100)), coloured = script.write(text_of(100, true));
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

/// Pages for people must hold whatever a file calls its kernels.
class HostileText : public testing::TestWithParam<hand_made::HostileName> {};

void expect_harmless(const std::string& text) {
  for (const unsigned char c : text)
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7f)) << static_cast<int>(c);
  for (const auto* bad : {"\xC2\x9B", "\xE2\x80\xAE", "\xE2\x81\xA6"})
    EXPECT_EQ(text.find(bad), std::string::npos);
}

TEST_P(HostileText, KeepsToTheWidthAndMovesNoCursor) {
  for (const std::size_t width : {60U, 80U, 120U}) {
    for (const int verbosity : {0, -1}) {
      Script several;
      several.points = {{square_gemm(512, GetParam().text), square_gemm(4096, GetParam().text)}};
      for (const auto& script : {one(square_gemm(4096, GetParam().text)), several}) {
        const auto text = script.write(text_of(width, false, verbosity));
        expect_harmless(text);
        for (const auto& line : lines_of(text)) EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST_P(HostileText, CannotLeaveItsCellInMarkdown) {
  Script several;
  several.points = {{square_gemm(512, GetParam().text + "|x"), square_gemm(4096, GetParam().text)}};
  const auto text = several.write(&make_markdown);
  expect_harmless(text);
  EXPECT_EQ(text.find('<'), std::string::npos) << text;
  std::size_t columns = 0;
  for (const auto& line : lines_of(text)) {
    if (!line.starts_with("|")) {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;  // those that are not escaped end a cell
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}
INSTANTIATE_TEST_SUITE_P(Names, HostileText, testing::ValuesIn(hand_made::hostile_names()),
                         [](const auto& i) { return i.param.name; });

TEST(Text, NoPageSaysFlops) {
  for (const auto& row : words_rows())
    for (const auto& text : {row.script.write(text_of(100)), row.script.write(&make_markdown)})
      EXPECT_EQ(text.find("FLOPS"), std::string::npos) << text;
}

}  // namespace
}  // namespace roofline
