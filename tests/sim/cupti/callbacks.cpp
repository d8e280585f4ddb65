// SIMULATED CUPTI: version, the one subscriber, callbacks, numbers of contexts.
#include "profiler.hpp"
#include "state.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <bitset>
#include <cstdio>
#include <cstring>

namespace roofline::sim {
namespace {

constexpr std::size_t kCallbacks = 2048;
CUpti_CallbackFunc callback = nullptr;
void* callback_user = nullptr;
std::bitset<kCallbacks> enabled[CUPTI_CB_DOMAIN_SIZE];

bool is_enabled(CUpti_CallbackDomain domain, std::uint32_t id) {
  return callback && id < kCallbacks && enabled[domain][id];
}

void on_call(const Call& call) {
  if (is_enabled(CUPTI_CB_DOMAIN_DRIVER_API, call.id)) {
    CUpti_CallbackData data{};
    CUresult result = CUDA_SUCCESS;
    static thread_local std::uint64_t between_enter_and_exit = 0;
    data.callbackSite = call.enter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
    data.functionName = call.name;
    data.functionParams = call.parameters;
    data.functionReturnValue = &result;
    data.symbolName = call.symbol;
    data.context = static_cast<CUcontext>(call.context);
    data.contextUid = call.context_id;
    data.correlationId = call.correlation;
    data.correlationData = &between_enter_and_exit;
    callback(callback_user, CUPTI_CB_DOMAIN_DRIVER_API, call.id, &data);
  }
  if (!call.enter) record_call(call);
}

#ifdef ROOFLINE_SIM_PROFILER
void on_kernel(const KernelRun& run) {
  count_launch(run.name, run.context);
  record_kernel(run);
}
#else
constexpr auto on_kernel = record_kernel;
#endif

void on_kernel_then_fail(const KernelRun& run) {
  on_kernel(run);
  static const std::uint64_t fatal_after = number_setting("SIMCUPTI_FATAL_AFTER", 0);
  static std::atomic<std::uint64_t> kernels{0};
  if (fatal_after == 0 || ++kernels != fatal_after) return;
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_UNKNOWN;
  data.notification.message = "simulated fatal error";
  call_back(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
}

void on_resource(std::uint32_t id, void* context, const ModuleImage* module) {
  CUpti_ModuleResourceData image{};
  CUpti_ResourceData data{};
  data.context = static_cast<CUcontext>(context);
  if (module) {
    image.moduleId = module->id;
    image.cubinSize = module->size;
    image.pCubin = static_cast<const char*>(module->bytes);
    data.resourceDescriptor = &image;
  }
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) record_module_load();
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

constexpr Hooks kHooks{on_call, on_kernel, record_copy, record_wait, record_graph, on_resource};

struct CallName {
  std::uint32_t id;
  const char* name;
};
// The driver calls that the simulated driver makes; real CUPTI names all of them.
constexpr CallName kCallNames[] = {
    {17, "cuCtxSynchronize"},
    {18, "cuModuleLoad"},
    {19, "cuModuleLoadData"},
    {20, "cuModuleLoadDataEx"},
    {21, "cuModuleLoadFatBinary"},
    {38, "cuMemFreeHost"},
    {119, "cuEventRecord"},
    {121, "cuEventSynchronize"},
    {126, "cuStreamSynchronize"},
    {216, "cuMemsetD8Async"},
    {220, "cuMemsetD32Async"},
    {243, "cuMemAlloc_v2"},
    {245, "cuMemFree_v2"},
    {249, "cuMemsetD8_v2"},
    {250, "cuMemsetD16_v2"},
    {251, "cuMemsetD32_v2"},
    {276, "cuMemcpyHtoD_v2"},
    {277, "cuMemcpyHtoDAsync_v2"},
    {278, "cuMemcpyDtoH_v2"},
    {279, "cuMemcpyDtoHAsync_v2"},
    {280, "cuMemcpyDtoD_v2"},
    {281, "cuMemcpyDtoDAsync_v2"},
    {294, "cuMemAllocHost_v2"},
    {295, "cuStreamWaitEvent"},
    {307, "cuLaunchKernel"},
    {319, "cuMemcpyPeerAsync"},
    {371, "cuMemAllocManaged"},
    {442, "cuLaunchKernel_ptsz"},
    {477, "cuLaunchCooperativeKernel"},
    {480, "cuLaunchCooperativeKernelMultiDevice"},
    {497, "cuStreamEndCapture"},
    {514, "cuGraphLaunch"},
    {539, "cuStreamBeginCapture_v2"},
    {598, "cuMemAllocAsync"},
    {600, "cuMemFreeAsync"},
    {652, "cuLaunchKernelEx"},
    {653, "cuLaunchKernelEx_ptsz"},
    {678, "cuLibraryLoadData"},
};

std::uint32_t version() {
  return static_cast<std::uint32_t>(number_setting("SIMCUPTI_VERSION", CUPTI_API_VERSION));
}

bool is_newer_than_driver() {
  int driver_version = 0;
  if (!driver() || driver()->version(&driver_version) != CUDA_SUCCESS) return true;
  const int major = version() >= 100000 ? static_cast<int>(version() / 10000) : 12;
  return major > driver_version / 1000;
}

}  // namespace

const Driver* driver() {
  static Driver found;
  static const bool loaded = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return false;
    const auto load = [&](const char* name, auto& function) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return load("simcuda_set_hooks", found.set_hooks) && load("simcuda_now", found.now) &&
           load("simcuda_context_numbers", found.context_numbers) &&
           load("cuDriverGetVersion", found.version);
  }();
  return loaded ? &found : nullptr;
}

bool attach() {
  if (!driver()) return false;
  static const Hooks hooks = [] {
    Hooks h = kHooks;
    if (std::getenv("SIMCUPTI_FATAL_AFTER")) h.kernel = on_kernel_then_fail;
    return h;
  }();
  driver()->set_hooks(&hooks);
  return true;
}

CUptiResult failure(const char* call) {
  static const std::string list = text_setting("SIMCUPTI_FAIL");
  return list.empty() ? CUPTI_SUCCESS : static_cast<CUptiResult>(listed_number(list, call, 0));
}

void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (is_enabled(domain, id)) callback(callback_user, domain, id, data);
}

}  // namespace roofline::sim

extern "C" {

using roofline::sim::failure;

CUptiResult CUPTIAPI cuptiGetVersion(std::uint32_t* version) {
  *version = roofline::sim::version();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function,
                                    void* user) {
  using namespace roofline::sim;
  if (const auto failed = failure("cuptiSubscribe"); failed) return failed;
  if (is_newer_than_driver()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (callback) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (!attach()) return CUPTI_ERROR_UNKNOWN;
  callback = function;
  callback_user = user;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(1);
  return CUPTI_SUCCESS;
}

struct SimSubscriberParams {  // CUpti_SubscriberParams, which headers before CUDA 13 lack
  std::size_t size;
  const char* name;
  char* other_name;
  std::size_t other_size;
};
// By another name here: its declaration in the headers depends on their version.
CUptiResult subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function,
                         void* user, SimSubscriberParams* params) asm("cuptiSubscribe_v2");
CUptiResult subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function,
                         void* user, SimSubscriberParams* params) {
  const auto result = cuptiSubscribe(subscriber, function, user);
  const auto other = roofline::sim::text_setting("SIMCUPTI_OTHER_CLIENT");
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params && params->other_name)
    std::snprintf(params->other_name, params->other_size, "%s", other.c_str());
  return result;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  roofline::sim::callback = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (const auto failed = failure("cuptiEnableCallback"); failed) return failed;
  if (id >= roofline::sim::kCallbacks) return CUPTI_ERROR_INVALID_PARAMETER;
  roofline::sim::enabled[domain][id] = enable != 0;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableDomain(std::uint32_t enable, CUpti_SubscriberHandle,
                                       CUpti_CallbackDomain domain) {
  if (enable)
    roofline::sim::enabled[domain].set();
  else
    roofline::sim::enabled[domain].reset();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id,
                                          const char** name) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    for (const auto& known : roofline::sim::kCallNames)
      if (known.id == id) {
        *name = known.name;
        return CUPTI_SUCCESS;
      }
  return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
  static thread_local char name[32];
  std::snprintf(name, sizeof name, "simulated result %d", static_cast<int>(result));
  *text = name;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetTimestamp(std::uint64_t* time) {
  if (!roofline::sim::driver()) return CUPTI_ERROR_UNKNOWN;
  *time = roofline::sim::driver()->now();
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetContextId(CUcontext context, std::uint32_t* id) {
  if (!roofline::sim::driver()) return CUPTI_ERROR_UNKNOWN;
  *id = roofline::sim::driver()->context_numbers(context).context;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, std::uint32_t* id) {
  if (!roofline::sim::driver()) return CUPTI_ERROR_UNKNOWN;
  *id = roofline::sim::driver()->context_numbers(context).device;
  return CUPTI_SUCCESS;
}

}  // extern "C"
