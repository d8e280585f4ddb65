#include "roofline/base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/utf8.hpp"

namespace roofline {
namespace {

struct WidthRow {
  const char* name;
  std::string_view text;
  std::size_t width;
};
// Widths by Unicode's EastAsianWidth.txt and general categories.
constexpr WidthRow kWidths[] = {
    {"empty", "", 0},
    {"ascii", "abc", 3},
    {"micro", "\u00B5s", 2},
    {"chinese", "\u8868\u8868", 4},
    {"fullwidth_letter", "\uFF21", 2},
    {"halfwidth_katakana", "\uFF71", 1},
    {"hangul", "\uD55C", 2},
    {"emoji", "\U0001F680", 2},
    {"combining_accent", "e\u0301", 1},
    {"zero_width_space", "a\u200Bb", 2},
    {"variation_selector", "\u2714\uFE0F", 1},
    {"control", "\x1b[", 1},
    {"greek", "\u03C0\u03BC", 2},
    {"invalid_byte_is_one_mark", "\xFF", 1},
};
class Width : public testing::TestWithParam<WidthRow> {};
TEST_P(Width, Columns) { EXPECT_EQ(display_width(GetParam().text), GetParam().width); }
INSTANTIATE_TEST_SUITE_P(Rows, Width, testing::ValuesIn(kWidths),
                         [](const auto& i) { return i.param.name; });

struct PrintableRow {
  const char* name;
  std::string_view text, shown;
};
constexpr PrintableRow kPrintable[] = {
    {"plain", "gemm_kernel<float>", "gemm_kernel<float>"},
    {"newline_and_tab", "a\nb\tc", "a b c"},
    {"escape", "\x1b[31mred", "\uFFFD[31mred"},
    {"carriage_return", "a\rb", "a\uFFFDb"},
    {"delete", "a\x7F", "a\uFFFD"},
    {"c1_control", "a\u009Bb", "a\uFFFDb"},
    {"right_to_left_override", "a\u202Eb", "a\uFFFDb"},
    {"isolate", "\u2066x\u2069", "\uFFFDx\uFFFD"},
    {"line_separator", "a\u2028b", "a\uFFFDb"},
    {"overlong_slash", "\xC0\xAF", "\uFFFD\uFFFD"},
    {"surrogate", "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
    {"past_the_last_code", "\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
    {"cut_short", "\xE2\x82", "\uFFFD\uFFFD"},
    {"umlaut", "\u00FC", "\u00FC"},
};
class Printable : public testing::TestWithParam<PrintableRow> {};
TEST_P(Printable, Safe) { EXPECT_EQ(printable(GetParam().text), GetParam().shown); }
INSTANTIATE_TEST_SUITE_P(Rows, Printable, testing::ValuesIn(kPrintable),
                         [](const auto& i) { return i.param.name; });

TEST(Printable, ZeroByteIsShown) { EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\uFFFDb"); }

struct ShortRow {
  const char* name;
  std::string_view text;
  std::size_t width;
  std::string_view shown;
};
constexpr ShortRow kShort[] = {
    {"fits", "abcdef", 6, "abcdef"},
    {"cut", "abcdefg", 6, "abc..."},
    {"wide_is_not_halved", "\u8868\u8868\u8868", 5, "\u8868..."},
    {"no_room_for_dots", "abcdef", 2, ".."},
    {"nothing", "abc", 0, ""},
};
class Shortened : public testing::TestWithParam<ShortRow> {};
TEST_P(Shortened, Columns) {
  EXPECT_EQ(shortened(GetParam().text, GetParam().width), GetParam().shown);
}
INSTANTIATE_TEST_SUITE_P(Rows, Shortened, testing::ValuesIn(kShort),
                         [](const auto& i) { return i.param.name; });

TEST(Padded, CountsColumnsAndNotBytes) {
  EXPECT_EQ(padded("\u00B5s", 4), "\u00B5s  ");
  EXPECT_EQ(padded("\u00B5s", 4, true), "  \u00B5s");
  EXPECT_EQ(padded("\u8868", 3), "\u8868 ");
  EXPECT_EQ(padded("long", 2), "long");
}

struct NearRow {
  const char* name;
  std::string_view given;
  std::vector<std::string_view> names;
  std::vector<std::string> near;
};
const NearRow kNear[] = {
    {"one_letter_missing", "gem", {"gemm", "gemv", "add"}, {"gemm", "gemv"}},
    {"swapped_letters", "bf61", {"bf16", "fp16", "fp32"}, {"bf16"}},
    {"last_letter",
     "max_time_over_flor",
     {"max_time_over_floor", "max_time"},
     {"max_time_over_floor", "max_time"}},
    {"start_of_names",
     "h100-sxm",
     {"a100-sxm4-80gb", "h100-sxm5-80gb", "h100-sxm5-96gb"},
     {"h100-sxm5-80gb", "h100-sxm5-96gb"}},
    {"case", "GEMM", {"gemm", "add"}, {"gemm"}},
    {"separators", "rms-norm", {"rms_norm", "layer_norm"}, {"rms_norm"}},
    {"space_for_dash", "H100 PCIe", {"h100-pcie", "h200"}, {"h100-pcie"}},
    {"in_the_middle", "norm", {"layer_norm_2d", "add"}, {"layer_norm_2d"}},
    {"nothing_near", "softmax", {"add", "gemm"}, {}},
    {"one_letter_is_near_nothing", "x", {"m", "n", "k"}, {}},
    {"two_letters_share_one", "mm", {"m", "zz"}, {"m"}},
    {"at_most_three", "abcd", {"abce", "abcf", "abcg", "abch"}, {"abce", "abcf", "abcg"}},
    {"empty", "", {"a"}, {}},
    {"no_names", "a", {}, {}},
};
class Near : public testing::TestWithParam<NearRow> {};
TEST_P(Near, BestFirst) {
  EXPECT_EQ(near_names(GetParam().given, GetParam().names), GetParam().near);
}
INSTANTIATE_TEST_SUITE_P(Rows, Near, testing::ValuesIn(kNear),
                         [](const auto& i) { return i.param.name; });

TEST(Near, MegabytesAreNotCompared) {
  const std::vector<std::string_view> names = {"gemm"};
  EXPECT_TRUE(near_names(std::string(1 << 24, 'g'), names).empty());
}

TEST(DidYouMean, Sentence) {
  const std::vector<std::string_view> names = {"gemm", "gemv", "add"};
  EXPECT_EQ(did_you_mean("ad", names), "did you mean \"add\"?");
  EXPECT_EQ(did_you_mean("gem", names), "did you mean \"gemm\", \"gemv\"?");
  EXPECT_EQ(did_you_mean("convolution", names), "");
}

struct WrapRow {
  const char* name;
  std::string_view text;
  std::size_t width, indent;
  std::string_view lines;
};
constexpr WrapRow kWrap[] = {
    {"fits", "a bc", 4, 0, "a bc"},
    {"breaks_at_spaces", "aa bb cc", 5, 0, "aa bb\ncc"},
    {"indents_what_follows", "aa bb cc", 6, 2, "aa bb\n  cc"},
    {"long_words_stay_whole", "a abcdefgh b", 4, 0, "a\nabcdefgh\nb"},
    {"keeps_line_breaks", "aa\nbb", 10, 1, "aa\n bb"},
    {"folds_spaces", "a   b", 10, 0, "a b"},
    {"by_display_width", "\u8868\u8868 \u8868", 5, 0, "\u8868\u8868\n\u8868"},
};
class Wrapped : public testing::TestWithParam<WrapRow> {};
TEST_P(Wrapped, Lines) {
  EXPECT_EQ(wrapped(GetParam().text, GetParam().width, GetParam().indent), GetParam().lines);
}
INSTANTIATE_TEST_SUITE_P(Rows, Wrapped, testing::ValuesIn(kWrap),
                         [](const auto& i) { return i.param.name; });

TEST(Joined, Sentence) {
  EXPECT_EQ(joined(std::vector<std::string>{}), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}), "a and b");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}, " | "), "a | b | c");
}

TEST(Trimmed, Blanks) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(LowerCase, AsciiOnly) { EXPECT_EQ(lower_case("AbZ\u00C4"), "abz\u00C4"); }

TEST(Utf8, EveryCharacterReadsBack) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, code);
    const auto read = decode_utf8(bytes, 0);
    ASSERT_TRUE(read.valid && read.code == code && read.bytes == static_cast<int>(bytes.size()))
        << static_cast<std::uint32_t>(code);
  }
}

TEST(Utf8, FirstInvalidByteIsFound) {
  EXPECT_EQ(valid_utf8_prefix("0123456789"), 10u);
  EXPECT_EQ(valid_utf8_prefix("01234567\u00B5\xFF"), 10u);
  EXPECT_EQ(valid_utf8_prefix("0123456\xC3"), 7u);
  EXPECT_EQ(valid_utf8_prefix(""), 0u);
}

}  // namespace
}  // namespace roofline
