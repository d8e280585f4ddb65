// SIMULATED CUPTI, PM sampling: one sample for each interval of the virtual clock, values from the
// file of counters.
#include <cupti_pmsampling.h>

#include <algorithm>

#include "profiler.hpp"
#include "state.hpp"

namespace roofline::sim {
namespace {

struct Sampler {
  std::uint64_t interval = 0, next = 0;
  bool running = false;
};
Sampler sampler;

}  // namespace
}  // namespace roofline::sim

using roofline::sim::CounterImage;
using roofline::sim::failure;
using roofline::sim::sampler;

extern "C" {

CUptiResult CUPTIAPI cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* p) {
  roofline::sim::must_be_initialised();
  p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(&sampler);
  return failure("cuptiPmSamplingEnable");
}

CUptiResult CUPTIAPI cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params*) {
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* p) {
  sampler.interval = p->samplingInterval;
  return failure("cuptiPmSamplingSetConfig");
}

CUptiResult CUPTIAPI
cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* p) {
  p->counterDataSize = CounterImage::bytes(p->maxSamples);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params* p) {
  CounterImage(p->pCounterData).initialize(p->counterDataSize);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPmSamplingStart(CUpti_PmSampling_Start_Params*) {
  if (const auto failed = failure("cuptiPmSamplingStart"); failed) return failed;
  sampler.next = roofline::sim::driver()->now();
  sampler.running = true;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params*) {
  sampler.running = false;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* p) {
  if (const auto failed = failure("cuptiPmSamplingDecodeData"); failed) return failed;
  CounterImage image(p->pCounterDataImage);
  const auto now = roofline::sim::driver()->now();
  p->overflow = roofline::sim::number_setting("SIMCUPTI_SAMPLES_OVERFLOW", 0) != 0;
  p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  for (; sampler.next + sampler.interval <= now; sampler.next += sampler.interval)
    if (!image.add("device", sampler.next, sampler.next + sampler.interval)) {
      p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
      break;
    }
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* p) {
  const CounterImage image(const_cast<std::uint8_t*>(p->pCounterDataImage));
  p->numTotalSamples = p->numPopulatedSamples = p->numCompletedSamples = image.size();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
  const CounterImage image(const_cast<std::uint8_t*>(p->pCounterDataImage));
  if (p->sampleIndex >= image.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  p->startTimestamp = image.entry(p->sampleIndex).start;
  p->endTimestamp = image.entry(p->sampleIndex).end;
  return CUPTI_SUCCESS;
}

}  // extern "C"
