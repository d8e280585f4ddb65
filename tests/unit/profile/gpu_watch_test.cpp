#include "roofline/profile/gpu_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace roofline::profile {
namespace {

// A management library with two GPUs; the second one is asked for by its UUID.
int first_gpu, second_gpu;
std::atomic<int> asked{0};

nvml::Handle handle(int& gpu) { return reinterpret_cast<nvml::Handle>(&gpu); }

nvml::Api made_library() {
  nvml::Api api;
  api.driver_version = [](char* text, unsigned size) {
    std::snprintf(text, size, "580.65.06");
    return 0;
  };
  api.device_count = [](unsigned* count) {
    *count = 2;
    return 0;
  };
  api.by_index = [](unsigned index, nvml::Handle* device) {
    *device = handle(index == 0 ? first_gpu : second_gpu);
    return 0;
  };
  api.by_uuid = [](const char* uuid, nvml::Handle* device) {
    if (std::string(uuid) != "GPU-2") return 6;
    *device = handle(second_gpu);
    return 0;
  };
  api.by_pci_bus = [](const char*, nvml::Handle*) { return 6; };
  api.power_limit_mw = [](nvml::Handle, unsigned* milliwatts) {
    *milliwatts = 700'000;
    return 0;
  };
  api.clock_mhz = [](nvml::Handle device, int, unsigned* megahertz) {
    *megahertz = device == handle(second_gpu) ? 1740 : 345;
    return 0;
  };
  // Idle at first, then working, every other time under its power cap (4).
  api.throttle_reasons = [](nvml::Handle device, unsigned long long* reasons) {
    *reasons = 1;
    if (device != handle(second_gpu)) return 0;
    const int time = asked++;
    *reasons = time < 1 ? 1 : time % 2 == 0 ? 4 : 0;
    return 0;
  };
  api.processes = [](nvml::Handle, unsigned* count, nvml::ProcessInfo*) {
    *count = 0;
    return 0;
  };
  return api;
}

TEST(GpuWatch, SeesTheGpuThatTheProgramUsed) {
  asked = 0;
  GpuWatch watch([]() -> Result<nvml::Api> { return made_library(); });
  for (int wait = 0; wait < 500 && asked < 9; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto load = watch.stop("GPU-2");
  EXPECT_EQ(load.driver, "580.65.06");
  EXPECT_DOUBLE_EQ(load.power_limit_w.value_or(0), 700);
  EXPECT_DOUBLE_EQ(load.clock_median_mhz.value_or(0), 1740);
  EXPECT_EQ(load.other_processes.value_or(9), 0u);
  ASSERT_TRUE(load.throttled_share.has_value());
  EXPECT_GT(*load.throttled_share, 0.3);  // half of them, give or take the last
  EXPECT_LT(*load.throttled_share, 0.7);
}

TEST(GpuWatch, IdleSamplesAreNoClocks) {
  GpuWatch watch([]() -> Result<nvml::Api> { return made_library(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const auto load = watch.stop("");
  EXPECT_FALSE(load.clock_median_mhz.has_value());
  EXPECT_TRUE(load.power_limit_w.has_value());
}

TEST(GpuWatch, WithoutTheLibraryNothingIsKnown) {
  GpuWatch watch([]() -> Result<nvml::Api> { return fail(Code::no_device, {}, "libnvidia-ml.so.1 was not found"); });
  EXPECT_FALSE(watch.stop("").power_limit_w.has_value());
}

}  // namespace
}  // namespace roofline::profile
