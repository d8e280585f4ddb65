#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ingest/decimal_sign.hpp"
#include "ingest/formats/ncu_kernels.hpp"
#include "ingest/text_table.hpp"
#include "roofline/kernel/function_name.hpp"
#include "roofline/kernel/measured_counters.hpp"
#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

using test::corpus;
using test::counters_of;
using test::data;
using test::expected;
using test::import_back;
using test::ReadBack;
using test::TemporaryFile;

std::uint64_t kernels_of(const ReadBack& back) {
  std::uint64_t count = 0;  // each profiled launch has counters, a time or not
  for (const auto& kernel : back.profile.kernels) count += kernel.counters.size();
  return count;
}

std::array<std::uint64_t, 3> extent(const std::string& text) {
  std::array<std::uint64_t, 3> sizes{};
  EXPECT_TRUE(formats::read_extent(text, sizes)) << text;
  return sizes;
}

TEST(NcuCsv, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "ncu csv" || !facts.contains("n_kernels")) continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "ncu-csv");
    EXPECT_EQ(kernels_of(back), facts["n_kernels"].get<std::uint64_t>());
    EXPECT_EQ(back.total_ns(), std::stoll(facts["total_duration_ns"].get<std::string>()));
    for (const auto& kernel : facts["kernels"]) {
      // Long names are cut in the list.
      const auto wanted = kernel["name"].get<std::string>();
      const auto grid = extent(kernel["grid"]), block = extent(kernel["block"]);
      const auto found = std::find_if(
          back.profile.kernels.begin(), back.profile.kernels.end(), [&](const auto& k) {
            return k.symbol.starts_with(wanted) && k.grid == grid && k.block == block;
          });
      ASSERT_NE(found, back.profile.kernels.end()) << wanted;
      if (!kernel.contains("duration_ns")) {
        EXPECT_EQ(back.loss("duration_not_measured"), facts["n_kernels"].get<std::uint64_t>());
      } else if (found->launches == 1) {
        EXPECT_EQ(std::llround(found->time().value() * 1e9),
                  std::stoll(kernel["duration_ns"].get<std::string>()));
      }
      const auto counted = counters_of(*found);
      const auto bytes = [&](const char* key) { return std::stod(kernel[key].get<std::string>()); };
      if (kernel.contains("dram_read")) {
        ASSERT_TRUE(counted.dram_read && counted.dram_written);
        EXPECT_EQ(counted.dram_read->value(), bytes("dram_read"));
        EXPECT_EQ(counted.dram_written->value(), bytes("dram_write"));
      }
    }
    ASSERT_EQ(back.profile.devices.size(), 1u);
    const auto& device = back.profile.devices[0];
    EXPECT_EQ(fmt::format("{}.{}", device.facts.major, device.facts.minor),
              facts["kernels"][0]["cc"].get<std::string>());
    EXPECT_EQ(device.name, facts["kernels"][0].value("gpu", ""));
    EXPECT_EQ(back.loss("gpu_not_named"), device.name.empty() ? 1u : 0u);
  }
  EXPECT_EQ(files, 10);
}

TEST(NcuCsv, EuropeanNumbersAreSettledByTheFile) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("ncu/win_locale_dots.csv"));
  ASSERT_FALSE(back.error);
  const auto* reduce = back.find("at::reduce_kernel");
  ASSERT_TRUE(reduce);
  EXPECT_EQ(std::llround(reduce->time().value() * 1e9), 14912);
  EXPECT_EQ(counters_of(*reduce).dram_bytes()->value(), 2348544);
  ImportOptions options;
  options.decimal = '.';
  const auto wrong = import_back(corpus("ncu/win_locale_dots.csv"), options);
  ASSERT_TRUE(wrong.error);
  EXPECT_NE(wrong.error->hint.find("--decimal comma"), std::string::npos);
}

TEST(NcuCsv, AmbiguousNumbersAreAskedAbout) {
  const std::string head =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
      "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
      "Unit\",\"Metric Value\"\n"
      "\"0\",\"1\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"\","
      "\"gpu__time_duration.sum\",\"ns\",\"117.344\"\n";
  const TemporaryFile file("a.csv", head);
  const auto asked = import_back(file.path());
  ASSERT_TRUE(asked.error);
  EXPECT_NE(asked.error->hint.find("--decimal"), std::string::npos);
  EXPECT_EQ(asked.error->where.line, 2);
  ImportOptions options;
  options.decimal = ',';
  EXPECT_EQ(import_back(file.path(), options).total_ns(), 117344);
  options.decimal = '.';
  EXPECT_EQ(import_back(file.path(), options).total_ns(), 117);
}

TEST(NcuCsv, ColumnsThatSomebodyKept) {
  const TemporaryFile file(
      "kept.csv",
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"k\",\"gpu__time_duration.sum\",\"nsecond\",\"41,280\"\n"
      "\"0\",\"k\",\"dram__bytes_read.sum\",\"Mbyte\",\"1.25\"\n");
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "ncu-csv");
  EXPECT_EQ(back.total_ns(), 41'280);
}

// --print-summary per-kernel: means of the launches of a kernel, which has no ID.
TEST(NcuCsv, SummaryOfLaunches) {
  const auto row = [](std::string_view block, std::string_view metric, std::string_view values) {
    return fmt::format(
        "\"77\",\"a\",\"127.0.0.1\",\"k\",\"1\",\"7\",\"{}\",\"(100, 1, 1)\",\"0\",\"8.0\",\"100\","
        "\"Command line profiler metrics\",\"{}\",{}\n",
        block, metric, values);
  };
  const TemporaryFile file(
      "summary.csv",
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
      "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\",\"Metric "
      "Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n" +
          row("(256, 1, 1)", "dram__bytes.sum",
              "\"Mbyte\",\"23,989.50\",\"23,990.50\",\"23,990.00\"") +
          row("(256, 1, 1)", "gpu__time_duration.sum",
              "\"usecond\",\"17,466.88\",\"17,480.03\",\"17,473.12\"") +
          row("(128, 1, 1)", "gpu__time_duration.sum",
              "\"usecond\",\"10.00\",\"30.00\",\"20.00\""));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.format, "ncu-csv");
  EXPECT_EQ(back.launches(), 200u);
  EXPECT_EQ(back.total_ns(), 1'747'312'000 + 2'000'000);
  ASSERT_EQ(back.profile.kernels.size(), 2u);
  const auto& kernel = back.profile.kernels[0];
  EXPECT_EQ(std::llround(kernel.sums.at(0).least->value() * 1e9), 17'466'880);
  EXPECT_EQ(std::llround(kernel.sums.at(0).most->value() * 1e9), 17'480'030);
  EXPECT_EQ(counters_of(kernel).dram_bytes()->value(), 23'990'000'000.0);
}

TEST(NcuCsv, RunsWithoutKernelsSayWhy) {
  SKIP_WITHOUT_CORPUS();
  const std::pair<const char*, const char*> kRows[] = {
      {"ncu/b200_raw_empty.csv", "The application returned an error code (1)."},
      {"ncu/b200_raw_failed.csv", "profiled no kernel"},
      {"ncu/b200_trtllm_log.csv", "profiled no kernel"},
      {"ncu/err_nvgpuctrperm.txt", "ERR_NVGPUCTRPERM"},
  };
  for (const auto& [name, says] : kRows) {
    SCOPED_TRACE(name);
    const auto back = import_back(corpus(name));
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find(says), std::string::npos) << back.error->what;
    EXPECT_FALSE(back.error->hint.empty());
  }
  EXPECT_NE(import_back(corpus("ncu/err_nvgpuctrperm.txt")).error->hint.find("root"),
            std::string::npos);
}

TEST(NcuCsv, CutTableIsReadUpToTheCut) {
  SKIP_WITHOUT_CORPUS();
  const auto back = import_back(corpus("derived/ncu_wide_cut.csv"));
  ASSERT_FALSE(back.error);
  EXPECT_EQ(back.launches(), 5u);
  EXPECT_EQ(back.total_ns(), 75712);
  EXPECT_EQ(back.cut(), "after kernel 5");
  EXPECT_EQ(back.loss("file_cut"), 1u);
}

TEST(NcuCsv, UnitsLabelsRulesAndNoise) {
  const auto back = import_back(data("ncu/long_usecond.csv"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 12500 + 1250000);
  const auto* saxpy = back.find("saxpy");
  ASSERT_TRUE(saxpy);
  const auto& first = saxpy->counters.at(0).values;
  EXPECT_DOUBLE_EQ(first.at("sm__cycles_elapsed.avg.per_second"), 1.75e9);
  EXPECT_DOUBLE_EQ(first.at("dram__bytes.sum"), 2e12 * 12.5e-6);  // rate by time
  EXPECT_EQ(back.profile.devices.at(0).facts.sm_count, 132u);
  EXPECT_EQ(back.loss("gpu_not_named"), 1u);
}

TEST(NcuCsv, RooflineMetricsBecomeSums) {
  const auto back = import_back(data("ncu/wide_roofline.csv"));
  ASSERT_FALSE(back.error) << back.error->what;
  const auto* gemm = back.find("gemm");
  ASSERT_TRUE(gemm);
  EXPECT_EQ(gemm->registers, 64u);
  const auto counted = counters_of(*gemm);
  // 10 additions and 4096 / 2 FMAs of two a cycle, 1.5 GHz, 10.24 us.
  EXPECT_NEAR(counted.flops("vector:fp32"), (10 + 4096) * 1.5e9 * 10.24e-6, 1);
  EXPECT_DOUBLE_EQ(counted.dram_bytes()->value(), 4e6);
  EXPECT_EQ(back.profile.devices.at(0).name, "NVIDIA A100-SXM4-80GB");
}

TEST(NcuText, CorpusIsReadAsExpected) {
  SKIP_WITHOUT_CORPUS();
  int files = 0;
  for (const auto& [name, facts] : expected().items()) {
    if (facts.value("kind", "") != "ncu text" || !facts.contains("n_kernels")) continue;
    SCOPED_TRACE(name);
    ++files;
    const auto back = import_back(corpus(name));
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.format, "ncu-text");
    EXPECT_EQ(kernels_of(back), facts["n_kernels"].get<std::uint64_t>());
    for (const auto& kernel : facts["kernels"]) {
      const auto wanted = kernel["name"].get<std::string>();
      EXPECT_TRUE(std::any_of(back.profile.kernels.begin(), back.profile.kernels.end(),
                              [&](const auto& k) { return k.symbol.starts_with(wanted); }))
          << wanted;
    }
  }
  EXPECT_EQ(files, 2);
  const auto volta = import_back(corpus("ncu/v100_text.txt"));
  const auto* conv = volta.find("_5x_cudnn_volta_scudnn_128x64_relu_medium_nn_v1");
  ASSERT_TRUE(conv);
  EXPECT_EQ(counters_of(*conv).flops("vector:fp32"), 36864000);
}

TEST(NcuText, PagesOfTwoVersions) {
  const auto back = import_back(data("ncu/page.txt"));
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 2u);
  EXPECT_EQ(back.total_ns(), 5250 + 2250);
  const auto* axpy = back.find("axpy");
  ASSERT_TRUE(axpy);
  EXPECT_EQ(axpy->grid, (std::array<std::uint64_t, 3>{8, 2, 1}));
  EXPECT_EQ(axpy->counters.at(0).values.at("sm__cycles_elapsed.max"), 9216);
  const auto* old = back.find("old_kernel");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->counters.at(0).values.at("dram__bytes_read.sum"), 12500);
}

TEST(NcuText, PastedPagesKeepTheirKernels) {
  const std::string table =
      "Section: GPU Speed Of Light Throughput\n"
      "    ----------------------- ------------- ------------\n"
      "    Metric Name               Metric Unit Metric Value\n"
      "    ----------------------- ------------- ------------\n"
      "    Duration                      usecond         3.50\n"
      "    ----------------------- ------------- ------------\n\n";
  const auto page = [&](const std::string& indent, const char* name) {
    return indent + name +
           "(const float *, int) (64, 2, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.0\n" +
           "    " + table;
  };
  const TemporaryFile file("pasted.txt",
                           page(" ", "rows") + page("", "columns") + page("        ", "blocks"));
  const auto back = import_back(file.path());
  ASSERT_FALSE(back.error) << back.error->what;
  EXPECT_EQ(back.launches(), 3u);
  EXPECT_EQ(back.total_ns(), 3 * 3500);
  for (const char* name : {"rows", "columns", "blocks"}) EXPECT_TRUE(back.find(name)) << name;
  const auto nameless = import_back(TemporaryFile("nameless.txt", "    " + table).path());
  ASSERT_TRUE(nameless.error);
  EXPECT_NE(nameless.error->what.find("no line says of which kernel"), std::string::npos);
}

TEST(NcuUnits, BaseUnits) {
  const std::pair<const char*, double> kRows[] = {{"ns", 1},
                                                  {"usecond", 1e3},
                                                  {"ms", 1e6},
                                                  {"second", 1e9},
                                                  {"byte", 1},
                                                  {"Kbyte", 1e3},
                                                  {"Gbyte/second", 1e9},
                                                  {"byte/ns", 1e9},
                                                  {"cycle/nsecond", 1e9},
                                                  {"Ghz", 1e9},
                                                  {"%", 1},
                                                  {"register/thread", 1},
                                                  {"Kbyte/block", 1e3},
                                                  {"", 1},
                                                  {"inst/cycle", 1}};
  for (const auto& [unit, factor] : kRows) {
    ASSERT_TRUE(formats::ncu_unit(unit)) << unit;
    EXPECT_DOUBLE_EQ(*formats::ncu_unit(unit), factor) << unit;
  }
  EXPECT_FALSE(formats::ncu_unit("furlong"));
}

struct Number {
  const char* text;
  char decimal;
  double value;
};
TEST(DecimalSigns, Numbers) {
  const Number kRows[] = {{"134,221,568", '.', 134221568},
                          {"4,963,609,951.19", '.', 4963609951.19},
                          {"27.595.520", ',', 27595520},
                          {"65,77", ',', 65.77},
                          {"117.344", ',', 117344},
                          {"117.344", '.', 117.344},
                          {"1 234,5", ',', 1234.5},
                          {"1\xe2\x80\xaf"
                           "234,5",
                           ',', 1234.5},
                          {"8 (1; 2)", '.', 8},
                          {"-3.5", '.', -3.5}};
  for (const auto& row : kRows) {
    ASSERT_TRUE(read_number(row.text, row.decimal)) << row.text;
    EXPECT_DOUBLE_EQ(*read_number(row.text, row.decimal), row.value) << row.text;
  }
  for (const char* none : {"n/a", "", "No-CC", "1e400", "nan", "inf", "0x10"})
    EXPECT_FALSE(read_number(none, '.')) << none;
}

struct Settled {
  std::vector<const char*> numbers;
  char sign;  // '?': asked about; '!': contradictory
};
TEST(DecimalSigns, SettledOncePerFile) {
  const Settled kRows[] = {{{"12", "117.344"}, '?'},     {{"117,344"}, '?'},
                           {{"117.344", "65,77"}, ','},  {{"117,344", "0.5"}, '.'},
                           {{"27.595.520"}, ','},        {{"1,234,567"}, '.'},
                           {{"1,234.5"}, '.'},           {{"1.234,5"}, ','},
                           {{"12", "7"}, '.'},           {{"0.125"}, '.'},
                           {{"1234.567"}, '.'},          {{"1.5", "1,5"}, '!'},
                           {{"10.0", "a.bcd", ""}, '.'}, {{"117.344", "9.0001"}, '.'}};
  for (const auto& row : kRows) {
    DecimalSign sign;
    for (const auto* number : row.numbers) sign.observe(number, 3, 1);
    const auto settled = sign.settle(std::nullopt, "f.csv");
    if (row.sign == '?' || row.sign == '!') {
      EXPECT_FALSE(settled) << row.numbers[0];
    } else {
      ASSERT_TRUE(settled) << row.numbers[0];
      EXPECT_EQ(*settled, row.sign) << row.numbers[0];
    }
  }
}

TEST(TextTables, Fields) {
  std::vector<std::string> fields;
  EXPECT_TRUE(split_fields("\"a,\"\"b\"\"\",,c", ',', fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a,\"b\"", "", "c"}));
  EXPECT_TRUE(split_fields("a,", ',', fields));
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_FALSE(split_fields("a,\"b", ',', fields));
  EXPECT_FALSE(split_fields("\"a\"b,c", ',', fields));
}

/// Any file of a text format, cut at every sixteenth and with single bytes changed: it is read or
/// refused, and never more than the whole has.
TEST(NcuFiles, DamageEndsWell) {
  for (const char* name : {"ncu/long_usecond.csv", "ncu/wide_roofline.csv", "ncu/page.txt"}) {
    test::expect_damage_ends_well("damaged.txt", test::bytes_of(data(name)),
                                  std::string_view("\"\n,\x00\xff"
                                                   "9e-(x",
                                                   10));
  }
}

}  // namespace
}  // namespace roofline
