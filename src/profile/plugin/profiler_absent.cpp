// Built with CUPTI headers from before range profiling (CUDA 12.6 Update 2).
#include "profile/plugin/counters.hpp"
#include "profile/plugin/sampling.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

Refusal absent() {
  return {status::kCuptiIncomplete,
          "this build knows no counters: it was made with older CUPTI headers", "headers", 0};
}

}  // namespace

std::optional<Refusal> start_counters(Session&) { return absent(); }
void counters_callback(Session&, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
void watch_counters(Session&) {}
void finish_counters(Session&) {}

std::optional<Refusal> start_sampling(Session&) { return absent(); }
void sampling_callback(Session&, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
void take_samples(Session&) {}
void finish_sampling(Session&) {}

}  // namespace roofline::profile::plugin
