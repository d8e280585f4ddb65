// SIMULATED driver: contexts. A thread has a stack of them; here its top alone is kept with the
// stack's order.
#include <algorithm>
#include <map>

#include "state.hpp"

namespace {

using roofline::sim::Context;

constexpr std::uint32_t kContextCreated = 1, kContextDestroyStarting = 2;
constexpr std::uint32_t kContextSynchronize = 4;

thread_local std::vector<Context*> stack;
std::mutex primary_mutex;
std::map<int, Context*> primaries;

void tell(std::uint32_t id, Context* context) {
  if (const auto* hooks = roofline::sim::hooks; hooks && hooks->resource)
    hooks->resource(id, context, nullptr);
}

void update_current() {
  roofline::sim::set_current_context(stack.empty() ? nullptr : stack.back());
}

Context* make_context(int device) {
  auto* context = new Context;
  static std::atomic<std::uint32_t> contexts{0};
  context->id = ++contexts;
  context->device = device;
  context->null_stream.id = 7;  // as CUPTI numbers a context's default stream
  context->null_stream.context = context;
  tell(kContextCreated, context);
  return context;
}

Context* from_handle(CUcontext handle) { return reinterpret_cast<Context*>(handle); }
CUcontext to_handle(Context* context) { return reinterpret_cast<CUcontext>(context); }

CUresult create(CUcontext* handle, CUdevice device) {
  SIM_ENTRY("cuCtxCreate");
  Context* context = make_context(device);
  stack.push_back(context);
  update_current();
  *handle = to_handle(context);
  return CUDA_SUCCESS;
}

std::uint64_t all_done(Context& context) {
  std::uint64_t end = context.null_stream.end.load();
  const std::lock_guard lock(context.mutex);
  for (const auto* stream : context.streams) end = std::max(end, stream->end.load());
  return end;
}

}  // namespace

extern "C" {

#undef cuCtxCreate
CUresult CUDAAPI cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  return create(context, device);
}
CUresult CUDAAPI cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned,
                                CUdevice device) {
  return create(context, device);
}
CUresult CUDAAPI cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice device) {
  return create(context, device);
}

CUresult CUDAAPI cuCtxDestroy_v2(CUcontext handle) {
  SIM_ENTRY("cuCtxDestroy");
  Context* context = from_handle(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  tell(kContextDestroyStarting, context);
  std::erase(stack, context);
  update_current();
  for (auto* stream : context->streams) delete stream;
  delete context;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice device) {
  SIM_ENTRY("cuDevicePrimaryCtxRetain");
  const std::lock_guard lock(primary_mutex);
  auto& context = primaries[device];
  if (!context) context = make_context(device);
  *handle = to_handle(context);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice) {
  SIM_ENTRY("cuDevicePrimaryCtxRelease");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext handle) {
  SIM_ENTRY("cuCtxSetCurrent");
  if (!stack.empty()) stack.pop_back();
  if (handle) stack.push_back(from_handle(handle));
  update_current();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetCurrent(CUcontext* handle) {
  SIM_ENTRY("cuCtxGetCurrent");
  *handle = to_handle(roofline::sim::current_context());
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext handle) {
  SIM_ENTRY("cuCtxPushCurrent");
  stack.push_back(from_handle(handle));
  update_current();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext* handle) {
  SIM_CONTEXT("cuCtxPopCurrent");
  if (handle) *handle = to_handle(stack.back());
  stack.pop_back();
  update_current();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  SIM_CONTEXT("cuCtxGetDevice");
  *device = roofline::sim::current_context()->device;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize() {
  SIM_CONTEXT("cuCtxSynchronize");
  roofline::sim::Api call(17, "cuCtxSynchronize");
  const auto from = call.end();
  call.wait(all_done(*roofline::sim::current_context()));
  roofline::sim::record_wait(kContextSynchronize, 0xffffffff, call.correlation(), from);
  return CUDA_SUCCESS;
}

}  // extern "C"
