#pragma once

#include <optional>

#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/refusal.hpp"

namespace roofline::profile::plugin {

struct Session;

/// Mode counters: the first launches of each distinct kernel are replayed under the range profiler,
/// each alone; all other launches pass. No tracing: the two are runs of their own.
std::optional<Refusal> start_counters(Session& s);
void counters_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void* data);
void watch_counters(Session& s);
void finish_counters(Session& s);

}  // namespace roofline::profile::plugin
