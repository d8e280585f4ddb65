// SIMULATED CUPTI, the profiler's host side: questions about metrics and passes go to a real
// libcupti where SIMCUPTI_REAL names one, so that wrong names and wrong counts fail tests. Without
// it every name is taken.
#include <cupti_profiler_host.h>
#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "profiler.hpp"
#include "state.hpp"

namespace roofline::sim {
namespace {

void* real_library() {
  static void* const library = [] {
    const auto path = text_setting("SIMCUPTI_REAL");
    return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return library;
}

/// The real call, or null.
template <class Params>
auto real(const char* name) {
  using Call = CUptiResult (*)(Params*);
  return real_library() ? reinterpret_cast<Call>(dlsym(real_library(), name)) : nullptr;
}

/// Host object and configuration of the stand-in.
struct Host {
  std::vector<std::string> metrics;
};
constexpr char kConfigMark[] = "SIMULATED CONFIG";

}  // namespace
}  // namespace roofline::sim

using roofline::sim::failure;
using roofline::sim::Host;
using roofline::sim::real;

extern "C" {

CUptiResult CUPTIAPI cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  if (const auto failed = failure("cuptiProfilerHostInitialize"); failed) return failed;
  if (const auto call = real<CUpti_Profiler_Host_Initialize_Params>("cuptiProfilerHostInitialize"))
    return call(p);
  p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new Host);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  if (const auto call =
          real<CUpti_Profiler_Host_Deinitialize_Params>("cuptiProfilerHostDeinitialize"))
    return call(p);
  delete reinterpret_cast<Host*>(p->pHostObject);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* p) {
  if (roofline::sim::text_setting("SIMCUPTI_UNKNOWN_METRIC") == p->pMetricName)
    return CUPTI_ERROR_INVALID_METRIC_NAME;
  if (const auto call = real<CUpti_Profiler_Host_GetMetricProperties_Params>(
          "cuptiProfilerHostGetMetricProperties"))
    return call(p);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  if (const auto call =
          real<CUpti_Profiler_Host_ConfigAddMetrics_Params>("cuptiProfilerHostConfigAddMetrics"))
    return call(p);
  auto& host = *reinterpret_cast<Host*>(p->pHostObject);
  host.metrics.assign(p->ppMetricNames, p->ppMetricNames + p->numMetrics);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  if (const auto call = real<CUpti_Profiler_Host_GetConfigImageSize_Params>(
          "cuptiProfilerHostGetConfigImageSize"))
    return call(p);
  p->configImageSize = sizeof roofline::sim::kConfigMark + 1;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  if (const auto call =
          real<CUpti_Profiler_Host_GetConfigImage_Params>("cuptiProfilerHostGetConfigImage"))
    return call(p);
  const auto& metrics = reinterpret_cast<Host*>(p->pHostObject)->metrics;
  std::uint8_t passes = 1;
  for (const auto& metric : metrics)
    if (metric.find("__sass_") != metric.npos && !metric.ends_with(".peak_sustained")) passes = 2;
  std::memcpy(p->pConfigImage, roofline::sim::kConfigMark, sizeof roofline::sim::kConfigMark);
  p->pConfigImage[sizeof roofline::sim::kConfigMark] = passes;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  if (const auto call =
          real<CUpti_Profiler_Host_GetNumOfPasses_Params>("cuptiProfilerHostGetNumOfPasses")) {
    if (const auto failed = call(p)) return failed;
  } else {
    p->numOfPasses = p->pConfigImage[sizeof roofline::sim::kConfigMark];
  }
  p->numOfPasses += roofline::sim::number_setting("SIMCUPTI_EXTRA_PASSES", 0);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  if (const auto failed = failure("cuptiProfilerHostEvaluateToGpuValues"); failed) return failed;
  const roofline::sim::CounterImage image(const_cast<std::uint8_t*>(p->pCounterDataImage));
  if (!image.valid() || p->rangeIndex >= image.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  for (std::size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] =
        roofline::sim::simulated_value(image.name(p->rangeIndex), p->ppMetricNames[i]);
  return CUPTI_SUCCESS;
}

}  // extern "C"
