#include "profile/plugin/activity.hpp"

#include <array>

#include "profile/plugin/callbacks.hpp"
#include "profile/plugin/session.hpp"
#include "profile/plugin/translate.hpp"

namespace roofline::profile::plugin {
namespace {

struct Kind {
  CUpti_ActivityKind kind;
  bool required;
};
// CONCURRENT_KERNEL, never KERNEL, which makes kernels run one after the other. Calls of the driver
// and runtime are switched on one by one below.
constexpr Kind kKinds[] = {
    {CUPTI_ACTIVITY_KIND_DEVICE, false},          {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true},
    {CUPTI_ACTIVITY_KIND_MEMCPY, false},          {CUPTI_ACTIVITY_KIND_MEMCPY2, false},
    {CUPTI_ACTIVITY_KIND_MEMSET, false},          {CUPTI_ACTIVITY_KIND_OVERHEAD, false},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false}, {CUPTI_ACTIVITY_KIND_MARKER, false},
};

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size,
                               std::size_t* max_records) noexcept {
  Session& s = session();
  *buffer = s.buffers.take();
  *size = *buffer ? BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
  if (!*buffer) s.losses.add(Lost::out_of_memory);
}

/// Records are found without our lock and written under it: no call of CUPTI's is made under a lock
/// that CUPTI's own callbacks take.
void translate_buffer(Session& s, std::uint8_t* buffer, std::size_t size) {
  const Translation to{s.cupti_version, s.roles, s.ranges, s.devices, s.losses};
  std::array<const CUpti_Activity*, 512> records;
  CUpti_Activity* record = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  while (result == CUPTI_SUCCESS) {
    std::size_t count = 0;
    while (count < records.size() &&
           (result = s.cupti.activity_next_record(buffer, size, &record)) == CUPTI_SUCCESS)
      records[count++] = record;
    CaptureWriter::Batch batch(s.writer);
    for (std::size_t i = 0; i < count; ++i) translate(*records[i], to, batch);
  }
  if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) s.losses.add(Lost::unreadable);
}

void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t, std::size_t valid) noexcept {
  Session& s = session();
  if (!buffer) return;
  if (s.collecting) {
    guarded([&] {
      if (valid > 0) translate_buffer(s, buffer, valid);
    });
    std::size_t dropped = 0;
    if (s.cupti.activity_dropped(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0)
      s.losses.add(Lost::dropped, dropped);
  }
  s.buffers.give_back(buffer);
}

void set_attributes(Session& s) {
  if (s.cupti.set_thread_id_type)
    s.cupti.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);  // ids as in /proc
  if (!s.cupti.activity_set_attribute) return;
  // One buffer for each launching thread, as is the default since CUDA 13: threads do not wait for
  // each other. Pages of a buffer that is not filled cost nothing.
  std::uint8_t per_thread = 1;
  std::size_t size = sizeof per_thread;
  constexpr auto kPerThreadBuffers = static_cast<CUpti_ActivityAttribute>(9);
  s.cupti.activity_set_attribute(kPerThreadBuffers, &size, &per_thread);
  if (s.settings.pool_limit <= 0) return;
  auto limit = static_cast<std::size_t>(s.settings.pool_limit);
  size = sizeof limit;
  s.cupti.activity_set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &size, &limit);
}

/// The calls whose role the report needs, one by one; where that is not offered, all of them.
void enable_calls(Session& s, capture::ApiDomain domain, CUpti_ActivityKind kind,
                  CUptiResult (*enable)(CUpti_CallbackId, std::uint8_t)) {
  bool one_by_one = enable != nullptr;
  for (std::uint32_t call = 1; one_by_one && call < ApiRoles::kCalls; ++call)
    if (s.roles.role(domain, call) != capture::ApiRole::other)
      one_by_one = enable(call, 1) == CUPTI_SUCCESS;
  if (!one_by_one && s.cupti.activity_enable(kind) != CUPTI_SUCCESS)
    s.losses.add(Lost::kind_refused);
}

}  // namespace

std::optional<Refusal> start_trace(Session& s) {
  s.roles.learn(s.cupti);
  set_attributes(s);
  if (const auto result = s.cupti.activity_register(buffer_requested, buffer_completed);
      result != CUPTI_SUCCESS)
    return refusal_of(s.cupti, result, "cuptiActivityRegisterCallbacks");
  for (const auto& [kind, required] : kKinds) {
    const auto result = s.cupti.activity_enable(kind);
    if (result == CUPTI_SUCCESS) continue;
    if (required) return refusal_of(s.cupti, result, "cuptiActivityEnable");
    s.losses.add(Lost::kind_refused);
  }
  if (s.settings.whole_graphs &&
      s.cupti.activity_enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) != CUPTI_SUCCESS)
    s.losses.add(Lost::kind_refused);
  enable_calls(s, capture::ApiDomain::driver, CUPTI_ACTIVITY_KIND_DRIVER,
               s.cupti.activity_enable_driver_api);
  enable_calls(s, capture::ApiDomain::runtime, CUPTI_ACTIVITY_KIND_RUNTIME,
               s.cupti.activity_enable_runtime_api);
  return std::nullopt;
}

void trace_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void*) {
  // Blackwell traces in hardware, at no cost to the kernels; this is the one moment to ask for it,
  // and other GPUs refuse.
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED &&
      s.cupti.activity_enable_hw_trace)
    s.cupti.activity_enable_hw_trace(1);
}

void flush_trace(Session& s) { s.cupti.activity_flush_all(0); }

void finish_trace(Session& s) {
  s.cupti.activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (s.context_seen && s.buffers.taken() == 0) s.losses.add(Lost::no_buffers);
}

}  // namespace roofline::profile::plugin
