#pragma once

#include <optional>

#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/refusal.hpp"

namespace roofline::profile::plugin {

struct Session;

/// Mode count: a callback for each kernel launch that adds one, and nothing else. The least that an
/// injected library can cost, so what tracing costs is measured against it.
std::optional<Refusal> start_count(Session& s);
void count_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
void finish_count(Session& s);

}  // namespace roofline::profile::plugin
