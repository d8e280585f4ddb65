#include "roofline/profile/cuda_api.hpp"

#include <fmt/format.h>

#include "profile/driver/shared_library.hpp"

namespace roofline::cuda {
namespace {

using profile::SharedLibrary;
using profile::SymbolBinder;

// Where drivers and container runtimes put libcuda when the loader's cache does not know it.
const std::string kFolders[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
    "/usr/lib/wsl/lib",          "/usr/local/nvidia/lib64",    "/usr/lib/x86_64-linux-gnu/nvidia",
    "/run/opengl-driver/lib",
};

void bind_devices(Api& api, SymbolBinder& bind) {
  bind.need(api.init, "cuInit");
  bind.need(api.driver_version, "cuDriverGetVersion");
  bind.need(api.error_name, "cuGetErrorName");
  bind.need(api.error_text, "cuGetErrorString");
  bind.need(api.device_count, "cuDeviceGetCount");
  bind.need(api.device_get, "cuDeviceGet");
  bind.need(api.device_name, "cuDeviceGetName");
  bind.need(api.device_attribute, "cuDeviceGetAttribute");
  bind.need(api.device_memory, "cuDeviceTotalMem_v2");
  bind.maybe(api.device_pci, "cuDeviceGetPCIBusId");
  bind.maybe(api.device_uuid,
             "cuDeviceGetUuid_v2");  // of a MIG instance where the other one is its whole device's
  if (!api.device_uuid) bind.maybe(api.device_uuid, "cuDeviceGetUuid");
}

void bind_kernels(Api& api, SymbolBinder& bind) {
  bind.need(api.primary_context, "cuDevicePrimaryCtxRetain");
  bind.need(api.release_primary_context, "cuDevicePrimaryCtxRelease_v2");
  bind.need(api.set_context, "cuCtxSetCurrent");
  bind.need(api.synchronize, "cuCtxSynchronize");
  bind.need(api.load_module, "cuModuleLoadData");
  bind.need(api.load_module_with, "cuModuleLoadDataEx");
  bind.need(api.unload_module, "cuModuleUnload");
  bind.need(api.module_function, "cuModuleGetFunction");
  bind.need(api.function_attribute, "cuFuncGetAttribute");
  bind.need(api.set_function_attribute, "cuFuncSetAttribute");
  bind.need(api.launch, "cuLaunchKernel");
  bind.maybe(api.parameter_info, "cuFuncGetParamInfo");
  bind.maybe(api.begin_capture, "cuStreamBeginCapture_v2");
  bind.maybe(api.end_capture, "cuStreamEndCapture");
  bind.maybe(api.instantiate_graph, "cuGraphInstantiateWithFlags");
  bind.maybe(api.launch_graph, "cuGraphLaunch");
  bind.maybe(api.destroy_graph, "cuGraphDestroy");
  bind.maybe(api.destroy_graph_exec, "cuGraphExecDestroy");
}

void bind_memory(Api& api, SymbolBinder& bind) {
  bind.need(api.allocate, "cuMemAlloc_v2");
  bind.need(api.free, "cuMemFree_v2");
  bind.need(api.memory_info, "cuMemGetInfo_v2");
  bind.need(api.copy_to_device, "cuMemcpyHtoD_v2");
  bind.need(api.copy_from_device, "cuMemcpyDtoH_v2");
  bind.need(api.copy_on_device_async, "cuMemcpyDtoDAsync_v2");
  bind.need(api.fill_bytes, "cuMemsetD8_v2");
  bind.need(api.fill_words_async, "cuMemsetD32Async");
  bind.need(api.allocate_host, "cuMemAllocHost_v2");
  bind.need(api.free_host, "cuMemFreeHost");
  bind.need(api.copy_to_device_async, "cuMemcpyHtoDAsync_v2");
  bind.need(api.copy_from_device_async, "cuMemcpyDtoHAsync_v2");
}

void bind_streams(Api& api, SymbolBinder& bind) {
  bind.need(api.create_stream, "cuStreamCreate");
  bind.need(api.destroy_stream, "cuStreamDestroy_v2");
  bind.need(api.synchronize_stream, "cuStreamSynchronize");
  bind.need(api.create_event, "cuEventCreate");
  bind.need(api.destroy_event, "cuEventDestroy_v2");
  bind.need(api.record_event, "cuEventRecord");
  bind.need(api.synchronize_event, "cuEventSynchronize");
  bind.need(api.elapsed_ms, "cuEventElapsedTime");
}

tl::unexpected<Error> no_driver(const SharedLibrary& library) {
  if (library.only_stub)
    return fail(Code::no_device, {},
                fmt::format("no CUDA device: the only libcuda found is a stub for linking ({})",
                            library.path),
                "take the toolkit's stubs folder out of LD_LIBRARY_PATH; the real library comes "
                "with the driver");
  const bool absent =
      library.fault.empty() || library.fault.find("No such file") != std::string::npos;
  if (absent)
    return fail(Code::no_device, {},
                "no CUDA device: the driver is not loaded (libcuda.so.1 not found)",
                "roofline doctor says what is missing; in a container, start it with GPU access "
                "(--gpus all) and "
                "the NVIDIA container runtime");
  return fail(Code::no_device, {},
              fmt::format("no CUDA device: libcuda.so.1 cannot be loaded: {}", library.fault),
              "roofline doctor says what is missing");
}

}  // namespace

Result<Api> open_driver() {
  const std::string names[] = {"libcuda.so.1"};
  const auto library = profile::open_library(names, kFolders);
  if (!library) return no_driver(library);
  Api api;
  api.path = library.path;
  SymbolBinder bind(library);
  bind_devices(api, bind);
  bind_kernels(api, bind);
  bind_memory(api, bind);
  bind_streams(api, bind);
  if (!bind.missing().empty())
    return fail(Code::no_device, {},
                fmt::format("{} lacks {}: the driver is too old", library.path, bind.missing()),
                "CUDA 11.4 or later is needed (driver 470)");
  return api;
}

}  // namespace roofline::cuda
