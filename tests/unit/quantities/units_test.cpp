#include "roofline/quantities/units.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <random>

namespace roofline {
namespace {

struct ParseRow {
  const char* name;
  std::string_view text;
  Dimension dimension;
  double value;  ///< SI base units; the compiler rounds the decimal once, as the reader must
};
constexpr ParseRow kParsed[] = {
    {"peak", "989.4 TFLOP/s", Dimension::flop_rate, 989.4e12},
    {"pflops", "1.5 PFLOP/s", Dimension::flop_rate, 1.5e15},
    {"bandwidth", "3.35 TB/s", Dimension::byte_rate, 3.35e12},
    {"bandwidth_4_8", "4.8 TB/s", Dimension::byte_rate, 4.8e12},
    {"binary_rate", "2 GiB/s", Dimension::byte_rate, 2147483648.0},
    {"link", "900 GB/s", Dimension::byte_rate, 900e9},
    {"no_space", "5us", Dimension::time, 5e-6},
    {"space", "5 us", Dimension::time, 5e-6},
    {"spaces", "  5   us ", Dimension::time, 5e-6},
    {"micro_sign", "5 \u00B5s", Dimension::time, 5e-6},
    {"greek_mu", "5 \u03BCs", Dimension::time, 5e-6},
    {"many_digits", "2.62144us", Dimension::time, 2.62144e-6},
    {"nanoseconds", "0.1 ns", Dimension::time, 0.1e-9},
    {"milliseconds", "2.1 ms", Dimension::time, 2.1e-3},
    {"minutes", "2 min", Dimension::time, 120},
    {"hours", "1.5 h", Dimension::time, 5400},
    {"exponent", "1e3 ms", Dimension::time, 1},
    {"negative_exponent", "25e-1s", Dimension::time, 2.5},
    {"bytes", "64 B", Dimension::bytes, 64},
    {"kilobytes", "5 kB", Dimension::bytes, 5000},
    {"kilobytes_as_often_written", "5 KB", Dimension::bytes, 5000},
    {"kibibytes", "228 KiB", Dimension::bytes, 233472},
    {"mebibytes", "50 MiB", Dimension::bytes, 52428800},
    {"gibibytes", "80 GiB", Dimension::bytes, 85899345920.0},
    {"gigabytes", "80 GB", Dimension::bytes, 80e9},
    {"exabytes_are_no_exponent", "5EB", Dimension::bytes, 5e18},
    {"ops", "150 TOP/s", Dimension::op_rate, 150e12},
    {"ops_small_letters", "16 Gop/s", Dimension::op_rate, 16e9},
    {"clock", "1830 MHz", Dimension::frequency, 1830e6},
    {"clock_ghz", "1.98 GHz", Dimension::frequency, 1.98e9},
    {"power", "700 W", Dimension::power, 700},
    {"milliwatts", "5 mW", Dimension::power, 5e-3},
    {"pins", "6.4 Gbit/s", Dimension::bit_rate, 6.4e9},
    {"bus", "5120 bit", Dimension::bits, 5120},
    {"ratio", "0.92", Dimension::ratio, 0.92},
    {"percent", "92 %", Dimension::ratio, 0.92},
    {"percent_exact", "0.1%", Dimension::ratio, 0.001},
    {"times", "1.25x", Dimension::ratio, 1.25},
    {"plus_sign", "+5 us", Dimension::time, 5e-6},
    {"no_whole_part", ".5 us", Dimension::time, 0.5e-6},
    {"zero", "0 us", Dimension::time, 0},
    {"minus_zero", "-0 us", Dimension::time, 0},
};
class Parse : public testing::TestWithParam<ParseRow> {};
TEST_P(Parse, Exact) {
  const auto value = parse_quantity(GetParam().text, GetParam().dimension);
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_EQ(*value, GetParam().value);
  EXPECT_FALSE(std::signbit(*value));
}
INSTANTIATE_TEST_SUITE_P(Rows, Parse, testing::ValuesIn(kParsed),
                         [](const auto& i) { return i.param.name; });

struct RefuseRow {
  const char* name;
  std::string_view text;
  Dimension dimension;
  Code code;
  const char* says;  ///< part of the message or hint
};
constexpr RefuseRow kRefused[] = {
    {"bare_number", "2.1", Dimension::time, Code::needs_unit, "write 2.1 us, 2.1 ms or 2.1 s"},
    {"bare_bytes", "64", Dimension::bytes, Code::needs_unit, "64 MB"},
    {"bare_zero", "0", Dimension::time, Code::needs_unit, "0 us"},
    {"bare_bits", "60", Dimension::bits, Code::needs_unit, "write 60 bit"},
    {"bytes_for_time", "410 MB", Dimension::time, Code::wrong_unit, "measures bytes, not time"},
    {"bytes_for_rate", "3.35 TB", Dimension::byte_rate, Code::wrong_unit, "GB/s"},
    {"bits_for_bytes", "900 Gbit/s", Dimension::byte_rate, Code::wrong_unit,
     "measures bits per second"},
    {"flops_as_a_rate", "989 TFLOPS", Dimension::flop_rate, Code::wrong_unit, "write TFLOP/s"},
    {"flops_small_letters", "989 tflops", Dimension::flop_rate, Code::wrong_unit, "write TFLOP/s"},
    {"flops_per_second", "989 TFLOPs/s", Dimension::flop_rate, Code::wrong_unit, "write TFLOP/s"},
    {"flop_count", "989 TFLOP", Dimension::flop_rate, Code::wrong_unit, "write it in GFLOP/s, TFLOP/s"},
    {"tops", "1979 TOPS", Dimension::op_rate, Code::wrong_unit, "write TOP/s"},
    {"bits_or_bytes", "900 Gb/s", Dimension::byte_rate, Code::wrong_unit,
     "GB/s for bytes or Gbit/s for bits"},
    {"bps", "900 Gbps", Dimension::bit_rate, Code::wrong_unit, "GB/s for bytes or Gbit/s for bits"},
    {"small_letters", "3.35 tb/s", Dimension::byte_rate, Code::wrong_unit,
     "did you mean \"TB/s\"?"},
    {"milli_bytes", "5 mB", Dimension::bytes, Code::wrong_unit, "did you mean \"MB\"?"},
    {"clock_small_letters", "1830 mhz", Dimension::frequency, Code::wrong_unit,
     "did you mean \"MHz\"?"},
    {"usec", "5 usec", Dimension::time, Code::wrong_unit, "write us"},
    {"unknown_unit", "5 parsecs", Dimension::time, Code::wrong_unit, "us, ms or s"},
    {"long_unit",
     "5 "
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "x",
     Dimension::time, Code::wrong_unit, "..."},
    {"two_units", "5 us ms", Dimension::time, Code::wrong_unit, "not a unit"},
    {"exponent_without_digits", "5e us", Dimension::time, Code::wrong_unit, "\"e us\""},
    {"word", "fast", Dimension::time, Code::bad_number, "as in 5 us"},
    {"empty", "", Dimension::time, Code::bad_number, "as in 5 us"},
    {"nan", "nan us", Dimension::time, Code::bad_number, "finite"},
    {"yaml_nan", ".nan", Dimension::time, Code::bad_number, "finite"},
    {"infinity", "inf s", Dimension::time, Code::bad_number, "finite"},
    {"yaml_infinity", "-.inf s", Dimension::time, Code::bad_number, "finite"},
    {"hexadecimal", "0x10 B", Dimension::bytes, Code::bad_number, "decimal"},
    {"underscores", "1_000 B", Dimension::bytes, Code::bad_number, "separators"},
    {"commas", "1,000 B", Dimension::bytes, Code::bad_number, "separators"},
    {"decimal_comma", "1,5 us", Dimension::time, Code::bad_number, "decimal point"},
    {"apostrophes", "1'000 B", Dimension::bytes, Code::bad_number, "separators"},
    {"grouped", "1 000 MB", Dimension::bytes, Code::bad_number, "spaces"},
    {"octal", "010 us", Dimension::time, Code::bad_number, "leading zeros"},
    {"octal_fraction", "00.5 us", Dimension::time, Code::bad_number, "leading zeros"},
    {"two_points", "1.2.3 us", Dimension::time, Code::bad_number, "not a number"},
    {"two_signs", "--5 us", Dimension::time, Code::bad_number, "not a number"},
    {"point", ". us", Dimension::time, Code::bad_number, "not a number"},
    {"negative", "-5 us", Dimension::time, Code::out_of_range, "negative"},
    {"too_large", "1e400 s", Dimension::time, Code::out_of_range, "too large"},
    {"too_large_by_its_prefix", "1e300 EB", Dimension::bytes, Code::out_of_range, "too large"},
    {"too_large_by_its_unit", "1e305 h", Dimension::time, Code::out_of_range, "too large"},
    {"too_small", "1e-400 s", Dimension::time, Code::out_of_range, "too small"},
    {"absurd_exponent", "1e99999999999999999999 s", Dimension::time, Code::out_of_range,
     "too large"},
};
class Refuse : public testing::TestWithParam<RefuseRow> {};
TEST_P(Refuse, WithTheNextStep) {
  const auto value = parse_quantity(GetParam().text, GetParam().dimension);
  ASSERT_FALSE(value) << *value;
  const auto& error = value.error();
  EXPECT_EQ(error.code, GetParam().code) << error.what;
  EXPECT_NE((error.what + " | " + error.hint).find(GetParam().says), std::string::npos)
      << error.what << " | " << error.hint;
  EXPECT_LT(error.what.size(), 200u);
}
INSTANTIATE_TEST_SUITE_P(Rows, Refuse, testing::ValuesIn(kRefused),
                         [](const auto& i) { return i.param.name; });

struct NumberRow {
  const char* name;
  std::string_view text;
  double value;
};
constexpr NumberRow kNumbers[] = {
    {"whole", "4096", 4096},
    {"negative", "-3", -3},
    {"fraction", "0.1", 0.1},
    {"exponent", "1.5e12", 1.5e12},
    {"capital_exponent", "1E-3", 1e-3},
    {"blank_around", " 7 ", 7},
    {"zero", "0", 0},
    {"zero_point", "0.0", 0},
    {"more_digits_than_a_double", "0.1000000000000000055511151231257827", 0.1},
};
class Number : public testing::TestWithParam<NumberRow> {};
TEST_P(Number, Exact) { EXPECT_EQ(parse_number(GetParam().text), GetParam().value); }
INSTANTIATE_TEST_SUITE_P(Rows, Number, testing::ValuesIn(kNumbers),
                         [](const auto& i) { return i.param.name; });

TEST(Number, OthersAreRefused) {
  for (const auto* text : {"",    " ",   "nan",  "NaN",   "inf", "-inf", ".inf",  "0x10", "0b1",
                           "0o7", "010", "-010", "1_000", "1,0", "1 0",  "12x",   "1e",   "1e+",
                           "e5",  "--1", "+-1",  "1.2.3", ".",   "-",    "\u0661"})
    EXPECT_EQ(parse_number(text).error().code, Code::bad_number) << text;
  for (const auto* text : {"1e309", "-1e309", "1e-400"})
    EXPECT_EQ(parse_number(text).error().code, Code::out_of_range) << text;
}

struct FormatRow {
  const char* name;
  double value;
  const char* text;
};
// After design/cli.md section 7 (mock-ups) and 6.2: 4 significant digits, a space in numbers from
// 10 000 on.
constexpr FormatRow kNumbersShown[] = {
    {"intensity", 1365.3333, "1365"},
    {"ridge", 295.2985, "295.3"},
    {"small", 0.0833333, "0.08333"},
    {"zeros_dropped", 3.350, "3.35"},
    {"one", 1, "1"},
    {"fraction", 0.27924, "0.2792"},
    {"elements", 67108864, "67 108 864"},
    {"four_digits", 9999, "9999"},
    {"five_digits", 10000, "10 000"},
    {"rounds_up_to_five", 9999.7, "10 000"},
    {"rounds_up", 999.96, "1000"},
    {"whole_part_is_kept", 12345.67, "12 346"},
    {"huge", 1e15, "1e15"},
    {"huge_digits", 1.23456e18, "1.235e18"},
    {"tiny", 1.23e-7, "1.23e-7"},
    {"least_fixed", 1e-6, "0.000001"},
    {"zero", 0, "0"},
    {"negative", -5.25, "-5.25"},
    {"negative_grouped", -1234567, "-1 234 567"},
    {"largest_whole", 999999999999999, "999 999 999 999 999"},
};
class ShowNumber : public testing::TestWithParam<FormatRow> {};
TEST_P(ShowNumber, Text) { EXPECT_EQ(format_number(GetParam().value), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, ShowNumber, testing::ValuesIn(kNumbersShown),
                         [](const auto& i) { return i.param.name; });

constexpr FormatRow kTimes[] = {
    {"floor", 120.2e-6, "120.2 us"},
    {"compute_time", 139e-6, "139 us"},
    {"launch", 5e-6, "5 us"},
    {"carries_to_ms", 999.96e-6, "1 ms"},
    {"stays_us", 999.94e-6, "999.9 us"},
    {"seconds", 12.3456, "12.35 s"},
    {"minutes_stay_seconds", 86400, "86 400 s"},
    {"nanoseconds", 1.5e-9, "1.5 ns"},
    {"picoseconds", 2.5e-13, "0.25 ps"},
    {"zero", 0, "0 s"},
};
class ShowTime : public testing::TestWithParam<FormatRow> {};
TEST_P(ShowTime, Text) { EXPECT_EQ(format_seconds(Seconds(GetParam().value)), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, ShowTime, testing::ValuesIn(kTimes),
                         [](const auto& i) { return i.param.name; });

constexpr FormatRow kBytes[] = {
    {"three_tensors", 402653184, "402.7 MB"},
    {"add", 805306368, "805.3 MB"},
    {"chain", 1342177280, "1.342 GB"},
    {"carries", 999.96e6, "1 GB"},
    {"few", 12, "12 B"},
    {"half", 0.5, "0.5 B"},
    {"past_the_last_prefix", 1e22, "10 000 EB"},
};
class ShowBytes : public testing::TestWithParam<FormatRow> {};
TEST_P(ShowBytes, Text) { EXPECT_EQ(format_bytes(GetParam().value), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, ShowBytes, testing::ValuesIn(kBytes),
                         [](const auto& i) { return i.param.name; });

constexpr FormatRow kCapacities[] = {
    {"l2", 52428800, "50 MiB"},    {"hbm", 85899345920, "80 GiB"},
    {"shared", 233472, "228 KiB"}, {"few", 1023, "1023 B"},
    {"kibi", 1024, "1 KiB"},       {"carries", 1048570, "1 MiB"},
    {"fraction", 1536, "1.5 KiB"}, {"zero", 0, "0 B"},
};
class ShowCapacity : public testing::TestWithParam<FormatRow> {};
TEST_P(ShowCapacity, Text) { EXPECT_EQ(format_capacity(GetParam().value), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, ShowCapacity, testing::ValuesIn(kCapacities),
                         [](const auto& i) { return i.param.name; });

TEST(FormatQuantity, TakesItsUnit) {
  EXPECT_EQ(format_quantity(66.9e12, "FLOP/s"), "66.9 TFLOP/s");
  EXPECT_EQ(format_quantity(3.35e12, "B/s"), "3.35 TB/s");
  EXPECT_EQ(format_quantity(67108864, "FLOP"), "67.11 MFLOP");
  EXPECT_EQ(format_quantity(1365.33, "FLOP/B"), "1365 FLOP/B");
  EXPECT_EQ(format_quantity(0.0833333, "FLOP/B"), "0.08333 FLOP/B");
  EXPECT_EQ(format_quantity(1.755e9, "Hz"), "1.755 GHz");
  EXPECT_EQ(format_quantity(42, ""), "42");
}

TEST(Format, WhatIsNoNumber) {
  EXPECT_EQ(format_seconds(Seconds(std::nan(""))), "not a number s");
  EXPECT_EQ(format_number(HUGE_VAL), "infinite");
  EXPECT_EQ(format_bytes(-HUGE_VAL), "-infinite B");
}

constexpr FormatRow kExact[] = {
    {"bandwidth", 3.35e12, "3.35 TB/s"},
    {"all_digits", 1234567890123, "1.234567890123 TB/s"},
    {"one", 1, "1 B/s"},
    {"sum", 0.1 + 0.2, "0.30000000000000004 B/s"},
    {"zero", 0, "0 B/s"},
    {"far", 1e300, "1e300 B/s"},
};
class Exact : public testing::TestWithParam<FormatRow> {};
TEST_P(Exact, Text) { EXPECT_EQ(exact_quantity(GetParam().value, "B/s"), GetParam().text); }
INSTANTIATE_TEST_SUITE_P(Rows, Exact, testing::ValuesIn(kExact),
                         [](const auto& i) { return i.param.name; });

TEST(Exact, ReadsBackTheSame) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-20, 30);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse_quantity(exact_quantity(value, "B/s"), Dimension::byte_rate), value);
    EXPECT_EQ(parse_quantity(exact_quantity(value, "s"), Dimension::time), value);
  }
}

/// What is shown is within half a unit of the fourth digit, whatever the size.
TEST(Format, FourDigitsAreRight) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-11, 1.9);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const auto text = format_seconds(Seconds(value));
    const auto shown = parse_quantity(text, Dimension::time);
    ASSERT_TRUE(shown) << text;
    EXPECT_NEAR(*shown / value, 1, 5.001e-4) << text;
    EXPECT_LT(std::stod(text), 1000) << text;
  }
}

TEST(Locale, DoesNotMatter) {
  const char* comma = nullptr;
  for (const auto* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (comma == nullptr) comma = std::setlocale(LC_ALL, name);
  if (comma == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  EXPECT_EQ(format_number(0.5), "0.5");
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(exact_quantity(3.35e12, "B/s"), "3.35 TB/s");
  std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace roofline
