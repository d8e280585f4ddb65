// SIMULATED CUPTI: activity records in the layouts of the real headers, buffers, flushing. A full
// buffer is handed over on the thread that filled it; real CUPTI uses a thread of its own.
#include <cupti.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "state.hpp"

namespace roofline::sim {
namespace {

constexpr std::size_t kKinds = 64, kCalls = 2048;
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::atomic<bool> enabled[kKinds];
std::atomic<bool> driver_calls[kCalls];
std::atomic<std::size_t> dropped{0};

std::mutex buffer_mutex;
struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0, valid = 0;
};
Buffer current;

std::uint32_t thread_id() {
  static thread_local const auto id = static_cast<std::uint32_t>(gettid());
  return id;
}

void hand_over(const Buffer& buffer) {
  if (buffer.bytes && complete) complete(nullptr, 0, buffer.bytes, buffer.size, buffer.valid);
}

bool should_drop() {
  static const std::uint64_t every = number_setting("SIMCUPTI_DROP_EVERY", 0);
  static std::atomic<std::uint64_t> records{0};
  return every > 0 && (records.fetch_add(1) + 1) % every == 0;
}

/// No lock is held while the client is called: it may call back into us.
void put(const void* record, std::size_t bytes) {
  static const bool no_buffers = number_setting("SIMCUPTI_NO_BUFFERS", 0) != 0;
  if (no_buffers || !request || should_drop()) {
    dropped += !no_buffers;
    return;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    Buffer full;
    {
      const std::lock_guard lock(buffer_mutex);
      if (current.size - current.valid >= bytes) {
        std::memcpy(current.bytes + current.valid, record, bytes);
        current.valid += bytes;
        return;
      }
      full = std::exchange(current, {});
    }
    hand_over(full);
    Buffer fresh;
    std::size_t max_records = 0;
    request(&fresh.bytes, &fresh.size, &max_records);
    if (!fresh.bytes) break;
    Buffer spare;  // of a thread that was faster
    {
      const std::lock_guard lock(buffer_mutex);
      spare = std::exchange(current, fresh);
    }
    hand_over(spare);
  }
  ++dropped;
}

template <class Record>
Record blank(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof record);
  record.kind = kind;
  return record;
}

bool is_on(CUpti_ActivityKind kind) { return enabled[kind].load(std::memory_order_relaxed); }

bool every(const char* setting, std::uint64_t number) {
  const auto n = number_setting(setting, 0);
  return n > 0 && number % n == 0;
}

using Kernel = CUpti_ActivityKernel9;
using Copy = CUpti_ActivityMemcpy5;

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(Kernel);
    case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(Copy);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(CUpti_ActivitySynchronization);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return sizeof(CUpti_ActivityGraphTrace);
    case CUPTI_ACTIVITY_KIND_MARKER: return sizeof(CUpti_ActivityMarker2);
    default: return 0;
  }
}

}  // namespace

void record_call(const Call& call) {
  if (!is_on(CUPTI_ACTIVITY_KIND_DRIVER) &&
      !(call.id < kCalls && driver_calls[call.id].load(std::memory_order_relaxed)))
    return;
  static const auto process = static_cast<std::uint32_t>(getpid());
  auto r = blank<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
  r.cbid = call.id;
  r.start = call.start;
  r.end = call.end;
  r.processId = process;
  r.threadId = thread_id();
  r.correlationId = call.correlation;
  put(&r, sizeof r);
}

void record_kernel(const KernelRun& run) {
  if (!is_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  if (run.graph != 0 && is_on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return;
  static const bool spoil =
      std::getenv("SIMCUPTI_ZERO_EVERY") || std::getenv("SIMCUPTI_INVERT_EVERY");
  auto r = blank<Kernel>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  r.start = run.start;
  r.end = run.end;
  if (spoil) {
    static std::atomic<std::uint64_t> kernels{0};
    const auto number = ++kernels;
    if (every("SIMCUPTI_ZERO_EVERY", number)) r.start = r.end = 0;
    if (every("SIMCUPTI_INVERT_EVERY", number)) r.end = r.start - 1;
  }
  r.deviceId = run.device;
  r.contextId = run.context;
  r.streamId = run.stream;
  r.gridX = static_cast<std::int32_t>(run.grid[0]);
  r.gridY = static_cast<std::int32_t>(run.grid[1]);
  r.gridZ = static_cast<std::int32_t>(run.grid[2]);
  r.blockX = static_cast<std::int32_t>(run.block[0]);
  r.blockY = static_cast<std::int32_t>(run.block[1]);
  r.blockZ = static_cast<std::int32_t>(run.block[2]);
  r.clusterX = run.cluster[0];
  r.clusterY = run.cluster[1];
  r.clusterZ = run.cluster[2];
  r.dynamicSharedMemory = static_cast<std::int32_t>(run.dynamic_shared);
  r.staticSharedMemory = static_cast<std::int32_t>(run.static_shared);
  r.registersPerThread = static_cast<std::uint16_t>(run.registers);
  r.localMemoryPerThread = run.local;
  r.correlationId = run.correlation;
  r.name = run.name;
  r.graphId = run.graph;
  r.graphNodeId = run.graph_node;
  put(&r, sizeof r);
}

namespace {

template <class Record>
void fill_move(Record& r, const CopyRun& run) {
  r.bytes = run.bytes;
  r.start = run.start;
  r.end = run.end;
  r.deviceId = run.device;
  r.contextId = run.context;
  r.streamId = run.stream;
  r.correlationId = run.correlation;
}

template <class Record>
void put_move(CUpti_ActivityKind kind, const CopyRun& run) {
  if (!is_on(kind)) return;
  auto r = blank<Record>(kind);
  fill_move(r, run);
  if constexpr (std::is_same_v<Record, Copy>) {
    r.copyKind = run.kind;
    r.srcKind = r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    if (run.pageable) r.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  }
  put(&r, sizeof r);
}

}  // namespace

void record_copy(const CopyRun& run) {
  switch (run.moved) {
    case Moved::copy: return put_move<Copy>(CUPTI_ACTIVITY_KIND_MEMCPY, run);
    case Moved::peer_copy:
      return put_move<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2, run);
    case Moved::set: return put_move<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, run);
  }
}

void record_wait(const WaitRun& run) {
  if (!is_on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  auto r = blank<CUpti_ActivitySynchronization>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  r.type = static_cast<CUpti_ActivitySynchronizationType>(run.type);
  r.start = run.start;
  r.end = run.end;
  r.correlationId = run.correlation;
  r.contextId = run.context;
  r.streamId = run.stream;
  put(&r, sizeof r);
}

void record_graph(const GraphRun& run) {
  if (!is_on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return;
  auto r = blank<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  r.correlationId = run.correlation;
  r.start = run.start;
  r.end = run.end;
  r.deviceId = run.device;
  r.graphId = run.graph;
  r.contextId = run.context;
  r.streamId = run.stream;
  put(&r, sizeof r);
}

void record_module_load() {
  static const std::uint64_t ns = number_setting("SIMCUPTI_OVERHEAD_NS", 0);
  if (ns == 0 || !is_on(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  auto r = blank<CUpti_ActivityOverhead>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  r.overheadKind = static_cast<CUpti_ActivityOverheadKind>(4u << 16);  // module loading
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  r.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  r.objectId.pt.threadId = thread_id();
  r.end = driver()->now();
  r.start = r.end - ns;
  put(&r, sizeof r);
}

namespace {

/// Names outlive the program's own strings, as CUPTI's do.
const char* kept(const char* name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>;
  if (!name) return nullptr;
  const std::lock_guard lock(mutex);
  return names.insert(name).first->c_str();
}

}  // namespace

void record_marker(std::uint32_t id, bool start, const char* name) {
  if (!is_on(CUPTI_ACTIVITY_KIND_MARKER)) return;
  auto r = blank<CUpti_ActivityMarker2>(CUPTI_ACTIVITY_KIND_MARKER);
  r.flags = start ? CUPTI_ACTIVITY_FLAG_MARKER_START : CUPTI_ACTIVITY_FLAG_MARKER_END;
  r.timestamp = driver()->now();
  r.id = id;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  r.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  r.objectId.pt.threadId = thread_id();
  r.name = kept(name);
  put(&r, sizeof r);
}

}  // namespace roofline::sim

extern "C" {

using namespace roofline::sim;

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc on_request,
                                                    CUpti_BuffersCallbackCompleteFunc on_complete) {
  if (const auto failed = failure("cuptiActivityRegisterCallbacks"); failed) return failed;
  request = on_request;
  complete = on_complete;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  const auto number = static_cast<unsigned>(kind);
  if (const auto failed = failure(("cuptiActivityEnable:" + std::to_string(number)).c_str());
      failed)
    return failed;
  if (number >= kKinds) return CUPTI_ERROR_INVALID_KIND;
  if (!attach()) return CUPTI_ERROR_UNKNOWN;
  enabled[number] = true;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (static_cast<unsigned>(kind) >= kKinds) return CUPTI_ERROR_INVALID_KIND;
  enabled[kind] = false;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId id, std::uint8_t enable) {
  if (const auto failed = failure("cuptiActivityEnableDriverApi"); failed) return failed;
  if (id >= kCalls) return CUPTI_ERROR_INVALID_PARAMETER;
  driver_calls[id] = enable != 0;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId, std::uint8_t) {
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute, std::size_t*, void*) {
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }

CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t) {
  Buffer buffer;
  {
    const std::lock_guard lock(buffer_mutex);
    buffer = std::exchange(current, {});
  }
  hand_over(buffer);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t,
                                                       std::size_t* count) {
  *count = dropped.exchange(0);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                                CUpti_Activity** record) {
  std::size_t at = 0;
  if (*record)
    at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) +
         size_of((*record)->kind);
  if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(buffer + at);
  if (size_of(next->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  *record = next;
  return CUPTI_SUCCESS;
}

}  // extern "C"
