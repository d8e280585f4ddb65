#pragma once

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace roofline::profile::plugin {

/// The CUPTI calls that counting makes, found at run time. Parameter structs grow at their end: we
/// pass the size of the fields that our headers know, and newer libraries accept it.
struct ProfilerApi {
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiProfilerDeviceSupported) device_supported = nullptr;  ///< may be missing
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;

  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostGetMetricProperties) host_properties = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) host_add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) host_image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) host_image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) host_passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) host_evaluate = nullptr;

  decltype(&cuptiRangeProfilerEnable) range_enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) range_disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) range_data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) range_data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) range_set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) range_start = nullptr;
  decltype(&cuptiRangeProfilerStop) range_stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) range_decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) range_data_info = nullptr;

  decltype(&cuptiPmSamplingEnable) sampling_enable = nullptr;
  decltype(&cuptiPmSamplingDisable) sampling_disable = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataSize) sampling_data_size = nullptr;
  decltype(&cuptiPmSamplingCounterDataImageInitialize) sampling_data_initialize = nullptr;
  decltype(&cuptiPmSamplingSetConfig) sampling_set_config = nullptr;
  decltype(&cuptiPmSamplingStart) sampling_start = nullptr;
  decltype(&cuptiPmSamplingStop) sampling_stop = nullptr;
  decltype(&cuptiPmSamplingDecodeData) sampling_decode = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataInfo) sampling_data_info = nullptr;
  decltype(&cuptiPmSamplingCounterDataGetSampleInfo) sampling_sample_info = nullptr;
};

/// Each returns the name of the first call that the library lacks, or null. Range profiling came
/// with CUDA 12.6 Update 2, sampling with 12.6.
const char* load_range_profiler(void* library, ProfilerApi& api) noexcept;
const char* load_sampling(void* library, ProfilerApi& api) noexcept;

/// A parameter struct of size `size` (its macro), all other fields zero.
template <class Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}
#define ROOFLINE_PARAMS(type) \
  ::roofline::profile::plugin::sized<CUpti_##type##_Params>(CUpti_##type##_Params_STRUCT_SIZE)

}  // namespace roofline::profile::plugin
