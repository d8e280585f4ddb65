#include "profile/plugin/translate.hpp"

#include <cstddef>

namespace roofline::profile::plugin {
namespace {

// cuptiGetVersion of the first release whose records have them.
constexpr std::uint32_t kHasGraphIds = 16;  // CUDA 11.5
constexpr std::uint32_t kHasClusters = 18;  // CUDA 11.8
constexpr std::uint32_t kHasDeviceMig = 16;

using Kernel = CUpti_ActivityKernel9;
static_assert(offsetof(Kernel, start) == 16 && offsetof(Kernel, gridX) == 52 &&
                  offsetof(Kernel, name) == 104 && offsetof(Kernel, graphNodeId) == 144 &&
                  offsetof(Kernel, graphId) == 156 && offsetof(Kernel, clusterX) == 176,
              "the prefix of kernel records that all versions of CUPTI share");

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}
template <class Integer>
std::uint64_t count(Integer value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

void kernel(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  const auto& k = as<Kernel>(record);
  capture::Shape shape;
  shape.name = batch.name(k.name);
  shape.grid = {count(k.gridX), count(k.gridY), count(k.gridZ)};
  shape.block = {count(k.blockX), count(k.blockY), count(k.blockZ)};
  if (to.cupti_version >= kHasClusters) shape.cluster = {k.clusterX, k.clusterY, k.clusterZ};
  shape.static_shared_bytes = count(k.staticSharedMemory);
  shape.dynamic_shared_bytes = count(k.dynamicSharedMemory);
  shape.registers = k.registersPerThread;
  shape.local_bytes_per_thread = k.localMemoryPerThread;
  shape.device = k.deviceId;
  shape.context = k.contextId;
  shape.executed_shared_bytes = k.sharedMemoryExecuted;
  capture::Launch launch;
  launch.shape = batch.shape(shape);
  launch.stream = k.streamId;
  launch.start = k.start;
  launch.end = k.end;
  launch.correlation = k.correlationId;
  if (to.cupti_version >= kHasGraphIds) {
    launch.graph = k.graphId;
    launch.graph_node = k.graphNodeId;
  }
  batch.put(launch);
}

capture::CopyKind copy_kind(std::uint8_t kind) {
  using capture::CopyKind;
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return CopyKind::host_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return CopyKind::device_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return CopyKind::device_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return CopyKind::host_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return CopyKind::peer;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA: return CopyKind::array;
    default: return CopyKind::unknown;
  }
}

/// The fields that copies of all kinds and sets have under the same names.
template <class Record>
capture::Copy moved(const Record& r, capture::CopyKind kind, const Translation& to) {
  capture::Copy copy;
  copy.kind = static_cast<std::uint64_t>(kind);
  copy.bytes = r.bytes;
  copy.device = r.deviceId;
  copy.stream = r.streamId;
  copy.start = r.start;
  copy.end = r.end;
  copy.correlation = r.correlationId;
  if (to.cupti_version >= kHasGraphIds) copy.graph = r.graphId;
  return copy;
}

void memory_copy(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  const auto& m = as<CUpti_ActivityMemcpy5>(record);
  auto copy = moved(m, copy_kind(m.copyKind), to);
  copy.pageable = m.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
                  m.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  batch.put(copy);
}

void peer_copy(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  batch.put(moved(as<CUpti_ActivityMemcpyPtoP4>(record), capture::CopyKind::peer, to));
}

void memory_set(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  batch.put(moved(as<CUpti_ActivityMemset4>(record), capture::CopyKind::set, to));
}

void api_call(capture::ApiDomain domain, const CUpti_Activity& record, const Translation& to,
              CaptureWriter::Batch& batch) {
  const auto& a = as<CUpti_ActivityAPI>(record);
  const auto role = to.roles.role(domain, a.cbid);
  // Where CUPTI cannot be told which calls to record, it records them all.
  if (role == capture::ApiRole::other) return;
  capture::Api api;
  api.domain = static_cast<std::uint64_t>(domain);
  api.cbid = a.cbid;
  api.role = static_cast<std::uint64_t>(role);
  api.thread = a.threadId;
  api.start = a.start;
  api.end = a.end;
  api.correlation = a.correlationId;
  batch.put(api);
}

void driver_call(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  api_call(capture::ApiDomain::driver, record, to, batch);
}

void runtime_call(const CUpti_Activity& record, const Translation& to,
                  CaptureWriter::Batch& batch) {
  api_call(capture::ApiDomain::runtime, record, to, batch);
}

capture::OverheadKind overhead_kind(std::uint32_t kind) {
  using capture::OverheadKind;
  switch (kind) {  // numbers: headers of CUDA 12.6 lack the later ones
    case 1: return OverheadKind::driver_compiler;
    case 1u << 16: return OverheadKind::buffer_flush;
    case 2u << 16: return OverheadKind::instrumentation;
    case 3u << 16: return OverheadKind::resource;
    case 4u << 16: return OverheadKind::module_loading;
    case 5u << 16: return OverheadKind::lazy_function_loading;
    case 6u << 16: return OverheadKind::command_buffer_full;
    case 7u << 16: return OverheadKind::buffer_request;
    default: return OverheadKind::other;
  }
}

void overhead(const CUpti_Activity& record, const Translation&, CaptureWriter::Batch& batch) {
  const auto& o = as<CUpti_ActivityOverhead>(record);
  const bool has_thread = o.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
  batch.put(capture::Overhead{
      static_cast<std::uint64_t>(overhead_kind(static_cast<std::uint32_t>(o.overheadKind))),
      has_thread ? o.objectId.pt.threadId : 0u, o.start, o.end});
}

void wait(const CUpti_Activity& record, const Translation&, CaptureWriter::Batch& batch) {
  const auto& s = as<CUpti_ActivitySynchronization>(record);
  constexpr std::uint32_t kNoStream = 0xffffffff;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE
  batch.put(capture::Wait{count(static_cast<std::int64_t>(s.type)),
                          s.streamId == kNoStream ? 0 : s.streamId, s.start, s.end,
                          s.correlationId});
}

void marker(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  const auto& m = as<CUpti_ActivityMarker2>(record);
  const auto flags = static_cast<std::uint32_t>(m.flags);
  if (flags & CUPTI_ACTIVITY_FLAG_MARKER_START)
    to.ranges.begin(m.id, {m.name ? m.name : "", m.objectId.pt.threadId, m.timestamp}, to.losses);
  else if (flags & CUPTI_ACTIVITY_FLAG_MARKER_END)
    to.ranges.end(m.id, m.timestamp, batch);
}

void device(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  const auto& d = as<CUpti_ActivityDevice4>(record);
  DeviceFacts facts;
  facts.name = d.name ? d.name : "";
  facts.uuid = uuid_text(d.uuid);
  facts.major = d.computeCapabilityMajor;
  facts.minor = d.computeCapabilityMinor;
  facts.sm_count = d.numMultiprocessors;
  facts.memory_bytes = d.globalMemorySize;
  facts.l2_bytes = d.l2CacheSize;
  facts.sm_clock_khz = d.coreClockRate;
  facts.ecc = d.eccEnabled;
  if (to.cupti_version >= kHasDeviceMig) facts.mig = d.isMigEnabled;
  to.devices.add(static_cast<int>(d.id), facts, batch);
}

void graph(const CUpti_Activity& record, const Translation&, CaptureWriter::Batch& batch) {
  const auto& g = as<CUpti_ActivityGraphTrace>(record);
  batch.put(capture::Graph{g.graphId, g.deviceId, g.streamId, g.start, g.end, g.correlationId});
}

void nothing(const CUpti_Activity&, const Translation&, CaptureWriter::Batch&) {}

struct Translator {
  CUpti_ActivityKind kind;
  void (*translate)(const CUpti_Activity&, const Translation&, CaptureWriter::Batch&);
};
// Most frequent first: the table is walked for every record.
constexpr Translator kTranslators[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, kernel},
    {CUPTI_ACTIVITY_KIND_DRIVER, driver_call},
    {CUPTI_ACTIVITY_KIND_RUNTIME, runtime_call},
    {CUPTI_ACTIVITY_KIND_MEMCPY, memory_copy},
    {CUPTI_ACTIVITY_KIND_MEMSET, memory_set},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, wait},
    {CUPTI_ACTIVITY_KIND_MARKER, marker},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, overhead},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, peer_copy},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, graph},
    {CUPTI_ACTIVITY_KIND_DEVICE, device},
    {CUPTI_ACTIVITY_KIND_CONTEXT, nothing},
    {CUPTI_ACTIVITY_KIND_MARKER_DATA, nothing},
    {CUPTI_ACTIVITY_KIND_KERNEL, kernel},
};

}  // namespace

void translate(const CUpti_Activity& record, const Translation& to, CaptureWriter::Batch& batch) {
  for (const auto& translator : kTranslators)
    if (translator.kind == record.kind) return translator.translate(record, to, batch);
  to.losses.add(Lost::unknown);
}

}  // namespace roofline::profile::plugin
