#include "profile/plugin/profiler_api.hpp"

#include <dlfcn.h>

namespace roofline::profile::plugin {
namespace {

template <class Function>
const char* load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function ? nullptr : name;
}

template <class... Results>
const char* first_missing(Results... results) {
  const char* missing = nullptr;
  ((missing = missing ? missing : results), ...);
  return missing;
}

/// What both need: the start, the chip, and the host's side.
const char* load_common(void* library, ProfilerApi& api) {
  load(library, "cuptiProfilerDeviceSupported", api.device_supported);
  return first_missing(load(library, "cuptiProfilerInitialize", api.initialize),
                       load(library, "cuptiDeviceGetChipName", api.chip_name),
                       load(library, "cuptiProfilerHostInitialize", api.host_initialize),
                       load(library, "cuptiProfilerHostDeinitialize", api.host_deinitialize),
                       load(library, "cuptiProfilerHostGetMetricProperties", api.host_properties),
                       load(library, "cuptiProfilerHostConfigAddMetrics", api.host_add_metrics),
                       load(library, "cuptiProfilerHostGetConfigImageSize", api.host_image_size),
                       load(library, "cuptiProfilerHostGetConfigImage", api.host_image),
                       load(library, "cuptiProfilerHostGetNumOfPasses", api.host_passes),
                       load(library, "cuptiProfilerHostEvaluateToGpuValues", api.host_evaluate));
}

}  // namespace

const char* load_range_profiler(void* library, ProfilerApi& api) noexcept {
  return first_missing(
      load_common(library, api), load(library, "cuptiRangeProfilerEnable", api.range_enable),
      load(library, "cuptiRangeProfilerDisable", api.range_disable),
      load(library, "cuptiRangeProfilerGetCounterDataSize", api.range_data_size),
      load(library, "cuptiRangeProfilerCounterDataImageInitialize", api.range_data_initialize),
      load(library, "cuptiRangeProfilerSetConfig", api.range_set_config),
      load(library, "cuptiRangeProfilerStart", api.range_start),
      load(library, "cuptiRangeProfilerStop", api.range_stop),
      load(library, "cuptiRangeProfilerDecodeData", api.range_decode),
      load(library, "cuptiRangeProfilerGetCounterDataInfo", api.range_data_info));
}

const char* load_sampling(void* library, ProfilerApi& api) noexcept {
  return first_missing(
      load_common(library, api), load(library, "cuptiPmSamplingEnable", api.sampling_enable),
      load(library, "cuptiPmSamplingDisable", api.sampling_disable),
      load(library, "cuptiPmSamplingGetCounterDataSize", api.sampling_data_size),
      load(library, "cuptiPmSamplingCounterDataImageInitialize", api.sampling_data_initialize),
      load(library, "cuptiPmSamplingSetConfig", api.sampling_set_config),
      load(library, "cuptiPmSamplingStart", api.sampling_start),
      load(library, "cuptiPmSamplingStop", api.sampling_stop),
      load(library, "cuptiPmSamplingDecodeData", api.sampling_decode),
      load(library, "cuptiPmSamplingGetCounterDataInfo", api.sampling_data_info),
      load(library, "cuptiPmSamplingCounterDataGetSampleInfo", api.sampling_sample_info));
}

}  // namespace roofline::profile::plugin
