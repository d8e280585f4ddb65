#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/plugin/profiler_api.hpp"

namespace roofline::profile::plugin {

/// A call of CUPTI's that failed.
struct FailedCall {
  const char* call = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
};

/// Counters with their configuration for one chip, as the profiler's host library made it. Lives as
/// long as the process.
class CounterSet {
 public:
  /// `metrics` must outlive it. Names that the library does not know are left out first: one of
  /// them would spoil the whole configuration.
  static std::optional<FailedCall> prepare(const ProfilerApi& api, const std::string& chip,
                                           CUpti_ProfilerType type,
                                           const std::vector<const char*>& metrics,
                                           CounterSet& set);

  /// Values of a range or sample of `image`, in the order of metrics().
  std::optional<FailedCall> evaluate(const ProfilerApi& api, const std::vector<std::uint8_t>& image,
                                     std::size_t index, std::vector<double>& values) const;

  const std::vector<const char*>& metrics() const { return metrics_; }
  const std::vector<std::uint8_t>& config() const { return config_; }
  std::size_t passes() const { return passes_; }
  std::size_t unknown_metrics() const { return unknown_metrics_; }

 private:
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<const char*> metrics_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0, unknown_metrics_ = 0;
};

}  // namespace roofline::profile::plugin
