#include "profile/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "roofline/kernel/time_samples.hpp"

namespace roofline {
namespace {

TEST(Timeline, CountsSharedTimeOnce) {
  Timeline timeline;
  timeline.kernel(0, 0, 100, 200);
  timeline.kernel(0, 0, 150, 250);  // another stream
  timeline.copy(0, 0, 240, 300);
  timeline.kernel(0, 0, 400, 500);
  const auto& device = timeline.finish().at(0);
  EXPECT_EQ(device.first, 100u);
  EXPECT_EQ(device.last, 500u);
  EXPECT_EQ(device.busy, 300u);     // 100..300, 400..500
  EXPECT_EQ(device.kernels, 250u);  // 100..250, 400..500
  EXPECT_EQ(device.idle_launching, 0u);
}

TEST(Timeline, IdleTimeIsLaunchingUnlessTheProfilerTookIt) {
  Timeline timeline;
  timeline.kernel(0, 0, 1000, 1100);
  timeline.kernel(0, 0, 1300, 1400);  // idle 1100..1300
  timeline.launching(1050, 1200);     // 100 of it inside
  timeline.launching(1150, 1250);     // a second thread: 50 more
  timeline.profiler(1180, 1220);      // takes 40 of them away
  const auto& device = timeline.finish().at(0);
  EXPECT_EQ(device.idle_launching, 110u);
  EXPECT_EQ(device.idle_profiler, 40u);
}

TEST(Timeline, DevicesAreApart) {
  Timeline timeline;
  timeline.launching(10, 90);
  timeline.kernel(0, 0, 100, 110);
  timeline.kernel(3, 0, 105, 115);
  timeline.launching(120, 160);
  timeline.kernel(0, 0, 200, 210);
  timeline.kernel(3, 0, 400, 410);
  const auto& devices = timeline.finish();
  EXPECT_EQ(devices.at(0).idle_launching, 40u);
  EXPECT_EQ(devices.at(3).idle_launching, 40u);
  EXPECT_EQ(devices.at(3).busy, 20u);
}

// Two streams, a copy and a collective:
//
//     stream 1   kernel 100..200            kernel 300..400
//     stream 2          kernel 150..250
//     stream 3                 copy 220..280
//     stream 4                                 collective 350..500
TEST(Timeline, WhatRunsBesideWhat) {
  Timeline timeline;
  timeline.kernel(0, 1, 100, 200);
  timeline.kernel(0, 2, 150, 250);
  timeline.copy(0, 3, 220, 280);
  timeline.kernel(0, 1, 300, 400);
  timeline.kernel(0, 4, 350, 500, true);
  const auto& sweep = timeline.finish().at(0).streams;
  using What = StreamSweep::What;
  EXPECT_EQ(sweep.overlapped(), 50u + 30u + 50u);  // 150..200, 220..250, 350..400
  EXPECT_EQ(sweep.of(What::kernel), 250u);         // 100..250, 300..400
  EXPECT_EQ(sweep.of(What::copy), 60u);
  EXPECT_EQ(sweep.exposed(What::copy), 30u);  // 250..280
  EXPECT_EQ(sweep.of(What::communication), 150u);
  EXPECT_EQ(sweep.exposed(What::communication), 100u);  // 400..500
  struct Row {
    std::uint64_t id, kernels, copies, busy, alone;
  };
  const Row kRows[] = {{1, 2, 0, 200, 100},   // 100..150, 300..350
                       {2, 1, 0, 100, 20},    // 200..220
                       {3, 0, 1, 60, 30},     // 250..280
                       {4, 1, 0, 150, 100}};  // 400..500
  ASSERT_EQ(sweep.streams().size(), std::size(kRows));
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const auto& stream = sweep.streams()[i];
    SCOPED_TRACE(kRows[i].id);
    EXPECT_EQ(stream.id, kRows[i].id);
    EXPECT_EQ(stream.kernels, kRows[i].kernels);
    EXPECT_EQ(stream.copies, kRows[i].copies);
    EXPECT_EQ(stream.busy, kRows[i].busy);
    EXPECT_EQ(stream.alone, kRows[i].alone);
  }
}

// Alone and overlapped time add up to the busy time, whatever overlaps; held against a count of
// every nanosecond.
TEST(Timeline, OverlapAgreesWithACountOfEachNanosecond) {
  constexpr std::size_t kLength = 2000, kStreams = 5;
  std::uint64_t state = 7;
  const auto next = [&](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 50; ++round) {
    Timeline timeline;
    std::vector<std::array<int, kStreams>> running(kLength, std::array<int, kStreams>{});
    std::vector<std::array<int, 3>> kinds(kLength, std::array<int, 3>{});
    for (int i = 0; i < 60; ++i) {
      const auto stream = next(kStreams), start = 1 + next(kLength - 200), what = next(3);
      const auto end = start + next(150);
      if (what == 1)
        timeline.copy(0, stream, start, end);
      else
        timeline.kernel(0, stream, start, end, what == 2);
      for (auto t = start; t < end; ++t) ++running[t][stream], ++kinds[t][what];
    }
    std::array<std::uint64_t, kStreams> alone{}, busy{};
    std::uint64_t overlapped = 0, copies = 0, exposed = 0, waiting = 0, waiting_exposed = 0;
    for (std::size_t t = 0; t < kLength; ++t) {
      const auto count =
          std::count_if(running[t].begin(), running[t].end(), [](int n) { return n > 0; });
      overlapped += count > 1;
      for (std::size_t s = 0; s < kStreams; ++s) {
        busy[s] += running[t][s] > 0;
        alone[s] += running[t][s] > 0 && count == 1;
      }
      copies += kinds[t][1] > 0;
      exposed += kinds[t][1] > 0 && kinds[t][0] == 0;
      waiting += kinds[t][2] > 0;
      waiting_exposed += kinds[t][2] > 0 && kinds[t][0] == 0;
    }
    const auto& sweep = timeline.finish().at(0).streams;
    using What = StreamSweep::What;
    EXPECT_EQ(sweep.overlapped(), overlapped);
    EXPECT_EQ(sweep.of(What::copy), copies);
    EXPECT_EQ(sweep.exposed(What::copy), exposed);
    EXPECT_EQ(sweep.of(What::communication), waiting);
    EXPECT_EQ(sweep.exposed(What::communication), waiting_exposed);
    for (const auto& stream : sweep.streams()) {
      EXPECT_EQ(stream.busy, busy[stream.id]);
      EXPECT_EQ(stream.alone, alone[stream.id]);
    }
  }
}

// Kernels of 10 us. In the middle ten of them wait 20 us each for a launch; before and after they
// follow one another.
TEST(Timeline, LaunchBoundStretches) {
  constexpr std::uint64_t kUs = 1000;
  Timeline timeline;
  std::uint64_t now = 1000 * kUs;
  const auto kernels = [&](int count, std::uint64_t gap) {
    for (int i = 0; i < count; ++i) {
      if (gap > 0) timeline.launching(now, now + gap);
      timeline.kernel(0, 0, now + gap, now + gap + 10 * kUs);
      now += gap + 10 * kUs;
    }
  };
  kernels(100, 0);
  const auto begin = now;
  kernels(10, 20 * kUs);
  kernels(100, 0);
  const auto stretches = timeline.finish().at(0).stretches.finish();
  ASSERT_EQ(stretches.size(), 1u);
  EXPECT_EQ(stretches[0].start, begin);
  EXPECT_EQ(stretches[0].end, begin + 9 * 30 * kUs + 20 * kUs);  // to the last wait's end
  EXPECT_EQ(stretches[0].idle, 200 * kUs);
  EXPECT_EQ(stretches[0].kernels, 10u);
}

TEST(Timeline, RecordsMayComeOutOfOrder) {
  Timeline timeline;
  for (std::uint64_t i = 200'000; i-- > 0;) {  // backwards in blocks of 1000, as buffers come
    const auto k = (i / 1000) * 1000 + (999 - i % 1000);
    const auto n = 199'999 - k;
    timeline.kernel(0, 0, 10 * n + 1, 10 * n + 6);
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
