#include "profile/plugin/driver_api.hpp"

#include <dlfcn.h>

namespace roofline::profile::plugin {
namespace {

template <class Function>
void load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

bool load_driver(DriverApi& api) noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library) return false;
  load(library, "cuDriverGetVersion", api.driver_version);
  load(library, "cuDeviceGetCount", api.device_count);
  load(library, "cuDeviceGetName", api.device_name);
  load(library, "cuDeviceGetAttribute", api.device_attribute);
  load(library, "cuDeviceTotalMem_v2", api.device_memory);
  load(library, "cuDeviceGetUuid_v2", api.device_uuid);
  if (!api.device_uuid) load(library, "cuDeviceGetUuid", api.device_uuid);
  api.simulated = dlsym(library, "roofline_simulated_driver") != nullptr;
  return true;
}

int driver_version(const DriverApi& api) noexcept {
  int version = 0;
  return api.driver_version && api.driver_version(&version) == CUDA_SUCCESS ? version : 0;
}

}  // namespace roofline::profile::plugin
