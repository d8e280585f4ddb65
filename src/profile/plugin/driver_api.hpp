#pragma once

#include <cuda.h>

namespace roofline::profile::plugin {

/// The few driver calls that we make ourselves, of the libcuda that is in the process already.
/// Never called inside a CUPTI callback: the driver may hold its locks there.
struct DriverApi {
  CUresult (*driver_version)(int*) = nullptr;
  CUresult (*device_count)(int*) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*device_memory)(std::size_t*, CUdevice) = nullptr;
  CUresult (*device_uuid)(CUuuid*, CUdevice) = nullptr;
  bool simulated = false;  ///< the stand-in driver of the tests
};

/// False: no driver is loaded in this process.
bool load_driver(DriverApi& api) noexcept;

/// 13000 for CUDA 13.0; 0 if the driver does not tell.
int driver_version(const DriverApi& api) noexcept;

}  // namespace roofline::profile::plugin
