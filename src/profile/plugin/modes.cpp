#include "profile/plugin/modes.hpp"

#include "profile/plugin/activity.hpp"
#include "profile/plugin/counters.hpp"
#include "profile/plugin/launch_count.hpp"
#include "profile/plugin/sampling.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

constexpr Mode kModes[] = {
    {"trace", start_trace, trace_callback, flush_trace, finish_trace, status::kCollecting},
    {"counters", start_counters, counters_callback, watch_counters, finish_counters,
     status::kCollecting},
    {"sample", start_sampling, sampling_callback, take_samples, finish_sampling,
     status::kCollecting},
    {"count", start_count, count_callback, nullptr, finish_count, status::kCounting},
};

}  // namespace

const Mode* find_mode(std::string_view name) {
  for (const auto& mode : kModes)
    if (mode.name == name) return &mode;
  return nullptr;
}

}  // namespace roofline::profile::plugin
