#include "roofline/analysis/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace roofline {
namespace {

ResultKernel kernel(const std::string& id, std::vector<double> runs, const std::string& hash = {}, int launches = 10) {
  ResultKernel made;
  made.id = made.name = id;
  made.code_hash = hash;
  made.measured.emplace();
  for (const double run : runs) made.measured->runs.push_back({.launches = launches, .median = Seconds(run)});
  return made;
}

ResultRecord result(std::vector<ResultKernel> kernels, const std::string& gpu = "h100") {
  ResultRecord record;
  record.file = "r.json";
  record.gpu.id = gpu;
  record.environment.emplace();
  record.environment->method = "cupti-trace/1";
  record.kernels = std::move(kernels);
  return record;
}

std::vector<double> around(double centre) { return {centre * 0.995, centre * 1.005, centre, centre * 1.002, centre * 0.998}; }

ChangeVerdict verdict_of(const Comparison& comparison, const std::string& id) {
  for (const auto& one : comparison.kernels)
    if (one.id == id) return one.verdict;
  ADD_FAILURE() << "no " << id;
  return ChangeVerdict::undecided;
}

struct Row {
  const char* name;
  double factor;
  const char *old_hash, *new_hash;
  ChangeVerdict verdict;
};
constexpr Row kRows[] = {
    {"slower", 1.10, "a", "b", ChangeVerdict::slower},
    {"slower_of_unknown_code", 1.10, "", "", ChangeVerdict::slower},
    {"slower_with_the_same_code_is_the_machine", 1.10, "a", "a", ChangeVerdict::undecided},
    {"faster", 0.9, "a", "b", ChangeVerdict::faster},
    {"same", 1.0, "a", "b", ChangeVerdict::same},
    {"a_bit_slower", 1.02, "a", "b", ChangeVerdict::bit_slower},
    {"a_bit_faster", 0.98, "a", "b", ChangeVerdict::bit_faster},
    {"at_the_limit", 1.05, "a", "b", ChangeVerdict::undecided},
};
class CompareResults : public ::testing::TestWithParam<Row> {};
TEST_P(CompareResults, Verdict) {
  const auto& row = GetParam();
  const auto comparison = compare_results(result({kernel("k", around(1e-4), row.old_hash)}),
                                          result({kernel("k", around(1e-4 * row.factor), row.new_hash)}), {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(name_of(verdict_of(*comparison, "k")), name_of(row.verdict));
  EXPECT_NEAR(*comparison->total_change, row.factor - 1, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Rows, CompareResults, ::testing::ValuesIn(kRows), [](auto& i) { return i.param.name; });

TEST(CompareResults, GoneAndNewAreSaidAndCounted) {
  const auto comparison = compare_results(result({kernel("a", around(1e-4)), kernel("old", around(3e-4))}),
                                          result({kernel("a", around(1e-4)), kernel("new", around(2e-4))}), {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(verdict_of(*comparison, "old"), ChangeVerdict::gone);
  EXPECT_EQ(verdict_of(*comparison, "new"), ChangeVerdict::added);
  EXPECT_TRUE(comparison->is_worse());
  // What lost most time first, what gained most last.
  std::vector<std::string> ids;
  for (const auto& change : comparison->kernels) ids.push_back(change.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"new", "a", "old"}));
  EXPECT_NEAR(comparison->kernels[0].lost_s(), 10 * 2e-4, 1e-9);  // of 10 launches
  EXPECT_NEAR(comparison->kernels[1].lost_s(), 0, 1e-12);
  EXPECT_NEAR(comparison->kernels[2].lost_s(), -10 * 3e-4, 1e-9);
  EXPECT_NEAR(*comparison->total_change, 3.0 / 4 - 1, 1e-9);
}

TEST(CompareResults, OneRunDecidesNothing) {
  const auto comparison = compare_results(result({kernel("a", {1e-4})}), result({kernel("a", {2e-4})}), {});
  EXPECT_EQ(verdict_of(*comparison, "a"), ChangeVerdict::undecided);
  EXPECT_EQ(comparison->kernels[0].why, "too few runs");
}

struct Refused {
  const char* name;
  void (*spoil)(ResultRecord&);
  Code code;
};
constexpr Refused kRefused[] = {
    {"other_gpu", [](ResultRecord& record) { record.gpu.id = "a100"; }, Code::not_comparable},
    {"other_power_limit", [](ResultRecord& record) { record.environment->power_limit_w = 500; }, Code::not_comparable},
    {"other_method", [](ResultRecord& record) { record.environment->method = "cupti-trace/2"; }, Code::not_comparable},
    {"cut_off", [](ResultRecord& record) { record.complete = false; }, Code::wrong_type},
    {"failed", [](ResultRecord& record) { record.program = ResultProgram{.command = "x", .runs = 1, .exit_code = 3, .signal = {}}; }, Code::wrong_type},
    {"empty", [](ResultRecord& record) { record.kernels.clear(); }, Code::wrong_type},
    {"not_measured", [](ResultRecord& record) { record.kernels[0].measured.reset(); }, Code::wrong_type},
};
class CompareRefused : public ::testing::TestWithParam<Refused> {};
TEST_P(CompareRefused, IsAnError) {
  auto spoiled = result({kernel("a", around(1e-4))});
  GetParam().spoil(spoiled);
  const auto comparison = compare_results(result({kernel("a", around(1e-4))}), spoiled, {});
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().front().code, GetParam().code);
}
INSTANTIATE_TEST_SUITE_P(Rows, CompareRefused, ::testing::ValuesIn(kRefused), [](auto& i) { return i.param.name; });

TEST(CompareResults, AcrossGpusThereIsNoVerdict) {
  const auto comparison = compare_results(result({kernel("a", around(1e-4))}), result({kernel("a", around(3e-4))}, "a100"), {.cross_gpu = true});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(verdict_of(*comparison, "a"), ChangeVerdict::other_gpu);
  EXPECT_FALSE(comparison->is_worse());
  EXPECT_FALSE(comparison->total_change);
}

TEST(CompareRounds, PairsCancelWhatDrifts) {
  std::vector<ResultRecord> old, fresh;
  for (int round = 0; round < 9; ++round) {
    const bool swapped = round % 2 == 1;
    const auto drift = [](int process) { return std::exp(0.01 * process); };
    old.push_back(result({kernel("a", {1e-4 * drift(2 * round + (swapped ? 1 : 0))}), kernel("b", {1e-5})}));
    fresh.push_back(result({kernel("a", {1.08e-4 * drift(2 * round + (swapped ? 0 : 1))}), kernel("b", {1e-5})}));
  }
  const auto comparison = compare_rounds(old, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(verdict_of(*comparison, "a"), ChangeVerdict::slower);
  EXPECT_EQ(verdict_of(*comparison, "b"), ChangeVerdict::same);
  EXPECT_EQ(more_rounds(*comparison), 0);
  EXPECT_GT(comparison->drift, 0.1);
  const auto five = compare_rounds(std::span(old).first(5), std::span(fresh).first(5), {});
  EXPECT_EQ(verdict_of(*five, "a"), ChangeVerdict::undecided);
  EXPECT_EQ(more_rounds(*five), 2);
}

TEST(CompareRounds, AKernelThatComesAndGoesIsUndecided) {
  std::vector<ResultRecord> old(5, result({kernel("a", {1e-4}), kernel("b", {1e-4})})), fresh = old;
  fresh[2].kernels.pop_back();
  const auto comparison = compare_rounds(old, fresh, {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(verdict_of(*comparison, "b"), ChangeVerdict::undecided);
}

TEST(KernelLabels, AreUnique) {
  auto record = result({kernel("gemm", {1e-4}), kernel("gemm", {1e-4}), kernel("gemm", {1e-4}), kernel("copy", {1e-4})});
  record.kernels[0].grid = Extent{132, 1, 1};
  record.kernels[1].grid = Extent{264, 1, 1};
  record.kernels[2].grid = Extent{264, 1, 1};
  const std::vector<std::string> expected = {"gemm 132x1x1", "gemm 264x1x1[1]", "gemm 264x1x1[2]", "copy"};
  EXPECT_EQ(kernel_labels(record), expected);
}

}  // namespace
}  // namespace roofline
