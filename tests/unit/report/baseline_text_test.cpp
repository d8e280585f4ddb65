#include "report/baseline/text.hpp"

#include <gtest/gtest.h>

#include "report/baseline/page.hpp"

namespace roofline {
namespace {

BaselineEntry full_entry() {
  BaselineEntry entry;
  entry.id = "rms \"x\"\n<script>";
  entry.machine = {.gpu = "h100-sxm5-80gb", .mig = "1g.10gb", .power_limit_w = 700, .ecc = true};
  entry.method = "cupti-trace/1";
  entry.driver = "580.65";
  entry.cuda = "13.0";
  entry.name = "rms";
  entry.code_hash = "ab12";
  entry.grid = Extent{132, 1, 1};
  entry.block = Extent{256, 1, 1};
  entry.registers = 168;
  entry.launches = 50;
  entry.dram_bytes = 4.027e8;
  entry.reason = "fused, PR 88";
  entry.sessions = {{"2026-11-30", "1f2e3d4", 1.37e-4, 5, 0.0123},
                    {"2026-12-01", "", 1.38e-4, 1, 0}};
  return entry;
}

// The order of the keys and the digits are the format: a line that changes for another reason than
// its figures breaks merges.
TEST(BaselineText, OneLineWithItsKeysInOrder) {
  EXPECT_EQ(
      entry_line(full_entry()),
      R"({"id":"rms \"x\"\n<script>","gpu":"h100-sxm5-80gb","mig":"1g.10gb","power_limit_w":700,"ecc":true,)"
      R"("method":"cupti-trace/1","driver":"580.65","cuda":"13.0","name":"rms","code_hash":"ab12","grid":[132,1,1],)"
      R"("block":[256,1,1],"registers":168,"launches":50,"dram_bytes":402700000,"reason":"fused, PR 88",)"
      R"("sessions":[{"date":"2026-11-30","commit":"1f2e3d4","time_s":0.000137,"runs":5,"spread":0.0123},)"
      R"({"date":"2026-12-01","time_s":0.000138,"runs":1}]})");
}

TEST(BaselineText, WhatIsWrittenIsReadAgain) {
  const Baseline baseline{.file = "b.json", .entries = {full_entry()}};
  const auto text = baseline_text(baseline);
  const auto again = read_baseline(text, "b.json");
  ASSERT_TRUE(again) << format_errors(again.error(), false);
  ASSERT_EQ(again->entries.size(), 1U);
  EXPECT_EQ(again->entries[0].id, full_entry().id);
  EXPECT_EQ(again->entries[0].machine, full_entry().machine);
  EXPECT_EQ(again->entries[0].sessions[0].spread, 0.0123);
  EXPECT_TRUE(again->entries[0].unknown.empty());
  EXPECT_EQ(baseline_text(*again), text);
}

TEST(BaselineText, AnUnchangedLineKeepsItsBytes) {
  const std::string text =
      "{\"schema\":\"roofline.baseline/1\"}\n"
      "{ \"id\": \"a\", \"gpu\": \"h100\", \"new_key\": [1, 2], \"sessions\": [{\"date\": "
      "\"2026-11-30\", \"time_s\": 1e-4, \"runs\": 5}] }\n";
  const auto baseline = read_baseline(text, "b.json");
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline_text(*baseline), text);
}

struct AgeRow {
  const char *date, *today, *age;
};
TEST(BaselinePage, Ages) {
  constexpr AgeRow kRows[] = {
      {"2026-11-30", "2026-11-30", "today"},     {"2026-11-29", "2026-11-30", "1 day"},
      {"2026-11-27", "2026-11-30", "3 days"},    {"2026-10-26", "2026-11-30", "5 weeks"},
      {"2026-01-30", "2026-11-30", "10 months"}, {"2023-11-30", "2026-11-30", "3 years"},
      {"2026-12-05", "2026-11-30", "today"},     {"yesterday", "2026-11-30", ""},
      {"2026-13-77", "2026-11-30", ""},
  };
  for (const auto& row : kRows) EXPECT_EQ(age_text(row.date, row.today), row.age) << row.date;
}

TEST(BaselinePage, Changes) {
  EXPECT_EQ(change_text(0.06), "+6.0 %");
  EXPECT_EQ(change_text(-0.003), "-0.3 %");
  EXPECT_EQ(change_text(2.47), "+247 %");
}

}  // namespace
}  // namespace roofline
