// SIMULATED driver: streams and events.
#include <algorithm>

#include "state.hpp"

namespace {

using roofline::sim::Api;
using roofline::sim::Event;
using roofline::sim::Stream;

constexpr std::uint32_t kEventSynchronize = 1, kStreamWaitEvent = 2, kStreamSynchronize = 3;

Event* event_of(CUevent handle) { return reinterpret_cast<Event*>(handle); }

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreate(CUstream* handle, unsigned) {
  SIM_CONTEXT("cuStreamCreate");
  auto* stream = new Stream;
  static std::atomic<std::uint32_t> streams{12};
  stream->id = ++streams;
  stream->context = roofline::sim::current_context();
  {
    const std::lock_guard lock(stream->context->mutex);
    stream->context->streams.push_back(stream);
  }
  *handle = reinterpret_cast<CUstream>(stream);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* handle, unsigned flags, int) {
  return cuStreamCreate(handle, flags);
}
CUresult CUDAAPI cuStreamDestroy_v2(CUstream) {
  SIM_CONTEXT("cuStreamDestroy");
  return CUDA_SUCCESS;  // kept until its context goes: its work still counts
}
CUresult CUDAAPI cuStreamSynchronize(CUstream handle) {
  SIM_CONTEXT("cuStreamSynchronize");
  Api call(126, "cuStreamSynchronize");
  Stream& stream = roofline::sim::stream_of(handle);
  const auto from = call.end();
  call.wait(stream.end.load());
  roofline::sim::record_wait(kStreamSynchronize, stream.id, call.correlation(), from);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamQuery(CUstream handle) {
  SIM_CONTEXT("cuStreamQuery");
  const auto end = roofline::sim::stream_of(handle).end.load();
  return end <= roofline::sim::clock_ns ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  SIM_CONTEXT("cuStreamWaitEvent");
  Api call(295, "cuStreamWaitEvent");
  Stream& stream = roofline::sim::stream_of(handle);
  roofline::sim::occupy(stream, event_of(event)->time, 0);
  roofline::sim::record_wait(kStreamWaitEvent, stream.id, call.correlation(), call.end());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent* handle, unsigned) {
  SIM_CONTEXT("cuEventCreate");
  *handle = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy_v2(CUevent handle) {
  SIM_CONTEXT("cuEventDestroy");
  delete event_of(handle);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventRecord(CUevent handle, CUstream stream) {
  SIM_CONTEXT("cuEventRecord");
  Api call(119, "cuEventRecord");
  const auto end = roofline::sim::stream_of(stream).end.load();
  event_of(handle)->time = std::max(end, call.end());
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventSynchronize(CUevent handle) {
  SIM_CONTEXT("cuEventSynchronize");
  Api call(121, "cuEventSynchronize");
  const auto from = call.end();
  call.wait(event_of(handle)->time);
  roofline::sim::record_wait(kEventSynchronize, 0xffffffff, call.correlation(), from);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventQuery(CUevent handle) {
  SIM_CONTEXT("cuEventQuery");
  return event_of(handle)->time <= roofline::sim::clock_ns ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed(float* milliseconds, CUevent from, CUevent to) {
  SIM_CONTEXT("cuEventElapsedTime");
  *milliseconds = static_cast<float>(
      (static_cast<double>(event_of(to)->time) - static_cast<double>(event_of(from)->time)) / 1e6);
  return CUDA_SUCCESS;
}
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}
CUresult CUDAAPI cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}

}  // extern "C"
