#include "profile/plugin/range_profiler.hpp"

namespace roofline::profile::plugin {
namespace {

// Room for more than the one launch that is meant, so that others which slip in are seen.
constexpr std::size_t kRanges = 8;

std::optional<FailedCall> outcome(const char* call, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return std::nullopt;
  return FailedCall{call, result};
}

}  // namespace

std::optional<FailedCall> RangeProfiler::open(const ProfilerApi& api, CUcontext context) {
  auto enable = ROOFLINE_PARAMS(RangeProfiler_Enable);
  enable.ctx = context;
  if (auto failed = outcome("cuptiRangeProfilerEnable", api.range_enable(&enable))) return failed;
  object_ = enable.pRangeProfilerObject;
  context_ = context;
  return std::nullopt;
}

void RangeProfiler::close(const ProfilerApi& api) {
  if (!object_) return;
  auto disable = ROOFLINE_PARAMS(RangeProfiler_Disable);
  disable.pRangeProfilerObject = object_;
  api.range_disable(&disable);  // of a context that ends anyway
  object_ = nullptr;
  context_ = nullptr;
}

std::optional<FailedCall> RangeProfiler::begin(const ProfilerApi& api, const CounterSet& set) {
  auto size = ROOFLINE_PARAMS(RangeProfiler_GetCounterDataSize);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = const_cast<const char**>(set.metrics().data());  // read only; C has no better
  size.numMetrics = set.metrics().size();
  size.maxNumOfRanges = kRanges;
  size.maxNumRangeTreeNodes = kRanges;
  if (auto failed = outcome("cuptiRangeProfilerGetCounterDataSize", api.range_data_size(&size)))
    return failed;
  image_.assign(size.counterDataSize, 0);
  auto fresh = ROOFLINE_PARAMS(RangeProfiler_CounterDataImage_Initialize);
  fresh.pRangeProfilerObject = object_;
  fresh.counterDataSize = image_.size();
  fresh.pCounterData = image_.data();
  if (auto failed = outcome("cuptiRangeProfilerCounterDataImageInitialize",
                            api.range_data_initialize(&fresh)))
    return failed;

  auto config = ROOFLINE_PARAMS(RangeProfiler_SetConfig);
  config.pRangeProfilerObject = object_;
  config.configSize = set.config().size();
  config.pConfig = set.config().data();
  config.counterDataImageSize = image_.size();
  config.pCounterDataImage = image_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = kRanges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  if (auto failed = outcome("cuptiRangeProfilerSetConfig", api.range_set_config(&config)))
    return failed;
  auto start = ROOFLINE_PARAMS(RangeProfiler_Start);
  start.pRangeProfilerObject = object_;
  return outcome("cuptiRangeProfilerStart", api.range_start(&start));
}

RangeProfiler::Ended RangeProfiler::end(const ProfilerApi& api, const CounterSet& set,
                                        std::vector<double>& values) {
  Ended ended;
  auto stop = ROOFLINE_PARAMS(RangeProfiler_Stop);
  stop.pRangeProfilerObject = object_;
  ended.failed = outcome("cuptiRangeProfilerStop", api.range_stop(&stop));
  if (ended.failed) return ended;
  ended.complete = stop.isAllPassSubmitted != 0;

  auto decode = ROOFLINE_PARAMS(RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = object_;
  ended.failed = outcome("cuptiRangeProfilerDecodeData", api.range_decode(&decode));
  if (ended.failed) return ended;
  ended.dropped = decode.numOfRangeDropped;

  auto info = ROOFLINE_PARAMS(RangeProfiler_GetCounterDataInfo);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  ended.failed = outcome("cuptiRangeProfilerGetCounterDataInfo", api.range_data_info(&info));
  if (ended.failed) return ended;
  ended.ranges = info.numTotalRanges;
  if (ended.usable()) ended.failed = set.evaluate(api, image_, 0, values);
  return ended;
}

}  // namespace roofline::profile::plugin
