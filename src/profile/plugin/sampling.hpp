#pragma once

#include <optional>

#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/refusal.hpp"

namespace roofline::profile::plugin {

struct Session;

/// Mode sample: the whole device's counters at a fixed rate, in one pass, beside the program.
/// Nothing is replayed, so it is for what must not be: collectives, persistent kernels, graphs. It
/// tells how busy the device was, not which kernel kept it so. All calls are made on the worker's
/// thread.
std::optional<Refusal> start_sampling(Session& s);
void sampling_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void* data);
void take_samples(Session& s);
void finish_sampling(Session& s);

}  // namespace roofline::profile::plugin
