#include "profile/timeline.hpp"

#include <gtest/gtest.h>

#include "roofline/kernel/time_samples.hpp"

namespace roofline {
namespace {

TEST(Timeline, CountsSharedTimeOnce) {
  Timeline timeline;
  timeline.kernel(0, 100, 200);
  timeline.kernel(0, 150, 250);  // another stream
  timeline.copy(0, 240, 300);
  timeline.kernel(0, 400, 500);
  const auto& device = timeline.finish().at(0);
  EXPECT_EQ(device.first, 100u);
  EXPECT_EQ(device.last, 500u);
  EXPECT_EQ(device.busy, 300u);     // 100..300, 400..500
  EXPECT_EQ(device.kernels, 250u);  // 100..250, 400..500
  EXPECT_EQ(device.idle_launching, 0u);
}

TEST(Timeline, IdleTimeIsLaunchingUnlessTheProfilerTookIt) {
  Timeline timeline;
  timeline.kernel(0, 1000, 1100);
  timeline.kernel(0, 1300, 1400);  // idle 1100..1300
  timeline.launching(1050, 1200);  // 100 of it inside
  timeline.launching(1150, 1250);  // a second thread: 50 more
  timeline.profiler(1180, 1220);   // takes 40 of them away
  const auto& device = timeline.finish().at(0);
  EXPECT_EQ(device.idle_launching, 110u);
  EXPECT_EQ(device.idle_profiler, 40u);
}

TEST(Timeline, DevicesAreApart) {
  Timeline timeline;
  timeline.launching(10, 90);
  timeline.kernel(0, 100, 110);
  timeline.kernel(3, 105, 115);
  timeline.launching(120, 160);
  timeline.kernel(0, 200, 210);
  timeline.kernel(3, 400, 410);
  const auto& devices = timeline.finish();
  EXPECT_EQ(devices.at(0).idle_launching, 40u);
  EXPECT_EQ(devices.at(3).idle_launching, 40u);
  EXPECT_EQ(devices.at(3).busy, 20u);
}

TEST(Timeline, RecordsMayComeOutOfOrder) {
  Timeline timeline;
  for (std::uint64_t i = 200'000; i-- > 0;) {  // backwards in blocks of 1000, as buffers come
    const auto k = (i / 1000) * 1000 + (999 - i % 1000);
    const auto n = 199'999 - k;
    timeline.kernel(0, 10 * n + 1, 10 * n + 6);
    timeline.launching(10 * n + 6, 10 * n + 8);
  }
  const auto& device = timeline.finish().at(0);
  EXPECT_EQ(device.busy, 1'000'000u);
  EXPECT_EQ(device.idle_launching, 2u * 199'999u);
}

TEST(TimeSamples, QuantilesOfFew) {
  TimeSamples samples;
  for (const std::uint64_t ns : {40u, 10u, 30u, 20u}) samples.add(ns);
  const auto s = samples.summary();
  EXPECT_DOUBLE_EQ(s.min.value(), 10e-9);
  EXPECT_DOUBLE_EQ(s.median.value(), 25e-9);
  EXPECT_DOUBLE_EQ(s.q1.value(), 10e-9);
  EXPECT_DOUBLE_EQ(s.q3.value(), 30e-9);
  EXPECT_DOUBLE_EQ(s.max.value(), 40e-9);
  EXPECT_DOUBLE_EQ(s.sum.value(), 100e-9);
  EXPECT_EQ(TimeSamples().summary().count, 0u);
}

TEST(TimeSamples, QuantilesOfManyAreWithinTheStatedError) {
  TimeSamples samples, halves[2];
  for (std::uint64_t i = 1; i <= 100'001; ++i) {
    const auto ns = 1000 + (i * 7919) % 100'001;  // a permutation of 1000..101000
    samples.add(ns);
    halves[i % 2].add(ns);
  }
  halves[0].add(halves[1]);
  for (const auto* all : {&samples, &halves[0]}) {
    EXPECT_FALSE(all->exact());
    const auto s = all->summary();
    EXPECT_EQ(s.count, 100'001u);
    EXPECT_NEAR(s.median.value() / 51'000e-9, 1, 0.0003);
    EXPECT_NEAR(s.q1.value() / 26'000e-9, 1, 0.0003);
    EXPECT_NEAR(s.q3.value() / 76'000e-9, 1, 0.0003);
    EXPECT_DOUBLE_EQ(s.min.value(), 1000e-9);
    EXPECT_DOUBLE_EQ(s.max.value(), 101'000e-9);
  }
}

}  // namespace
}  // namespace roofline
