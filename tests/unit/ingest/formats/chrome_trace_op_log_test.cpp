#include "ingest/formats/chrome_trace_op_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace roofline {
namespace {

using Row = TraceOpLog::Row;

/// Rows are told apart by their content, which numbers them.
void expect_all_in_order(std::vector<Row> rows) {
  TraceOpLog log;
  for (const auto& row : rows) log.add(row);
  std::vector<Row> visited;
  EXPECT_TRUE(log.visit([&](const Row& row) { visited.push_back(row); }));
  ASSERT_EQ(visited.size(), rows.size());
  std::vector<bool> seen(rows.size());
  for (std::size_t i = 0; i < visited.size(); ++i) {
    const auto& row = visited[i];
    ASSERT_LT(row.content, rows.size());
    ASSERT_FALSE(seen[row.content]);
    seen[row.content] = true;
    const auto& given = rows[row.content];
    ASSERT_EQ(std::tie(row.start, row.end, row.thread, row.external),
              std::tie(given.start, given.end, given.thread, given.external));
    if (i == 0) continue;
    const auto& before = visited[i - 1];
    ASSERT_LE(std::tie(before.thread, before.start), std::tie(row.thread, row.start));
    if (before.thread == row.thread && before.start == row.start) {
      ASSERT_GE(before.end, row.end);
    }
  }
}

/// Most blocks lie in the temporary file, and every block overlaps every other.
TEST(TraceOpLog, GivesAllRowsByThreadAndTime) {
  constexpr auto kRows = TraceOpLog::kBlockRows * (TraceOpLog::kBlocksInMemory + 4) + 17;
  std::mt19937_64 random(7);
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const auto start = random() % 1'000'000;
    rows.push_back({start, start + random() % 100, static_cast<std::uint32_t>(random() % 5), i,
                    static_cast<std::uint32_t>(random())});
  }
  expect_all_in_order(rows);
}

TEST(TraceOpLog, InOrderAlready) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < TraceOpLog::kBlockRows * 6; ++i)
    rows.push_back({10 * i + 1, 10 * i + 9, 1, i, i});
  expect_all_in_order(rows);
}

/// In whole microseconds: the caller has the smaller id, in whatever order the file tells them.
TEST(TraceOpLog, OfOneTimeByTheirIds) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < 5; ++i) rows.push_back({10, 20, 1, i, 100 + i});
  std::vector<std::uint32_t> order = {3, 0, 4, 1, 2};
  TraceOpLog log;
  for (const auto i : order) log.add(rows[i]);
  std::vector<std::uint32_t> visited;
  EXPECT_TRUE(log.visit([&](const Row& row) { visited.push_back(row.external); }));
  EXPECT_EQ(visited, (std::vector<std::uint32_t>{100, 101, 102, 103, 104}));
}

TEST(TraceOpLog, Empty) {
  TraceOpLog log;
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(log.visit([](const Row&) { ADD_FAILURE(); }));
}

}  // namespace
}  // namespace roofline
