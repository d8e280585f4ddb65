// SIMULATED CUPTI, the profiler's target side: real parameter structs, launches recorded as ranges,
// values from a file.
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "profiler.hpp"
#include "state.hpp"

namespace roofline::sim {
namespace {

struct Profiler {
  std::mutex mutex;
  std::uint32_t context = 0;  ///< CUPTI's number; 0: none is attached
  std::atomic<bool> running{false};
  CounterImage image{nullptr};
  std::size_t most = 0;
  std::vector<std::string> launched;
};
Profiler& profiler() {
  static auto* const the_profiler = new Profiler;
  return *the_profiler;
}
std::atomic<int> initialised{0};  ///< 1: yes, -1: failed

using Values = std::map<std::string, double, std::less<>>;
const Values& values() {
  // Never destroyed: the plug-in asks while the program exits.
  static const Values& read = *new Values([] {
    Values values;
    std::ifstream file(text_setting("SIMCUPTI_COUNTERS"));
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      std::string kernel, metric;
      double value = 0;
      if (fields >> kernel >> metric >> value) values[kernel + ' ' + metric] = value;
    }
    return values;
  }());
  return read;
}

}  // namespace

double simulated_value(std::string_view kernel, std::string_view metric) {
  for (const auto who : {kernel, std::string_view("*")}) {
    const auto found = values().find(std::string(who) + ' ' + std::string(metric));
    if (found != values().end()) return found->second;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void count_launch(const char* name, std::uint32_t context) {
  auto& p = profiler();
  if (!p.running) return;
  if (text_setting("SIMCUPTI_HANG_IN") == name)
    for (;;) pause();
  const std::lock_guard lock(p.mutex);
  if (context != p.context) return;
  p.launched.emplace_back(name);
  if (number_setting("SIMCUPTI_EXTRA_RANGES", 0)) p.launched.emplace_back("another");
}

void must_be_initialised() {
  if (initialised == 1) return;
  std::fputs(
      "simcupti: a profiler call without a successful cuptiProfilerInitialize; the real library "
      "crashes here\n",
      stderr);
  std::abort();
}

}  // namespace roofline::sim

using roofline::sim::failure;
using roofline::sim::must_be_initialised;
using roofline::sim::profiler;

extern "C" {

CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  const auto failed = failure("cuptiProfilerInitialize");
  roofline::sim::initialised = failed ? -1 : 1;
  return failed;
}

CUptiResult CUPTIAPI cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  must_be_initialised();
  const auto level = [](const char* what) {
    return roofline::sim::text_setting("SIMCUPTI_UNSUPPORTED") == what
               ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
               : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  p->architecture = level("architecture");
  p->sli = level("sli");
  p->vGpu = level("vGpu");
  p->confidentialCompute = level("confidentialCompute");
  p->cmp = level("cmp");
  p->wsl = level("wsl");
  p->isSupported = roofline::sim::text_setting("SIMCUPTI_UNSUPPORTED").empty()
                       ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED
                       : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  must_be_initialised();
  static const auto& chip = *new std::string(roofline::sim::text_setting("SIMCUPTI_CHIP", "GH100"));
  p->pChipName = chip.c_str();
  return failure("cuptiDeviceGetChipName");
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  must_be_initialised();
  if (const auto failed = failure("cuptiRangeProfilerEnable"); failed) return failed;
  const std::lock_guard lock(profiler().mutex);
  if (profiler().context != 0) return CUPTI_ERROR_INVALID_OPERATION;  // one context at a time
  profiler().context = roofline::sim::driver()->context_numbers(p->ctx).context;
  p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&profiler());
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  const std::lock_guard lock(profiler().mutex);
  profiler().context = 0;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  must_be_initialised();
  p->counterDataSize = roofline::sim::CounterImage::bytes(p->maxNumOfRanges);
  return failure("cuptiRangeProfilerGetCounterDataSize");
}

CUptiResult CUPTIAPI cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  roofline::sim::CounterImage(p->pCounterData).initialize(p->counterDataSize);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  if (const auto failed = failure("cuptiRangeProfilerSetConfig"); failed) return failed;
  if (p->range != CUPTI_AutoRange || p->replayMode != CUPTI_KernelReplay ||
      p->numNestingLevels != 1)
    return CUPTI_ERROR_INVALID_PARAMETER;
  profiler().image = roofline::sim::CounterImage(p->pCounterDataImage);
  profiler().most = p->maxRangesPerPass;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  if (const auto failed = failure("cuptiRangeProfilerStart"); failed) return failed;
  if (profiler().running.exchange(true)) return CUPTI_ERROR_INVALID_OPERATION;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  profiler().running = false;
  p->isAllPassSubmitted = 1;
  return failure("cuptiRangeProfilerStop");
}

CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  const std::lock_guard lock(profiler().mutex);
  p->numOfRangeDropped = 0;
  for (const auto& name : profiler().launched)
    if (!profiler().image.add(name)) ++p->numOfRangeDropped;
  profiler().launched.clear();
  return failure("cuptiRangeProfilerDecodeData");
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  p->numTotalRanges =
      roofline::sim::CounterImage(const_cast<std::uint8_t*>(p->pCounterDataImage)).size();
  return CUPTI_SUCCESS;
}

}  // extern "C"
