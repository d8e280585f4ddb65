// SIMULATED driver: device memory is host memory, mapped when it is touched; copies really copy.
#include <sys/mman.h>

#include <cstring>
#include <map>

#include "state.hpp"

namespace {

using roofline::sim::Api;
using roofline::sim::Moved;
using roofline::sim::Stream;

enum Kind : std::uint8_t { unknown = 0, to_device = 1, to_host = 2, on_device = 8 };
constexpr std::uint64_t kHostBytesPerNs = 25, kDeviceBytesPerNs = 1500;

std::mutex blocks_mutex;
std::map<CUdeviceptr, std::size_t> blocks;
std::size_t bytes_in_use = 0;

std::size_t device_bytes() {
  return roofline::sim::number_setting("SIMCUDA_MEMORY", 85'520'809'984);
}

CUresult allocate(std::uint32_t id, const char* name, CUdeviceptr* pointer, std::size_t bytes) {
  SIM_CONTEXT(name);
  Api call(id, name);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(blocks_mutex);
  if (bytes_in_use + bytes > device_bytes()) return CUDA_ERROR_OUT_OF_MEMORY;
  void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = reinterpret_cast<CUdeviceptr>(block);
  blocks[*pointer] = bytes;
  bytes_in_use += bytes;
  return CUDA_SUCCESS;
}

CUresult release(std::uint32_t id, const char* name, CUdeviceptr pointer) {
  SIM_CONTEXT(name);
  Api call(id, name);
  const std::lock_guard lock(blocks_mutex);
  const auto block = blocks.find(pointer);
  if (block == blocks.end()) return pointer ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  munmap(reinterpret_cast<void*>(pointer), block->second);
  bytes_in_use -= block->second;
  blocks.erase(block);
  return CUDA_SUCCESS;
}

void* host(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }

struct Transfer {
  std::uint32_t id;
  const char* name;
  Moved moved;
  Kind kind;
  bool blocks_host;
};

/// Takes its virtual time on the stream and is told to CUPTI; `act` moves the bytes.
template <class Act>
CUresult transfer(const Transfer& t, std::size_t bytes, CUstream handle, Act&& act) {
  SIM_CONTEXT(t.name);
  Api call(t.id, t.name);
  act();
  Stream& stream = roofline::sim::stream_of(handle);
  const bool over_link = t.kind == to_device || t.kind == to_host;
  const auto duration = 1 + bytes / (over_link ? kHostBytesPerNs : kDeviceBytesPerNs);
  roofline::sim::CopyRun run;
  run.start = roofline::sim::occupy(stream, call.end(), duration);
  run.end = run.start + duration;
  run.moved = t.moved;
  run.kind = t.kind;
  run.pageable = over_link;
  run.device = static_cast<std::uint32_t>(stream.context->device);
  run.context = stream.context->id;
  run.stream = stream.id;
  run.correlation = call.correlation();
  run.bytes = bytes;
  if (const auto* hooks = roofline::sim::hooks; hooks && hooks->copy) hooks->copy(run);
  if (t.blocks_host) call.wait(run.end);
  return CUDA_SUCCESS;
}

template <class Value>
CUresult set(std::uint32_t id, const char* name, CUdeviceptr to, Value value, std::size_t count,
             CUstream stream) {
  return transfer({id, name, Moved::set, unknown, false}, count * sizeof(Value), stream, [&] {
    for (std::size_t i = 0; i < count; ++i) static_cast<Value*>(host(to))[i] = value;
  });
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  return allocate(243, "cuMemAlloc", pointer, bytes);
}
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream) {
  return allocate(598, "cuMemAllocAsync", pointer, bytes);
}
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned) {
  return allocate(371, "cuMemAllocManaged", pointer, bytes);
}
CUresult CUDAAPI cuMemFree_v2(CUdeviceptr pointer) { return release(245, "cuMemFree", pointer); }
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  return release(600, "cuMemFreeAsync", pointer);
}
CUresult CUDAAPI cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  CUdeviceptr block = 0;
  const auto result = allocate(294, "cuMemAllocHost", &block, bytes);
  *pointer = host(block);
  return result;
}
CUresult CUDAAPI cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return cuMemAllocHost_v2(pointer, bytes);
}
CUresult CUDAAPI cuMemFreeHost(void* pointer) {
  return release(38, "cuMemFreeHost", reinterpret_cast<CUdeviceptr>(pointer));
}

CUresult CUDAAPI cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  SIM_CONTEXT("cuMemGetInfo");
  const std::lock_guard lock(blocks_mutex);
  *total_bytes = device_bytes();
  *free_bytes = *total_bytes - bytes_in_use;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return transfer({276, "cuMemcpyHtoD_v2", Moved::copy, to_device, true}, bytes, nullptr,
                  [&] { std::memcpy(host(to), from, bytes); });
}
CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                                      CUstream stream) {
  return transfer({277, "cuMemcpyHtoDAsync_v2", Moved::copy, to_device, false}, bytes, stream,
                  [&] { std::memcpy(host(to), from, bytes); });
}
CUresult CUDAAPI cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return transfer({278, "cuMemcpyDtoH_v2", Moved::copy, to_host, true}, bytes, nullptr,
                  [&] { std::memcpy(to, host(from), bytes); });
}
CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                      CUstream stream) {
  return transfer({279, "cuMemcpyDtoHAsync_v2", Moved::copy, to_host, false}, bytes, stream,
                  [&] { std::memcpy(to, host(from), bytes); });
}
CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return transfer({280, "cuMemcpyDtoD_v2", Moved::copy, on_device, false}, bytes, nullptr,
                  [&] { std::memmove(host(to), host(from), bytes); });
}
CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                      CUstream stream) {
  return transfer({281, "cuMemcpyDtoDAsync_v2", Moved::copy, on_device, false}, bytes, stream,
                  [&] { std::memmove(host(to), host(from), bytes); });
}
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                   std::size_t bytes, CUstream stream) {
  return transfer({319, "cuMemcpyPeerAsync", Moved::peer_copy, unknown, false}, bytes, stream,
                  [&] { std::memmove(host(to), host(from), bytes); });
}

CUresult CUDAAPI cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count) {
  return set(249, "cuMemsetD8_v2", to, value, count, nullptr);
}
CUresult CUDAAPI cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count) {
  return set(250, "cuMemsetD16_v2", to, value, count, nullptr);
}
CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  return set(251, "cuMemsetD32_v2", to, value, count, nullptr);
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count,
                                 CUstream stream) {
  return set(216, "cuMemsetD8Async", to, value, count, stream);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count,
                                  CUstream stream) {
  return set(220, "cuMemsetD32Async", to, value, count, stream);
}

}  // extern "C"
