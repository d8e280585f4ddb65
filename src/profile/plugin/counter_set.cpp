#include "profile/plugin/counter_set.hpp"

namespace roofline::profile::plugin {
namespace {

std::optional<FailedCall> outcome(const char* call, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return std::nullopt;
  return FailedCall{call, result};
}

}  // namespace

std::optional<FailedCall> CounterSet::prepare(const ProfilerApi& api, const std::string& chip,
                                              CUpti_ProfilerType type,
                                              const std::vector<const char*>& metrics,
                                              CounterSet& set) {
  auto host = ROOFLINE_PARAMS(Profiler_Host_Initialize);
  host.profilerType = type;
  host.pChipName = chip.c_str();
  if (auto failed = outcome("cuptiProfilerHostInitialize", api.host_initialize(&host)))
    return failed;
  set.host_ = host.pHostObject;

  for (const char* metric : metrics) {
    auto properties = ROOFLINE_PARAMS(Profiler_Host_GetMetricProperties);
    properties.pHostObject = set.host_;
    properties.pMetricName = metric;
    if (api.host_properties(&properties) == CUPTI_SUCCESS)
      set.metrics_.push_back(metric);
    else
      ++set.unknown_metrics_;
  }

  auto add = ROOFLINE_PARAMS(Profiler_Host_ConfigAddMetrics);
  add.pHostObject = set.host_;
  add.ppMetricNames = set.metrics_.data();
  add.numMetrics = set.metrics_.size();
  if (auto failed = outcome("cuptiProfilerHostConfigAddMetrics", api.host_add_metrics(&add)))
    return failed;

  auto size = ROOFLINE_PARAMS(Profiler_Host_GetConfigImageSize);
  size.pHostObject = set.host_;
  if (auto failed = outcome("cuptiProfilerHostGetConfigImageSize", api.host_image_size(&size)))
    return failed;
  set.config_.resize(size.configImageSize);
  auto image = ROOFLINE_PARAMS(Profiler_Host_GetConfigImage);
  image.pHostObject = set.host_;
  image.configImageSize = set.config_.size();
  image.pConfigImage = set.config_.data();
  if (auto failed = outcome("cuptiProfilerHostGetConfigImage", api.host_image(&image)))
    return failed;

  auto passes = ROOFLINE_PARAMS(Profiler_Host_GetNumOfPasses);
  passes.configImageSize = set.config_.size();
  passes.pConfigImage = set.config_.data();
  if (auto failed = outcome("cuptiProfilerHostGetNumOfPasses", api.host_passes(&passes)))
    return failed;
  set.passes_ = passes.numOfPasses;
  return std::nullopt;
}

std::optional<FailedCall> CounterSet::evaluate(const ProfilerApi& api,
                                               const std::vector<std::uint8_t>& image,
                                               std::size_t index,
                                               std::vector<double>& values) const {
  values.assign(metrics_.size(), 0);
  auto evaluate = ROOFLINE_PARAMS(Profiler_Host_EvaluateToGpuValues);
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = image.data();
  evaluate.counterDataImageSize = image.size();
  evaluate.rangeIndex = index;
  evaluate.ppMetricNames = const_cast<const char**>(metrics_.data());  // read only; C has no better
  evaluate.numMetrics = metrics_.size();
  evaluate.pMetricValues = values.data();
  return outcome("cuptiProfilerHostEvaluateToGpuValues", api.host_evaluate(&evaluate));
}

}  // namespace roofline::profile::plugin
