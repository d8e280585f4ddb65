#include "profile/plugin/sampling.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "profile/plugin/counted_device.hpp"
#include "profile/plugin/message.hpp"
#include "profile/plugin/session.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

constexpr std::size_t kMostDevices = 64;
constexpr std::uint64_t kInterval =
    1'000'000;  // ns, or clocks of the system clock, which is near 1 GHz
constexpr std::uint32_t kSamplesPerDecode = 4096;
constexpr std::size_t kHardwareBuffer = std::size_t{64} << 20;

/// Chips before GA10x count clocks between samples; later ones time.
bool counts_clocks(const MetricFamily& family) {
  return family.compute_capability == "7.5" || family.compute_capability == "8.0";
}

std::optional<FailedCall> outcome(const char* call, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return std::nullopt;
  return FailedCall{call, result};
}

/// One device while it is sampled.
class Sampler {
 public:
  std::optional<FailedCall> start(const ProfilerApi& api, const CountedDevice& device,
                                  std::uint32_t ordinal);
  std::optional<FailedCall> stop(const ProfilerApi& api);
  /// Writes the samples that are complete.
  std::optional<FailedCall> take(Session& s, const ProfilerApi& api);
  std::size_t unknown_metrics() const { return set_.unknown_metrics(); }

 private:
  std::optional<FailedCall> fresh_image(const ProfilerApi& api);
  std::optional<FailedCall> write(Session& s, const ProfilerApi& api, std::size_t index);

  std::uint32_t ordinal_ = 0;
  CounterSet set_;
  CUpti_PmSampling_Object* object_ = nullptr;
  std::vector<std::uint8_t> image_;
  std::vector<double> values_;
};

std::optional<FailedCall> Sampler::fresh_image(const ProfilerApi& api) {
  auto fresh = ROOFLINE_PARAMS(PmSampling_CounterDataImage_Initialize);
  fresh.pPmSamplingObject = object_;
  fresh.counterDataSize = image_.size();
  fresh.pCounterData = image_.data();
  return outcome("cuptiPmSamplingCounterDataImageInitialize", api.sampling_data_initialize(&fresh));
}

std::optional<FailedCall> Sampler::start(const ProfilerApi& api, const CountedDevice& device,
                                         std::uint32_t ordinal) {
  ordinal_ = ordinal;
  const auto names = device.family().sampling;
  if (auto failed = CounterSet::prepare(api, device.chip(), CUPTI_PROFILER_TYPE_PM_SAMPLING,
                                        {names.begin(), names.end()}, set_))
    return failed;
  auto enable = ROOFLINE_PARAMS(PmSampling_Enable);
  enable.deviceIndex = ordinal;
  if (auto failed = outcome("cuptiPmSamplingEnable", api.sampling_enable(&enable))) return failed;
  object_ = enable.pPmSamplingObject;

  auto config = ROOFLINE_PARAMS(PmSampling_SetConfig);
  config.pPmSamplingObject = object_;
  config.configSize = set_.config().size();
  config.pConfig = set_.config().data();
  config.hardwareBufferSize = kHardwareBuffer;
  config.samplingInterval = kInterval;
  config.triggerMode = counts_clocks(device.family())
                           ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL
                           : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
#if CUPTI_API_VERSION >= 26  // CUDA 12.8; the structure of 12.6 has no such field
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
#endif
  if (auto failed = outcome("cuptiPmSamplingSetConfig", api.sampling_set_config(&config)))
    return failed;

  auto size = ROOFLINE_PARAMS(PmSampling_GetCounterDataSize);
  size.pPmSamplingObject = object_;
  size.pMetricNames =
      const_cast<const char**>(set_.metrics().data());  // read only; C has no better
  size.numMetrics = set_.metrics().size();
  size.maxSamples = kSamplesPerDecode;
  if (auto failed = outcome("cuptiPmSamplingGetCounterDataSize", api.sampling_data_size(&size)))
    return failed;
  image_.resize(size.counterDataSize);
  if (auto failed = fresh_image(api)) return failed;

  auto begin = ROOFLINE_PARAMS(PmSampling_Start);
  begin.pPmSamplingObject = object_;
  return outcome("cuptiPmSamplingStart", api.sampling_start(&begin));
}

std::optional<FailedCall> Sampler::write(Session& s, const ProfilerApi& api, std::size_t index) {
  auto info = ROOFLINE_PARAMS(PmSampling_CounterData_GetSampleInfo);
  info.pPmSamplingObject = object_;
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  info.sampleIndex = index;
  if (auto failed =
          outcome("cuptiPmSamplingCounterDataGetSampleInfo", api.sampling_sample_info(&info)))
    return failed;
  if (auto failed = set_.evaluate(api, image_, index, values_)) return failed;
  CaptureWriter::Batch batch(s.writer);
  capture::Sample sample;
  sample.device = ordinal_;
  sample.start = info.startTimestamp;
  sample.end = info.endTimestamp;
  for (const char* metric : set_.metrics()) sample.metrics.push_back(batch.text(metric));
  sample.values = values_;
  batch.put(sample);
  return std::nullopt;
}

std::optional<FailedCall> Sampler::take(Session& s, const ProfilerApi& api) {
  for (bool more = true; more;) {
    auto decode = ROOFLINE_PARAMS(PmSampling_DecodeData);
    decode.pPmSamplingObject = object_;
    decode.pCounterDataImage = image_.data();
    decode.counterDataImageSize = image_.size();
    if (auto failed = outcome("cuptiPmSamplingDecodeData", api.sampling_decode(&decode)))
      return failed;
    if (decode.overflow) s.losses.add(Lost::samples_overflowed);
    more = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;

    auto info = ROOFLINE_PARAMS(PmSampling_GetCounterDataInfo);
    info.pCounterDataImage = image_.data();
    info.counterDataImageSize = image_.size();
    if (auto failed = outcome("cuptiPmSamplingGetCounterDataInfo", api.sampling_data_info(&info)))
      return failed;
    for (std::size_t i = 0; i < info.numCompletedSamples; ++i)
      if (auto failed = write(s, api, i)) return failed;
    if (auto failed = fresh_image(api)) return failed;
  }
  return std::nullopt;
}

std::optional<FailedCall> Sampler::stop(const ProfilerApi& api) {
  if (!object_) return std::nullopt;
  auto stop = ROOFLINE_PARAMS(PmSampling_Stop);
  stop.pPmSamplingObject = object_;
  return outcome("cuptiPmSamplingStop", api.sampling_stop(&stop));
}

/// Everything of this mode. Never destroyed, like the session.
struct Sampling {
  ProfilerApi api;
  std::array<std::atomic<bool>, kMostDevices> wanted{};  ///< a context was created on it
  std::array<bool, kMostDevices> started{};
  std::vector<Sampler> samplers;
  bool initialised = false, off = false;
};
Sampling& sampling() {
  static auto* const the_sampling = new Sampling;
  return *the_sampling;
}

void give_up(Session& s, Sampling& m, const Refusal& refusal) {
  m.off = true;
  say(refusal.sentence + "; the program runs on, without samples");
  write_status(s, refusal.code, refusal.detail, refusal.result);
}

std::optional<Refusal> start_device(Session& s, Sampling& m, std::uint32_t ordinal) {
  if (!m.initialised) {
    auto start = ROOFLINE_PARAMS(Profiler_Initialize);
    if (const auto result = m.api.initialize(&start); result != CUPTI_SUCCESS)
      return refusal_of(s.cupti, result, "cuptiProfilerInitialize");
    m.initialised = true;
  }
  CountedDevice device;
  if (auto refusal = CountedDevice::open(s, m.api, ordinal, device)) return refusal;
  if (device.family().sampling.empty())
    return Refusal{status::kUnknownChip, "this GPU cannot be sampled", device.chip(), 0};
  Sampler sampler;
  if (const auto failed = sampler.start(m.api, device, ordinal))
    return refusal_of(s.cupti, failed->result, failed->call);
  if (sampler.unknown_metrics() > 0) s.losses.add(Lost::metrics_unknown, sampler.unknown_metrics());
  m.samplers.push_back(std::move(sampler));
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> start_sampling(Session& s) {
  if (const char* missing = load_sampling(s.cupti_library, sampling().api))
    return Refusal{status::kCuptiIncomplete,
                   s.cupti_path + " has no " + missing + ": sampling needs CUDA 12.6 or later",
                   missing, 0};
  if (s.settings.flush_ms == 0)
    s.settings.flush_ms = kDefaultFlushMs;  // samples are fetched on ticks
  return std::nullopt;
}

void sampling_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED) return;
  std::uint32_t ordinal = 0;
  if (s.cupti.get_device_id)
    s.cupti.get_device_id(static_cast<const CUpti_ResourceData*>(data)->context, &ordinal);
  if (ordinal < kMostDevices) sampling().wanted[ordinal] = true;
  s.worker.wake();
}

void take_samples(Session& s) {
  auto& m = sampling();
  for (std::uint32_t ordinal = 0; ordinal < kMostDevices && !m.off; ++ordinal) {
    if (!m.wanted[ordinal] || std::exchange(m.started[ordinal], true)) continue;
    if (const auto refusal = start_device(s, m, ordinal)) give_up(s, m, *refusal);
  }
  for (auto& sampler : m.samplers) {
    if (m.off) return;
    if (const auto failed = sampler.take(s, m.api))
      give_up(s, m, refusal_of(s.cupti, failed->result, failed->call));
  }
}

void finish_sampling(Session& s) {
  auto& m = sampling();
  if (m.off) return;
  for (auto& sampler : m.samplers)
    if (const auto failed = sampler.stop(m.api))
      give_up(s, m, refusal_of(s.cupti, failed->result, failed->call));
  take_samples(s);
}

}  // namespace roofline::profile::plugin
