#include "roofline/ingest/import_sink.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "roofline/base/pattern.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/collect.hpp"

namespace roofline {
namespace {

constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();

Checked<Profiled> read(ImportSink& sink, const Pattern* ranges = nullptr) {
  const CaptureSource source{"made.json", std::make_shared<const std::string>(sink.finish())};
  return read_profile(std::span(&source, 1), ranges);
}

Operation product(std::uint64_t rows) {
  return {"aten::mm", {{"float", {}, true, {rows, 64}, {}}, {"float", {}, true, {64, 8}, {}}}, {}};
}

capture::Launch launch(std::uint64_t shape, std::uint64_t start, std::uint64_t end) {
  capture::Launch one;
  one.shape = shape;
  one.start = start;
  one.end = end;
  return one;
}

capture::Api call(std::uint64_t correlation, std::uint64_t start, std::uint64_t thread = 1) {
  return {1,          0,     static_cast<std::uint64_t>(capture::ApiRole::kernel_launch),
          thread,     start, start + 5,
          correlation};
}

const ProfiledKernel* kernel_for(const Profiled& profile,
                                 const std::optional<Operation>& operation) {
  for (const auto& kernel : profile.kernels)
    if (kernel.operation == operation) return &kernel;
  return nullptr;
}

TEST(ImportSink, KeepsOperationsOfOneKernelApart) {
  ImportSink sink;
  sink.format("made");
  const auto shape = sink.shape("void gemm<float>(int)", {8, 1, 1}, {128, 1, 1});
  for (const auto rows : {16u, 32u, 16u}) {
    auto one = launch(shape, 1000 + rows, 1000 + 3 * rows);
    one.operation = sink.operation(product(rows));
    sink.add(one);
  }
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->kernels.size(), 2u);  // and none for the launches without one
  const auto* small = kernel_for(*profile, product(16));
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->launches, 2u);
  EXPECT_EQ(small->operation_starts, 2u);
  EXPECT_EQ(small->name, "gemm");
  EXPECT_DOUBLE_EQ(small->time().value(), 2 * 32e-9);
  EXPECT_EQ(kernel_for(*profile, product(32))->launches, 1u);
}

TEST(ImportSink, CountsExecutionsByTheirFirstKernel) {
  ImportSink sink;
  sink.format("made");
  const auto main = sink.shape("slices", {8, 1, 1}), sum = sink.shape("reduce", {1, 1, 1});
  for (std::uint64_t i = 0; i < 3; ++i) {
    auto first = launch(main, 1000 * (i + 1), 1000 * (i + 1) + 100);
    first.operation = sink.operation(product(16));
    auto second = launch(sum, 1000 * (i + 1) + 200, 1000 * (i + 1) + 230);
    second.operation = first.operation;
    second.part = 1;
    sink.add(first);
    sink.add(second);
  }
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->kernels.size(), 2u);
  EXPECT_EQ(profile->kernels[0].name, "slices");
  EXPECT_EQ(profile->kernels[0].operation_starts, 3u);
  EXPECT_EQ(profile->kernels[1].operation_starts, 0u);
}

TEST(ImportSink, PutsEventsInOrderAndGapsInPlace) {
  ImportSink sink;
  sink.format("made");
  const auto shape = sink.shape("k");
  sink.add(launch(shape, 3000, 4000));  // given out of order
  sink.add(launch(shape, 1000, 2000));
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->activity.size(), 1u);
  EXPECT_DOUBLE_EQ(profile->activity[0].span.value(), 3000e-9);
  EXPECT_DOUBLE_EQ(profile->activity[0].idle().value(), 1000e-9);
}

TEST(ImportSink, SumsAreNoLaunches) {
  ImportSink sink;
  sink.format("made");
  capture::Summary sums;
  sums.shape = sink.shape("k");
  sums.launches = 4;
  sums.seconds = {8e-6, kNotTold, kNotTold, 1e-6, 3e-6};
  sink.add(sums);
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches(), 4u);
  EXPECT_DOUBLE_EQ(profile->kernel_time().value(), 8e-6);
  EXPECT_DOUBLE_EQ(profile->kernels[0].typical_time().value(),
                   2e-6);  // the mean: no median is told
  EXPECT_TRUE(profile->activity.empty());
}

TEST(ImportSink, ReplayedLaunchesHaveTimesAndNoSequence) {
  ImportSink sink;
  sink.format("made");
  sink.replayed();
  const auto shape = sink.shape("k");
  sink.add(launch(shape, 1, 501));
  sink.add(launch(shape, 1, 701));
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  EXPECT_DOUBLE_EQ(profile->kernels[0].typical_time().value(), 600e-9);
  EXPECT_TRUE(profile->activity.empty());
}

TEST(ImportSink, SaysWhereAFileEnds) {
  ImportSink sink;
  sink.format("made");
  sink.add(launch(sink.shape("k"), 1000, 2000));
  sink.truncated("after event 12");
  const auto profile = read(sink);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->processes[0].cut, "after event 12");
  EXPECT_FALSE(profile->complete);
  EXPECT_EQ(profile->launches(), 1u);
}

/// Two steps on thread 1; the launches of the second come from thread 2.
class Ranges : public testing::Test {
 protected:
  Ranges() {
    sink_.format("made");
    const auto shape = sink_.shape("k");
    const auto range = [&](const char* name, std::uint64_t start, std::uint64_t end) {
      capture::Range one;
      one.name = sink_.text(name);
      one.thread = 1;
      one.start = start;
      one.end = end;
      sink_.add(one);
    };
    range("ProfilerStep#1", 1000, 2000);
    range("ProfilerStep#2", 3000, 4000);
    const auto run = [&](std::uint64_t id, std::uint64_t called, std::uint64_t thread,
                         std::uint64_t start) {
      sink_.add(call(id, called, thread));
      auto one = launch(shape, start, start + 10);
      one.correlation = id;
      sink_.add(one);
    };
    run(1, 1500, 1, 1600);
    run(2, 1900, 1, 2500);  // launched in the first step, ran after it
    run(3, 3500, 2, 3600);
    run(4, 5000, 1, 5100);  // in none
  }
  ImportSink sink_;
};

TEST_F(Ranges, SelectByWhenTheLaunchWasAskedFor) {
  const auto names = Pattern::glob("ProfilerStep#1");
  const auto profile = read(sink_, &*names);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches(), 2u);
}
TEST_F(Ranges, SelectOnAnyThread) {
  const auto names = Pattern::glob("ProfilerStep#*");
  const auto profile = read(sink_, &*names);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->launches(), 3u);
}
TEST_F(Ranges, NamesAreShownWhereNoneFits) {
  const auto names = Pattern::glob("step");
  const auto profile = read(sink_, &*names);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().front().code, Code::unknown_name);
  EXPECT_NE(profile.error().front().hint.find("ProfilerStep#1"), std::string::npos);
}

}  // namespace
}  // namespace roofline
