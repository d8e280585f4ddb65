#include "roofline/base/csv.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace roofline {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> records_of(std::string text) {
  CsvReader reader(ByteStream::of(std::move(text), "t.csv"));
  std::vector<Fields> records;
  while (true) {
    const auto got = reader.next();
    EXPECT_TRUE(got.has_value());
    if (!got || *got == CsvReader::Got::end) return records;
    EXPECT_EQ(*got, CsvReader::Got::record);
    records.emplace_back(reader.fields().begin(), reader.fields().end());
  }
}

struct Row {
  const char* name;
  std::string text;
  std::vector<Fields> records;
};

class CsvTest : public testing::TestWithParam<Row> {};

// Expected records: RFC 4180, section 2, and what spreadsheets write.
const Row kRows[] = {
    {"plain", "a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
    {"last_line_without_break", "a,b\n1,2", {{"a", "b"}, {"1", "2"}}},
    {"carriage_returns", "a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
    {"byte_order_mark", "\xef\xbb\xbf" "a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
    {"byte_order_mark_before_quotes", "\xef\xbb\xbf\"a\",b\n", {{"a", "b"}}},
    {"quoted_separator", "a,\"b,c\"\n", {{"a", "b,c"}}},
    {"doubled_quote", "a,\"b\"\"c\"\n", {{"a", "b\"c"}}},
    {"quoted_line_break", "a,\"b\nc\"\n1,2\n", {{"a", "b\nc"}, {"1", "2"}}},
    {"quoted_crlf", "a,\"b\r\nc\"\r\n1,\"2\"\r\n", {{"a", "b\r\nc"}, {"1", "2"}}},
    {"empty_fields", ",\n\"\",\n", {{"", ""}, {"", ""}}},
    {"blank_lines", "\na,b\n\n  \r\n1,2\n\n", {{"a", "b"}, {"1", "2"}}},
    {"quote_inside_plain_text", "a,5\" disk\n", {{"a", "5\" disk"}}},
    {"semicolons", "a;b;c\n1,5;2;3\n", {{"a", "b", "c"}, {"1,5", "2", "3"}}},
    {"tabs", "a\tb\n1\t2,3\n", {{"a", "b"}, {"1", "2,3"}}},
    {"params_with_semicolons", "gpu,op,params\nh100,gemm,m=1;n=2;k=3\n", {{"gpu", "op", "params"}, {"h100", "gemm", "m=1;n=2;k=3"}}},
    {"nothing", "", {}},
    {"only_a_mark", "\xef\xbb\xbf", {}},
};

TEST_P(CsvTest, GivesTheRecords) { EXPECT_EQ(records_of(GetParam().text), GetParam().records); }

INSTANTIATE_TEST_SUITE_P(Rows, CsvTest, testing::ValuesIn(kRows), [](auto& row) { return row.param.name; });

TEST(Csv, LinesAreCountedThroughQuotes) {
  CsvReader reader(ByteStream::of("h\n\"a\nb\nc\"\nx\n", "t.csv"));
  std::vector<long long> lines;
  for (auto got = reader.next(); got && *got != CsvReader::Got::end; got = reader.next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<long long>{1, 2, 5}));
}

TEST(Csv, AnEndlessLineIsSaidAndReadingGoesOn) {
  const std::size_t limit = 1000;
  CsvReader reader(ByteStream::of("a,b\n" + std::string(3'000'000, 'x') + "\n1,2\n", "t.csv"), {limit, 10});
  EXPECT_EQ(*reader.next(), CsvReader::Got::record);
  EXPECT_EQ(*reader.next(), CsvReader::Got::too_long);
  EXPECT_EQ(reader.line(), 2);
  EXPECT_EQ(*reader.next(), CsvReader::Got::record);
  EXPECT_EQ(reader.line(), 3);
  EXPECT_EQ(*reader.next(), CsvReader::Got::end);
}

TEST(Csv, QuotesThatDoNotEndCostOneLine) {
  CsvReader reader(ByteStream::of("a,b\n1,\"2\n3,4\n\"5\"6,7\n8,9\n", "t.csv"));
  EXPECT_EQ(*reader.next(), CsvReader::Got::record);
  EXPECT_EQ(*reader.next(), CsvReader::Got::bad_quotes);  // its quote pairs with one two lines on, text behind it
  EXPECT_EQ(*reader.next(), CsvReader::Got::record);
  EXPECT_EQ(reader.fields()[0], "3");
  EXPECT_EQ(*reader.next(), CsvReader::Got::bad_quotes);
  EXPECT_EQ(*reader.next(), CsvReader::Got::record);
  EXPECT_EQ(reader.fields()[1], "9");
}

TEST(Csv, TooManyFieldsAreSaid) {
  CsvReader reader(ByteStream::of("a,b,c\n\"a\",b,c\nd\n", "t.csv"), {1000, 2});
  EXPECT_EQ(*reader.next(), CsvReader::Got::too_many_fields);
}

struct Foreign {
  const char* name;
  std::string text;
};
class CsvForeignTest : public testing::TestWithParam<Foreign> {};
const Foreign kForeign[] = {
    {"utf16", "\xff\xfeg\0p\0"}, {"gzip", "\x1f\x8b\x08\x01"}, {"zstd", "\x28\xb5\x2f\xfd"}, {"xlsx", "PK\x03\x04zz"}};
TEST_P(CsvForeignTest, IsRefused) {
  CsvReader reader(ByteStream::of(GetParam().text, "t.csv"));
  const auto got = reader.next();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::wrong_type);
  EXPECT_FALSE(got.error().hint.empty());
}
INSTANTIATE_TEST_SUITE_P(Rows, CsvForeignTest, testing::ValuesIn(kForeign), [](auto& row) { return row.param.name; });

TEST(Csv, AMissingFileAndAFolderAreErrors) {
  EXPECT_EQ(ByteStream::open("/nowhere/at/all.csv").error().code, Code::cannot_read);
  EXPECT_EQ(ByteStream::open("/").error().code, Code::cannot_read);
}

}  // namespace
}  // namespace roofline
