// SIMULATED driver: start, versions, errors, entry points by name.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "state.hpp"

namespace {

std::atomic<bool> is_initialised{false};

// As the real driver: the library is loaded once, in the first cuInit.
void load_injection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "simulated driver: cannot load %s: %s\n", path, dlerror());
    return;
  }
  using Initialise = int (*)();
  if (auto initialise = reinterpret_cast<Initialise>(dlsym(library, "InitializeInjection")))
    initialise();
  else
    std::fprintf(stderr, "simulated driver: %s has no InitializeInjection\n", path);
}

constexpr std::uint32_t kResourceCuInitFinished = 5;

struct ErrorName {
  CUresult code;
  const char *name, *text;
};
constexpr ErrorName kErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};
const ErrorName* find_error(CUresult code) {
  for (const auto& error : kErrors)
    if (error.code == code) return &error;
  return nullptr;
}

}  // namespace

bool roofline::sim::initialised() { return is_initialised.load(std::memory_order_relaxed); }

extern "C" {

CUresult CUDAAPI cuInit(unsigned flags) {
  if (const CUresult failed = roofline::sim::failure("cuInit"); failed) return failed;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  static std::once_flag once;
  std::call_once(once, [] {
    load_injection();
    is_initialised = true;
    if (const auto* hooks = roofline::sim::hooks; hooks && hooks->resource)
      hooks->resource(kResourceCuInitFinished, nullptr, nullptr);
  });
  return CUDA_SUCCESS;
}

/// Private tables of functions, which NVIDIA's own libraries ask for. NVRTC 13.0 takes a refusal, but
/// not the absence of this call.
CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid*) {
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = static_cast<int>(roofline::sim::number_setting("SIMCUDA_DRIVER_VERSION", 13000));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult code, const char** name) {
  const auto* error = find_error(code);
  *name = error ? error->name : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult code, const char** text) {
  const auto* error = find_error(code);
  *text = error ? error->text : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** address, int, cuuint64_t,
                                     CUdriverProcAddressQueryResult* found) {
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&cuDriverGetVersion), &self);
  void* const library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  *address = nullptr;
  for (const char* version : {"_v4", "_v3", "_v2", ""})
    if ((*address = dlsym(library, (std::string(name) + version).c_str()))) break;
  if (found) *found = *address ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
