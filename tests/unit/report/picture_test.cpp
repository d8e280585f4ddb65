#include <gtest/gtest.h>

#include "report/xml.hpp"
#include "roofline/base/text.hpp"
#include "unit/report/chart_corpus.hpp"
#include "unit/report/xml_check.hpp"

namespace roofline {
namespace {

using hand_made::finished;
using hand_made::h100_chart;
using hand_made::h100_kernel;
using hand_made::xml_fault;

std::string svg_of(const Chart& chart, PictureOptions options = {}) {
  std::string text;
  write_svg(std::span(&chart, 1), options, [&](std::string_view piece) { text += piece; });
  return text;
}
std::string plot_of(const Chart& chart, PictureOptions options = {}) {
  std::string text;
  write_terminal_plot(chart, options, [&](std::string_view piece) { text += piece; });
  return text;
}

/// Charts at the ends of what can come.
struct ExtremeRow {
  const char* name;
  std::vector<ChartKernel> kernels;
  friend void PrintTo(const ExtremeRow& row, std::ostream* out) { *out << row.name; }
};
std::vector<ExtremeRow> extremes() {
  std::vector<ExtremeRow> rows = {
      {"no_kernels", {}},
      {"one_kernel", {h100_kernel("k", 1e9, 1e9, 1e-3)}},
      {"zero_flops", {h100_kernel("copy", 0, 1e9, 1e-3)}},
      {"zero_bytes", {h100_kernel("registers", 1e9, 0, 1e-3)}},
      {"nothing_at_all", {h100_kernel("nothing", 0, 0)}},
      {"no_time", {h100_kernel("k", 1e9, 1e9)}},
      {"faster_than_its_floor", {h100_kernel("k", 1e9, 1e12, 1e-3)}},
      {"markup", {h100_kernel("</text><script>alert(1)</script>&amp;\"'", 1e9, 1e9, 1e-3)}},
      {"control_characters",
       {h100_kernel("a\x01\x1b[31m\xE2\x80\xAE\xEF\xBF\xBE"
                    "b",
                    1e9, 1e9, 1e-3)}},
      {"invalid_utf8", {h100_kernel("a\xff\xc3", 1e9, 1e9, 1e-3)}},
      {"empty_name", {h100_kernel("", 1e9, 1e9, 1e-3)}},
      {"long_name", {h100_kernel(std::string(100'000, 'x'), 1e9, 1e9, 1e-3)}},
  };
  ExtremeRow same{"all_at_one_point", {}}, decades{"thirty_decades", {}};
  for (int i = 0; i < 50; ++i)
    same.kernels.push_back(h100_kernel("k" + std::to_string(i), 1e9, 1e9, 1e-3));
  for (int i = -15; i <= 15; ++i)
    decades.kernels.push_back(
        h100_kernel("k" + std::to_string(i), std::pow(10.0, 9 + i), 1e9, 1e-3));
  rows.push_back(std::move(same));
  rows.push_back(std::move(decades));
  for (auto& row : rows)
    for (auto& kernel : row.kernels) kernel.name = chart_name(kernel.name);
  return rows;
}

class Extreme : public testing::TestWithParam<ExtremeRow> {};
TEST_P(Extreme, is_drawn_in_every_form) {
  const auto chart = finished(h100_chart(), GetParam().kernels);
  for (const auto theme : {Theme::light, Theme::dark, Theme::print}) {
    const auto svg = svg_of(chart, {.theme = theme, .levels = true});
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find("\xE2\x80\xAE"), std::string::npos);
    EXPECT_LT(svg.size(), 100'000u);
    EXPECT_EQ(svg, svg_of(chart, {.theme = theme, .levels = true}));
  }
  for (const std::size_t width : {40, 60, 80, 200})
    for (const bool ascii : {false, true}) {
      const auto text = plot_of(chart, {.width = width, .ascii = ascii});
      for (std::size_t from = 0; from < text.size();) {
        const auto to = text.find('\n', from);
        EXPECT_LE(display_width(text.substr(from, to - from)), width)
            << text.substr(from, to - from);
        from = to + 1;
      }
      if (ascii) {
        EXPECT_EQ(text.find("\xE2\xA0"), std::string::npos);
      }
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
    }
}
INSTANTIATE_TEST_SUITE_P(Rows, Extreme, testing::ValuesIn(extremes()),
                         [](const auto& row) { return row.param.name; });

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}
TEST_P(Extreme, is_a_page_that_no_name_can_leave) {
  const auto chart = finished(h100_chart(), GetParam().kernels);
  std::string page;
  write_html(std::span(&chart, 1), {}, [&](std::string_view piece) { page += piece; });
  EXPECT_EQ(count_of(page, "<script"), 2u);  // the data and the program
  EXPECT_EQ(count_of(page, "</script"), 2u);
  EXPECT_EQ(count_of(page, "Content-Security-Policy"), 1u);
  EXPECT_EQ(count_of(page, "\xE2\x80\xAE"), 0u);
  EXPECT_LT(page.size(), 60'000u + 3'000u * (1 + chart.kernels.size()) + 20'000u);
}

/// Names put together from what breaks markup, scripts, terminals and the direction of text.
std::string hostile_name(hand_made::Sequence& random) {
  static const std::string kPieces[] = {"</script><script>alert(1)</script>",
                                        "<!--<script>",
                                        "-->",
                                        "]]>",
                                        "\"",
                                        "'",
                                        "&",
                                        "&amp;",
                                        "&#0;",
                                        "<svg onload=x>",
                                        "\xE2\x80\xAE",
                                        "\xE2\x81\xA6",
                                        "\xE2\x80\x8F",
                                        "\x1b[31m",
                                        "\x1b]0;t\x07",
                                        "\r\n",
                                        std::string(1, '\0'),
                                        "\xff",
                                        "\xC0\x80",
                                        "\xED\xA0\x80",
                                        "\xEF\xBF\xBF",
                                        "\xF4\x90\x80\x80",
                                        "\\u003c",
                                        "javascript:",
                                        "=1+1",
                                        "a",
                                        "%s%n",
                                        "${x}",
                                        "</style>",
                                        "\xCC\x81\xCC\x81",
                                        "\xF0\x9F\x98\x80"};
  std::string name;
  const std::size_t pieces = 1 + random.below(12);
  for (std::size_t i = 0; i < pieces; ++i) name += kPieces[random.below(std::size(kPieces))];
  return name;
}

TEST(HostileNames, leave_no_document) {
  static constexpr std::string_view kNever[] = {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\x8F",
                                                "\x1b", "\xED\xA0\x80"};
  hand_made::Sequence random(2026);
  for (int round = 0; round < 300; ++round) {
    ResultRecord result;
    result.gpu.id = "h100-sxm5-80gb";
    result.gpu.name = hostile_name(random);
    result.file = hostile_name(random);
    result.tool_version = hostile_name(random);
    result.environment.emplace().driver = hostile_name(random);
    for (int i = 0; i < 3; ++i) {
      ResultKernel kernel;
      kernel.id = kernel.name = hostile_name(random);
      kernel.full_name = hostile_name(random);
      kernel.pipe = i == 0 ? "tensor:bf16" : hostile_name(random);
      kernel.limiter = hostile_name(random);
      kernel.flops = Flops(1e9);
      kernel.bytes = Bytes(1e9);
      kernel.time_floor = Seconds(1e-3);
      kernel.levers.push_back({"x", hostile_name(random)});
      kernel.measured.emplace().time = Seconds(2e-3);
      result.kernels.push_back(std::move(kernel));
    }
    result.lost.push_back({hostile_name(random), 3});
    const auto chart = chart_of(result);
    const auto svg = svg_of(chart);
    EXPECT_EQ(xml_fault(svg), "") << round;
    std::string page;
    write_html(std::span(&chart, 1), {}, [&](std::string_view piece) { page += piece; });
    EXPECT_EQ(count_of(page, "<script"), 2u) << round;
    EXPECT_EQ(count_of(page, "</script"), 2u) << round;
    EXPECT_EQ(count_of(page, "</style"), 1u) << round;
    // A terminal shows markup as it is; what moves its cursor or turns its text is gone.
    const auto plot = plot_of(chart, {.width = 80});
    for (const auto* text : std::initializer_list<const std::string*>{&svg, &page})
      EXPECT_EQ(count_of(*text, "<svg onload"), 0u) << round;
    for (const auto never : kNever)
      for (const auto* text : std::initializer_list<const std::string*>{&svg, &page, &plot})
        EXPECT_EQ(count_of(*text, never), 0u) << round << ": " << testing::PrintToString(never);
  }
}

TEST(Svg, of_the_corpus_is_well_formed) {
  for (std::size_t i = 0; i < hand_made::kCorpus; i += 5)
    EXPECT_EQ(xml_fault(svg_of(hand_made::corpus_chart(i))), "") << i;
}

TEST(Svg, says_in_words_what_it_shows) {
  const auto svg = svg_of(finished(h100_chart(), {h100_kernel("my_kernel", 1e9, 1e9, 1e-3)}));
  for (const char* words :
       {"<title id=\"roofline-title\">Roofline of NVIDIA H100 SXM5 80GB</title>", "<desc",
        "role=\"img\"", "tabindex=\"0\"", "1 my_kernel: memory-bound", "DRAM 3.35 TB/s",
        "BF16 tensor, dense 989.4 TFLOP/s", "ridge 295"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

// Launches of 1, 1 and 4 ms: their median says 3 ms, the sum that the result states says 6.
TEST(ResultChart, time_of_a_run_is_the_sum_where_it_is_told) {
  ResultRecord result;
  ResultKernel kernel;
  kernel.id = kernel.name = "k";
  kernel.launches = 3;
  kernel.measured.emplace().time = Seconds(1e-3);
  kernel.time_share = 0.75;
  result.kernels.push_back(kernel);
  EXPECT_DOUBLE_EQ(chart_of(result).total_time(), 3e-3);
  result.kernel_time = Seconds(16e-3);
  result.program.emplace().runs = 2;
  EXPECT_DOUBLE_EQ(chart_of(result).total_time(), 6e-3);
}

/// A trace knows times and grids, and nothing of FLOPs or bytes.
TEST(Svg, of_a_trace_says_why_its_frame_is_empty_and_tells_launches_apart) {
  ResultRecord result;
  result.gpu.name = "some GPU";
  for (const std::int64_t blocks : {7, 8}) {
    ResultKernel kernel;
    kernel.id = kernel.name = "sgemm";
    kernel.grid = Extent{blocks, 1, 1};
    kernel.measured.emplace().time = Seconds(1e-3);
    result.kernels.push_back(std::move(kernel));
  }
  const auto svg = svg_of(chart_of(result));
  for (const char* words : {"no kernel has both FLOPs and bytes", "sgemm 7x1x1", "sgemm 8x1x1",
                            "time of a run, the longest first"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  for (const char* words : {">attainable<", ">of ceiling<", ">to win<", "hatched above"})
    EXPECT_EQ(svg.find(words), std::string::npos) << words;
}

TEST(Svg, several_gpus_are_one_below_the_other) {
  const auto chart = finished(h100_chart(), {h100_kernel("k", 1e9, 1e9, 1e-3)});
  const std::vector<Chart> two = {chart, chart};
  std::string text;
  write_svg(two, {}, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(xml_fault(text), "");
  EXPECT_EQ(text.find("<defs>", text.find("<defs>") + 1), std::string::npos);  // ids stand once
}

TEST(TerminalPlot, digits_are_kernels_that_the_table_names) {
  const auto text = plot_of(finished(h100_chart(), {h100_kernel("first", 1e9, 1e9, 2e-3),
                                                    h100_kernel("second", 1e12, 1e9, 1.5e-3)}),
                            {.width = 100, .ascii = true});
  EXPECT_NE(text.find("BF16 tensor 989.4 TFLOP/s"), std::string::npos) << text;
  EXPECT_NE(text.find("  1  first"), std::string::npos) << text;
  EXPECT_NE(text.find("  2  second"), std::string::npos) << text;
  EXPECT_LT(text.find("# floor"), text.find("FLOP/B"));  // the bars come first
}

TEST(TerminalPlot, colours_only_add) {
  const auto chart = finished(h100_chart(), {h100_kernel("first", 1e9, 1e9, 2e-3),
                                             h100_kernel("second", 1e12, 1e9, 1.5e-3)});
  auto coloured = plot_of(chart, {.width = 100, .colour = true});
  for (auto at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, plot_of(chart, {.width = 100}));
}

struct FixedRow {
  double value;
  const char* text;
};
TEST(Fixed, one_decimal_and_no_exponent) {
  const FixedRow rows[] = {
      {0, "0"},         {-0.04, "0"}, {12.34, "12.3"}, {-0.5, "-0.5"}, {1e300, "1000000000000"},
      {1.0 / 0.0, "0"}, {2.96, "3"}};
  for (const auto& row : rows) {
    std::string text;
    append_fixed(text, row.value);
    EXPECT_EQ(text, row.text) << row.value;
  }
}

}  // namespace
}  // namespace roofline
