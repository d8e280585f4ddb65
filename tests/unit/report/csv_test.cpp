#include <gtest/gtest.h>

#include "report/formats/formats.hpp"
#include "roofline/base/text.hpp"
#include "unit/report/hand_made.hpp"

namespace roofline {
namespace {

using hand_made::Script;
using Cells = std::vector<std::string>;

/// Reads RFC 4180: quotes may hold commas, newlines and doubled quotes.
std::vector<Cells> read_csv(const std::string& text) {
  std::vector<Cells> rows;
  Cells row{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      row.back() += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      row.emplace_back();
    else if (!quoted && c == '\n')
      rows.push_back(std::exchange(row, {""}));
    else
      row.back() += c;
  }
  return rows;
}

std::string cell(const std::vector<Cells>& rows, std::size_t row, std::string_view column) {
  const auto& header = rows.front();
  const auto at = std::find(header.begin(), header.end(), column);
  return at == header.end() ? "no column"
                            : rows.at(row).at(static_cast<std::size_t>(at - header.begin()));
}

std::vector<Cells> rows_of(const Script& script) { return read_csv(script.write(make_csv)); }

Script one(Kernel kernel) {
  Script script;
  script.points.push_back({std::move(kernel)});
  return script;
}

TEST(Csv, OneHeaderAndTheFiguresOfASquareGemm) {
  const auto rows = rows_of(one(hand_made::square_gemm(4096)));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), rows[1].size());
  EXPECT_EQ(cell(rows, 1, "gpu"), "h100-sxm5-80gb");
  EXPECT_EQ(cell(rows, 1, "kernel"), "qkv");
  EXPECT_EQ(cell(rows, 1, "op"), "gemm");
  EXPECT_EQ(cell(rows, 1, "launches"), "1");
  EXPECT_EQ(cell(rows, 1, "bytes"), "100663296");
  EXPECT_EQ(cell(rows, 1, "flops"), "137438953472");
  EXPECT_NEAR(std::stod(cell(rows, 1, "intensity_flop_per_byte")), 4096.0 / 3, 1e-9);
  EXPECT_NEAR(std::stod(cell(rows, 1, "time_floor_s")), 137438953472 / 989.4e12, 1e-15);
  EXPECT_EQ(cell(rows, 1, "bound"), "compute");
  EXPECT_EQ(cell(rows, 1, "limiter"), "tensor:bf16");
  EXPECT_EQ(cell(rows, 1, "balanced"), "false");
  EXPECT_EQ(cell(rows, 1, "time_s"), "");
  EXPECT_EQ(cell(rows, 1, "status"), "");
  EXPECT_EQ(cell(rows, 1, "notes"), "fits_l2");
}

TEST(Csv, MeasuredTimeAndStatus) {
  Kernel kernel = hand_made::square_gemm(4096);
  kernel.time = Seconds(200e-6);
  kernel.timing = Timing::kernel;
  const auto rows = rows_of(one(kernel));
  EXPECT_EQ(std::stod(cell(rows, 1, "time_s")), 200e-6);
  EXPECT_EQ(cell(rows, 1, "timing"), "kernel");
  EXPECT_NEAR(std::stod(cell(rows, 1, "fraction_of_ceiling")), 137438953472 / 989.4e12 / 200e-6,
              1e-9);
  EXPECT_EQ(cell(rows, 1, "status"), "near");  // 0.69
}

TEST(Csv, SweptVariablesAreColumnsAndSeveralGpusShareOneHeader) {
  Script script;
  script.swept = {"N", "bytes"};  // the second is called as a column of ours
  for (const long long n : {64LL, 128LL}) {
    script.points.push_back({hand_made::square_gemm(n)});
    script.bindings.push_back({{"N", n}, {"bytes", 2}});
  }
  script.gpus.push_back(hand_made::h100());
  const auto rows = rows_of(script);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(cell(rows, 2, "N"), "128");
  EXPECT_EQ(cell(rows, 2, "point.bytes"), "2");
  EXPECT_EQ(cell(rows, 2, "bytes"), std::to_string(3 * 128 * 128 * 2));
  EXPECT_EQ(cell(rows, 3, "N"), "64");
}

TEST(Csv, CountsKeepEveryDigit) {
  Kernel kernel = hand_made::square_gemm(64);
  kernel.work.matmul(Count(1LL << 62) * Count(4));
  EXPECT_EQ(cell(rows_of(one(kernel)), 1, "flops"), "18446744073710075904");  // 2^64 + 2 * 64^3
}

class CsvHostileNameTest : public testing::TestWithParam<hand_made::HostileName> {};
TEST_P(CsvHostileNameTest, IsOneCellOfOneLineAndNoFormula) {
  const auto text = one(hand_made::square_gemm(64, GetParam().text)).write(make_csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  const auto rows = read_csv(text);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].size(), rows[0].size());
  const auto name = cell(rows, 1, "kernel");
  EXPECT_TRUE(name.empty() || std::string_view("=+-@\t\r").find(name[0]) == std::string_view::npos)
      << name;
  const bool formula = !GetParam().text.empty() && GetParam().text[0] == '=';
  EXPECT_EQ(name == (formula ? "'" : "") + printable(GetParam().text), true);
}
INSTANTIATE_TEST_SUITE_P(Rows, CsvHostileNameTest, testing::ValuesIn(hand_made::hostile_names()),
                         [](const auto& i) { return i.param.name; });

class CsvFormulaTest : public testing::TestWithParam<const char*> {};
TEST_P(CsvFormulaTest, GetsAnApostropheInsideQuotes) {
  const auto text = one(hand_made::square_gemm(64, GetParam())).write(make_csv);
  EXPECT_NE(text.find(std::string("\"'")), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Rows, CsvFormulaTest,
                         testing::Values("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"));

}  // namespace
}  // namespace roofline
