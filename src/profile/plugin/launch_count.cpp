#include "profile/plugin/launch_count.hpp"

#include <atomic>
#include <string>

#include "profile/plugin/session.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

std::atomic<std::uint64_t> launches{0};

}  // namespace

std::optional<Refusal> start_count(Session& s) {
  s.roles.learn(s.cupti);
  for (std::uint32_t call = 1; call < ApiRoles::kCalls; ++call) {
    if (s.roles.role(capture::ApiDomain::driver, call) != capture::ApiRole::kernel_launch) continue;
    const auto result = s.cupti.enable_callback(1, s.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call);
    if (result != CUPTI_SUCCESS) return refusal_of(s.cupti, result, "cuptiEnableCallback");
  }
  return std::nullopt;
}

void count_callback(Session&, CUpti_CallbackDomain domain, CUpti_CallbackId, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER)
    launches.fetch_add(1, std::memory_order_relaxed);
}

void finish_count(Session& s) {
  CaptureWriter::Batch batch(s.writer);
  capture::Status status;
  status.what = batch.text(status::kCounted);
  status.detail = batch.text(std::to_string(launches.load()));
  status.cupti_version = s.cupti_version;
  batch.put(status);
}

}  // namespace roofline::profile::plugin
