#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/error_json.hpp"
#include "report/formats/formats.hpp"
#include "report/json_writer.hpp"
#include "report/spool.hpp"
#include "unit/report/hand_made.hpp"

namespace roofline {
namespace {

using hand_made::Script;
using nlohmann::json;

Script one(Kernel kernel) {
  Script script;
  script.points.push_back({std::move(kernel)});
  return script;
}

json parsed(const Script& script) { return json::parse(script.write(make_json)); }

std::vector<json> lines(const Script& script) {
  std::vector<json> rows;
  std::istringstream text(script.write(make_jsonl));
  for (std::string line; std::getline(text, line);) rows.push_back(json::parse(line));
  return rows;
}

// ---------------------------------------------------------------- the writer

std::string written(const std::function<void(JsonWriter&)>& write) {
  std::string text;
  JsonWriter writer([&text](std::string_view piece) { text += piece; });
  writer.begin_object();
  write(writer);
  writer.end_object();
  writer.flush();
  return text;
}

struct NumberRow {
  const char* name;
  double value;
  const char* text;
};
class JsonNumberTest : public testing::TestWithParam<NumberRow> {};
TEST_P(JsonNumberTest, IsWrittenAsProgramsReadIt) {
  EXPECT_EQ(written([](JsonWriter& w) { w.number("x", GetParam().value); }), GetParam().text);
}
INSTANTIATE_TEST_SUITE_P(
    Rows, JsonNumberTest,
    testing::Values(NumberRow{"whole_is_an_integer", 402653184.0, R"({"x":402653184})"},
                    NumberRow{"rate_is_an_integer", 3.35e12, R"({"x":3350000000000})"},
                    NumberRow{"shortest_digits", 0.1, R"({"x":0.1})"},
                    NumberRow{"small", 0.00001, R"({"x":1e-05})"},
                    NumberRow{"third_reads_back", 1.0 / 3, R"({"x":0.3333333333333333})"},
                    NumberRow{"zero", 0.0, R"({"x":0})"},
                    NumberRow{"minus_zero", -0.0, R"({"x":0})"},
                    NumberRow{"huge", 1e300, R"({"x":1e+300})"},
                    NumberRow{"infinity_is_absent", HUGE_VAL, "{}"},
                    NumberRow{"not_a_number_is_absent", std::nan(""), "{}"}),
    [](const auto& i) { return i.param.name; });

TEST(JsonWriter, CountAbove2To53StandsAlsoAsText) {
  const Count big = Count(1LL << 32) * Count(1LL << 32);  // 2^64
  EXPECT_EQ(written([&](JsonWriter& w) {
              w.count("at_limit", Count(1LL << 53));
              w.count("flops", big);
              w.text("after", "x");
            }),
            R"({"at_limit":9007199254740992,"flops":18446744073709551616,"after":"x",)"
            R"("exact":{"flops":"18446744073709551616"}})");
}

TEST(JsonWriter, ExactCountsOfAMapStandInTheObjectAroundIt) {
  const Count big = Count((1LL << 53) + 1);
  EXPECT_EQ(written([&](JsonWriter& w) {
              w.count("bytes", big);
              w.begin_map("matmul_flops");
              w.count(JsonKey::named("exact"), big);
              w.count(JsonKey::named("fp8"), 1);
              w.end_object();
              w.begin_map("operands");
              w.begin_object(JsonKey::named("a"));
              w.count("read", big);
              w.end_object();
              w.end_object();
            }),
            R"({"bytes":9007199254740993,"matmul_flops":{"exact":9007199254740993,"fp8":1},)"
            R"("operands":{"a":{"read":9007199254740993,"exact":{"read":"9007199254740993"}}},)"
            R"("exact":{"bytes":"9007199254740993","matmul_flops":{"exact":"9007199254740993"}}})");
}

TEST(JsonWriter, OverflowedCountIsAbsent) {
  EXPECT_EQ(written([](JsonWriter& w) { w.count("flops", Count::overflow()); }), "{}");
}

TEST(JsonWriter, EscapesWhatCouldLeaveTheStringOrMoveTheCursor) {
  std::string out;
  append_json_escaped(out, std::string("\"\\\n\x1b\x7f\xE2\x80\xAE\xE2\x80\xA8\xFF") + "\xC3\xA4");
  EXPECT_EQ(out, "\\\"\\\\\\n\\u001b\\u007f\\u202e\\u2028\xEF\xBF\xBD\xC3\xA4");
}

TEST(JsonWriter, IndentsTheOuterLevelsOnly) {
  std::string text;
  JsonWriter writer([&text](std::string_view piece) { text += piece; }, {.indented_levels = 1});
  writer.begin_object();
  writer.begin_array("a");
  writer.count(1);
  writer.count(2);
  writer.end_array();
  writer.begin_object("b");
  writer.end_object();
  writer.end_object();
  writer.flush();
  EXPECT_EQ(text, "{\n  \"a\": [1, 2],\n  \"b\": {}\n}");
}

TEST(Spool, KeepsOrderAcrossMemoryAndFile) {
  Spool spool;
  std::string expected, got;
  for (int i = 0; i < 100'000; ++i) {
    const std::string piece = std::to_string(i) + std::string(90, '.');
    expected += piece;
    spool.append(piece);
  }
  EXPECT_TRUE(spool.drain([&](std::string_view piece) { got += piece; }));
  EXPECT_EQ(got == expected, true);
  got.clear();
  spool.append("again");
  EXPECT_TRUE(spool.drain([&](std::string_view piece) { got += piece; }));
  EXPECT_EQ(got, "again");
}

// ---------------------------------------------------------------- hostile names

class JsonHostileNameTest : public testing::TestWithParam<hand_made::HostileName> {};

bool is_safe(const std::string& text) {
  const auto unsafe = [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; };
  return std::none_of(text.begin(), text.end(), unsafe) &&
         text.find("\xE2\x80\xAE") == std::string::npos &&
         text.find("\xE2\x81\xA6") == std::string::npos &&
         text.find("\xC2\x9B") == std::string::npos &&
         text.find("\xE2\x80\xA8") == std::string::npos;
}

TEST_P(JsonHostileNameTest, ComesBackFromJsonAndMovesNoCursor) {
  const auto text = one(hand_made::square_gemm(64, GetParam().text)).write(make_json);
  EXPECT_TRUE(is_safe(text));
  EXPECT_EQ(json::parse(text)["kernels"][0]["name"] == GetParam().readable, true);
}

TEST_P(JsonHostileNameTest, ComesBackFromJsonLines) {
  const auto rows = lines(one(hand_made::square_gemm(64, GetParam().text)));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["name"] == GetParam().readable, true);
}

TEST_P(JsonHostileNameTest, OfAnOperandComesBack) {
  Kernel kernel = hand_made::copy(64);
  kernel.work.read(GetParam().text, 7);
  const auto result = parsed(one(kernel));
  EXPECT_EQ(result["kernels"][0]["operands"][GetParam().readable]["read"], 7);
}

TEST_P(JsonHostileNameTest, InAnErrorIsOneSafeLine) {
  const Error error{Code::unknown_key,
                    {.file = GetParam().text, .line = 3},
                    GetParam().text,
                    GetParam().text,
                    {}};
  const auto text = errors_as_json({&error, 1});
  EXPECT_TRUE(is_safe(text));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(json::parse(text)["message"] == GetParam().readable, true);
}

INSTANTIATE_TEST_SUITE_P(Rows, JsonHostileNameTest, testing::ValuesIn(hand_made::hostile_names()),
                         [](const auto& i) { return i.param.name; });

// ---------------------------------------------------------------- the result

TEST(Json, HoldsTheFiguresOfASquareGemm) {
  // 4096 x 4096 x 4096 in bf16: 3 x 4096^2 x 2 B, 2 x 4096^3 FLOP, ridge 989.4 / 3.35.
  const auto result = parsed(one(hand_made::square_gemm(4096)));
  const auto& kernel = result["kernels"][0];
  EXPECT_EQ(result["schema"], "roofline.result/1");
  EXPECT_EQ(result["tool"], (json{{"name", "roofline"}, {"version", "0.1.0"}}));
  EXPECT_EQ(result["flop_convention"], "fma=2");
  EXPECT_EQ(kernel["source"], (json{{"file", "block.yaml"}, {"line", 9}}));
  EXPECT_EQ(kernel["params"], (json{{"m", 4096}, {"n", 4096}, {"k", 4096}}));
  EXPECT_EQ(kernel["dtypes"], (json{{"a", "bf16"}, {"b", "bf16"}, {"d", "bf16"}}));
  EXPECT_EQ(kernel["bytes_read"], 67108864);
  EXPECT_EQ(kernel["bytes_written"], 33554432);
  EXPECT_EQ(kernel["bytes"], 100663296);
  EXPECT_EQ(kernel["flops"], 137438953472);
  EXPECT_EQ(kernel["work"]["matmul_flops"], (json{{"bf16", 137438953472}}));
  EXPECT_EQ(kernel["operands"]["d"], (json{{"read", 0}, {"written", 33554432}}));
  EXPECT_NEAR(kernel["intensity_flop_per_byte"], 4096.0 / 3, 1e-9);
  EXPECT_NEAR(kernel["ridge_flop_per_byte"], 989.4 / 3.35, 1e-9);
  EXPECT_NEAR(kernel["resource_time_s"]["dram"], 100663296 / 3.35e12, 1e-15);
  EXPECT_NEAR(kernel["time_floor_s"], 137438953472 / 989.4e12, 1e-15);
  EXPECT_EQ(kernel["limiter"], "tensor:bf16");
  EXPECT_EQ(kernel["side"], "compute");
  EXPECT_EQ(kernel["bound"], "compute");
  EXPECT_EQ(kernel["balanced"], false);
  EXPECT_EQ(kernel["confidence"], "floor");
}

TEST(Json, HasEveryKeyOfTheContract) {
  Kernel kernel = hand_made::square_gemm(4096);
  kernel.time = Seconds(200e-6);
  kernel.timing = Timing::kernel;
  auto script = one(kernel);
  script.launch_cost = Seconds(5e-6);
  const auto result = parsed(script);
  const auto expect_keys = [](const json& object, const std::vector<std::string>& keys) {
    for (const auto& key : keys) EXPECT_TRUE(object.contains(key)) << key;
  };
  expect_keys(result, {"schema", "tool", "flop_convention", "gpu", "kernels", "sequence", "totals",
                       "coverage"});
  expect_keys(result["kernels"][0], {"name",
                                     "op",
                                     "source",
                                     "launches",
                                     "bytes_read",
                                     "bytes_written",
                                     "bytes",
                                     "flops",
                                     "work",
                                     "operands",
                                     "intensity_flop_per_byte",
                                     "pipe",
                                     "ridge_flop_per_byte",
                                     "resource_time_s",
                                     "time_floor_s",
                                     "limiter",
                                     "side",
                                     "bound",
                                     "balanced",
                                     "confidence",
                                     "measured",
                                     "levers",
                                     "notes"});
  expect_keys(result["kernels"][0]["work"], {"matmul_flops", "vector_flops", "sfu_ops", "int_ops"});
  expect_keys(result["kernels"][0]["measured"],
              {"time_s", "timing", "samples", "fraction_of_ceiling", "status", "causes"});
  expect_keys(result["kernels"][0]["levers"][0], {"code", "text", "saves_up_to_s"});
  expect_keys(result["kernels"][0]["notes"][0], {"code", "text"});
  expect_keys(result["gpu"], {"id", "name", "ceilings"});
  expect_keys(result["gpu"]["ceilings"][0], {"resource", "kind", "value", "unit", "source"});
  expect_keys(result["sequence"],
              {"makespan_s", "gpu_busy", "launch_time_s", "bound", "as_graph_s"});
  expect_keys(result["totals"], {"time_floor_s", "launches"});
  expect_keys(result["coverage"], {"kernels", "matched", "lost"});
}

TEST(Json, CeilingsSayTheirSourcesClockAndFlags) {
  const auto ceilings = parsed(one(hand_made::square_gemm(64)))["gpu"]["ceilings"];
  EXPECT_EQ(ceilings[0], (json{{"resource", "dram"},
                               {"kind", "datasheet"},
                               {"value", 3350000000000},
                               {"unit", "B/s"},
                               {"source", "h100-ds"},
                               {"sources", {"h100-ds", "h100-wp"}}}));
  const auto lower = std::find_if(ceilings.begin(), ceilings.end(),
                                  [](const json& c) { return c.contains("mma_sync"); });
  ASSERT_NE(lower, ceilings.end());
  EXPECT_EQ((*lower)["value"], 659600000000000);
  EXPECT_EQ((*lower)["clock_hz"], 1830000000);
  EXPECT_EQ((*lower)["flags"], json{"derived"});
}

TEST(Json, WhatIsNotKnownIsAbsent) {
  const auto kernel = parsed(one(hand_made::copy(1 << 20)))["kernels"][0];
  for (const char* key :
       {"op", "source", "params", "pipe", "ridge_flop_per_byte", "measured", "attainable_time_s",
        "margin", "tile", "point", "facts", "launch_floor_s"})
    EXPECT_FALSE(kernel.contains(key)) << key;
  EXPECT_EQ(kernel["intensity_flop_per_byte"], 0);
}

TEST(Json, FactsThatAreIntegersAreNumbers) {
  Kernel kernel = hand_made::square_gemm(64);
  kernel.work.fact("visible_pairs", Count(1234))
      .fact("layout", "padded")
      .fact("big", Count(1LL << 60));
  const auto row = parsed(one(kernel))["kernels"][0];
  EXPECT_EQ(row["facts"],
            (json{{"visible_pairs", 1234}, {"layout", "padded"}, {"big", 1LL << 60}}));
  EXPECT_EQ(row["exact"]["facts"]["big"], "1152921504606846976");
}

TEST(Json, SequenceOfTwentySmallKernels) {
  // 20 kernels of 3 us with 5 us launches: 103 us, GPU busy 58 % (docs/model.md, "Sequences").
  Kernel kernel = hand_made::copy(1024);
  kernel.time = Seconds(3e-6);
  kernel.repeat = 20;
  auto script = one(kernel);
  script.launch_cost = Seconds(5e-6);
  const auto sequence = parsed(script)["sequence"];
  EXPECT_NEAR(sequence["makespan_s"], 103e-6, 1e-12);
  EXPECT_NEAR(sequence["gpu_busy"], 60.0 / 103, 1e-9);
  EXPECT_NEAR(sequence["serial_s"], 160e-6, 1e-12);
  EXPECT_NEAR(sequence["as_graph_s"], 65e-6, 1e-12);
}

Script swept(std::size_t points, std::size_t kernels) {
  Script script;
  script.swept = {"N"};
  for (std::size_t i = 0; i < points; ++i) {
    const Count n = Count(static_cast<long long>(64 * (i + 1)));
    script.points.emplace_back(kernels, hand_made::square_gemm(n));
    script.bindings.push_back({{"N", n}});
  }
  return script;
}

TEST(Json, SweepOfOneKernelHasItsPointInEveryRowAndNoTotals) {
  const auto result = parsed(swept(3, 1));
  ASSERT_EQ(result["kernels"].size(), 3u);
  EXPECT_EQ(result["kernels"][2]["point"], (json{{"N", 192}}));
  for (const char* key : {"points", "totals", "sequence"})
    EXPECT_FALSE(result.contains(key)) << key;
}

TEST(Json, SweepOfSeveralKernelsHasTotalsPerPoint) {
  const auto result = parsed(swept(3, 2));
  ASSERT_EQ(result["kernels"].size(), 6u);
  ASSERT_EQ(result["points"].size(), 3u);
  EXPECT_EQ(result["points"][1]["point"], (json{{"N", 128}}));
  EXPECT_EQ(result["points"][1]["totals"]["flops"], 2 * 2 * 128 * 128 * 128);
  EXPECT_FALSE(result.contains("totals"));
  EXPECT_EQ(result["coverage"]["kernels"], 6);
}

TEST(Json, SeveralGpusAreResultsInAnArray) {
  auto script = swept(2, 2);
  script.gpus.push_back(hand_made::h100());
  script.gpus.back().id = "other";
  const auto result = parsed(script);
  EXPECT_EQ(result["schema"], "roofline.result/1");
  ASSERT_EQ(result["results"].size(), 2u);
  for (const auto& each : result["results"]) {
    EXPECT_EQ(each["schema"], "roofline.result/1");
    EXPECT_EQ(each["kernels"].size(), 4u);
    EXPECT_EQ(each["points"].size(), 2u);
  }
  EXPECT_EQ(result["results"][1]["gpu"]["id"], "other");
}

TEST(Json, IsWrittenInPiecesOfBoundedSize) {
  const auto script = swept(2000, 1);
  std::size_t largest = 0, total = 0;
  const auto text = script.write([&](TextSink sink, const ReportOptions& options) {
    return make_json(
        [&, sink](std::string_view piece) {
          largest = std::max(largest, piece.size());
          total += piece.size();
          sink(piece);
        },
        options);
  });
  EXPECT_GT(total, 1'000'000u);
  EXPECT_LT(largest, 80'000u);
  EXPECT_EQ(json::parse(text)["kernels"].size(), 2000u);
}

TEST(JsonLines, RowsThenOneSummaryPerGpu) {
  auto script = swept(3, 1);
  script.gpus.push_back(hand_made::h100());
  const auto rows = lines(script);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[0]["gpu"], "h100-sxm5-80gb");
  EXPECT_EQ(rows[0]["point"], (json{{"N", 64}}));
  EXPECT_FALSE(rows[0].contains("levers"));
  EXPECT_EQ(rows[3]["summary"]["schema"], "roofline.result/1");
  EXPECT_EQ(rows[3]["summary"]["rows"], 3);
  EXPECT_EQ(rows[7]["summary"]["points"], 3);
}

TEST(JsonLines, APointOfSeveralKernelsHasItsOwnSummary) {
  const auto rows = lines(swept(2, 2));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[2]["point_summary"]["point"], (json{{"N", 64}}));
  EXPECT_EQ(rows[2]["point_summary"]["totals"]["launches"], 2);
}

TEST(JsonLines, RowsBeforeAnErrorStand) {
  std::string text;
  {
    const auto writer = make_jsonl([&text](std::string_view piece) { text += piece; }, {});
    const auto gpu = hand_made::h100();
    const Ceilings ceilings(gpu);
    const auto kernel = hand_made::square_gemm(64);
    writer->begin();
    writer->begin_gpu({.ceilings = &ceilings});
    writer->kernel({.kernel = &kernel, .verdict = judge(kernel, ceilings).value()});
  }  // no end(): a later point failed
  EXPECT_EQ(json::parse(text)["name"], "qkv");
}

TEST(ErrorJson, OneObjectALineWithItsPlace) {
  const Error errors[] = {{Code::unknown_key,
                           {.file = "a.yaml", .line = 7, .column = 3, .length = 4},
                           "unknown key",
                           "help",
                           "note"},
                          {Code::no_gpu, {}, "no GPU", "", ""}};
  std::istringstream text(errors_as_json(errors));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(json::parse(line), (json{{"schema", "roofline.error/1"},
                                     {"code", "RF2003"},
                                     {"exit_code", 2},
                                     {"message", "unknown key"},
                                     {"file", "a.yaml"},
                                     {"line", 7},
                                     {"column", 3},
                                     {"length", 4},
                                     {"help", "help"},
                                     {"note", "note"}}));
  std::getline(text, line);
  EXPECT_EQ(json::parse(line).count("file"), 0u);
  EXPECT_EQ(json::parse(line)["code"], "RF3006");
}

}  // namespace
}  // namespace roofline
