// Samples of a device added up, by hand: an H100 with 132 SMs, samples of 1 ms.
#include "roofline/kernel/device_samples.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace roofline {
namespace {

TEST(DeviceSamples, MeansAreSumsOverTheTime) {
  DeviceSamples samples;
  samples.add(Seconds(1e-3), {{"dram__bytes_read.sum", 2e9},
                              {"dram__bytes_write.sum", 1e9},
                              {"lts__t_sectors.sum", 1e8},
                              {"sm__cycles_active.avg", 1e6},
                              {"gpc__cycles_elapsed.max", 2e6},
                              {"sm__pipe_tensor_cycles_active.sum", 66e6}});
  samples.add(Seconds(1e-3), {{"dram__bytes_read.sum", 0},
                              {"dram__bytes_write.sum", 0},
                              {"lts__t_sectors.sum", 0},
                              {"sm__cycles_active.avg", 0},
                              {"gpc__cycles_elapsed.max", 2e6},
                              {"sm__pipe_tensor_cycles_active.sum", 0}});
  const auto use = samples.use(132);
  EXPECT_DOUBLE_EQ(use.dram_read->value(), 1e12);
  EXPECT_DOUBLE_EQ(use.dram_written->value(), 0.5e12);
  EXPECT_DOUBLE_EQ(use.dram_busiest->value(), 3e12);
  EXPECT_DOUBLE_EQ(use.l2->value(), 1.6e12);
  EXPECT_DOUBLE_EQ(*use.sm_active, 0.25);
  EXPECT_DOUBLE_EQ(*use.tensor_active, 0.125);  // 66e6 / (4e6 x 132)
}

TEST(DeviceSamples, WhatWasNotSampledIsAbsent) {
  DeviceSamples samples;
  samples.add(Seconds(1e-3), {{"dram__bytes_read.sum", std::numeric_limits<double>::quiet_NaN()},
                              {"gpc__cycles_elapsed.max", 2e6}});
  const auto use = samples.use(std::nullopt);
  EXPECT_FALSE(use.dram_read || use.dram_written || use.dram_busiest || use.l2 || use.sm_active ||
               use.tensor_active);
  EXPECT_EQ(samples.count, 1u);
}

}  // namespace
}  // namespace roofline
