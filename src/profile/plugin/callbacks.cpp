#include "profile/plugin/callbacks.hpp"

#include "profile/plugin/session.hpp"

namespace roofline::profile::plugin {
namespace {

void on_module(Session& s, const CUpti_ResourceData& resource) {
  if (!resource.resourceDescriptor) return;
  const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  if (!module.pCubin) return;
  if (const auto without_room = s.codes.add_module({module.pCubin, module.cubinSize}))
    s.losses.add(Lost::codes_forgotten, without_room);
}

void on_resource(Session& s, CUpti_CallbackId id, const void* data) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
    return on_module(s, *static_cast<const CUpti_ResourceData*>(data));
  if (id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED || s.context_seen.exchange(true)) return;
  s.worker.wake();  // which asks about the devices: no CUDA call may be made here
}

void on_state(Session& s, CUpti_CallbackId id, const void* data) {
  if (id != CUPTI_CBID_STATE_FATAL_ERROR) return;
  const auto& state = *static_cast<const CUpti_StateData*>(data);
  note_fatal_error(s, state.notification.result, state.notification.message);
}

}  // namespace

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) noexcept {
  Session& s = session();
  if (!s.collecting.load(std::memory_order_relaxed)) return;
  guarded([&] {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      on_resource(s, id, data);
    else if (domain == CUPTI_CB_DOMAIN_STATE)
      on_state(s, id, data);
    if (s.mode->callback) s.mode->callback(s, domain, id, data);
  });
}

void enable_common_callbacks(Session& s) {
  const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    s.cupti.enable_callback(1, s.subscriber, domain, id);  // without it only detail is missing
  };
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  enable(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
}

}  // namespace roofline::profile::plugin
