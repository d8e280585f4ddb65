#pragma once

#include <optional>

#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/refusal.hpp"

namespace roofline::profile::plugin {

struct Session;

/// Trace mode: CUPTI's activity records into the capture.
std::optional<Refusal> start_trace(Session& s);
void trace_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
void flush_trace(Session& s);
void finish_trace(Session& s);

}  // namespace roofline::profile::plugin
