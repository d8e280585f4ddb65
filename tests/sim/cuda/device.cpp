// SIMULATED driver: devices. The attributes are those of an H100 SXM5 80GB, so that reports can map
// the device by its facts; the name says that it is none.
#include <cstdio>
#include <cstring>

#include "state.hpp"

namespace {

struct Attribute {
  CUdevice_attribute attribute;
  int value;
};
constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 52428800},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
};

bool exists(CUdevice device) {
  return device >= 0 &&
         device < static_cast<int>(roofline::sim::number_setting("SIMCUDA_DEVICES", 1));
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  SIM_ENTRY("cuDeviceGetCount");
  *count = static_cast<int>(roofline::sim::number_setting("SIMCUDA_DEVICES", 1));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  SIM_ENTRY("cuDeviceGet");
  if (!exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice device) {
  SIM_ENTRY("cuDeviceGetName");
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<std::size_t>(size), "%s",
                roofline::sim::text_setting("SIMCUDA_NAME", "SIMULATED GPU").c_str());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  SIM_ENTRY("cuDeviceGetAttribute");
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *value = 0;
  for (const auto& known : kAttributes)
    if (known.attribute == attribute) *value = known.value;
  const auto key = std::to_string(static_cast<int>(attribute));
  *value = static_cast<int>(roofline::sim::listed_number(
      roofline::sim::text_setting("SIMCUDA_ATTRIBUTES"), key, static_cast<std::uint64_t>(*value)));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  SIM_ENTRY("cuDeviceTotalMem");
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = roofline::sim::number_setting("SIMCUDA_MEMORY", 85'520'809'984);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  SIM_ENTRY("cuDeviceGetUuid");
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(uuid->bytes, "SIMULATED-GPU-", 14);
  uuid->bytes[14] = '0';
  uuid->bytes[15] = static_cast<char>('0' + device);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char* id, int size, CUdevice device) {
  SIM_ENTRY("cuDeviceGetPCIBusId");
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02x:00.0", device + 1);
  return CUDA_SUCCESS;
}

}  // extern "C"
