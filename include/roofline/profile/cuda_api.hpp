#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

/// The calls of the CUDA driver that we make, as a struct of pointers: libcuda is opened while the
/// program runs, never linked, so that one binary starts on machines without a GPU, and a test can
/// put its own functions in their place. Types are our own and match the driver's ABI; no CUDA
/// header is needed.
namespace roofline::cuda {

using Status = int;  ///< CUresult: 0 is success, the others have their row in driver_statuses()
using Device = int;
using Address = std::uint64_t;  ///< CUdeviceptr
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

/// CUdevice_attribute, those that we read.
enum class Attribute : int {
  max_threads_per_block = 1,
  max_shared_memory_per_block = 8,
  clock_khz = 13,
  multiprocessors = 16,
  integrated = 18,
  compute_mode = 20,  ///< 0 default, 2 prohibited, 3 one process
  ecc = 32,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
  cooperative_launch = 95,
  max_shared_memory_per_block_optin = 97,
  mps = 133,
  pci_device_id = 139,  ///< device << 16 | vendor; newer drivers only
};

/// CUfunction_attribute, those that we read or set.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  max_dynamic_shared_bytes = 8,
};

struct Uuid {
  unsigned char bytes[16];
};

struct Api {
  std::string
      path;  ///< of the library that was opened, resolved; empty where a test filled the pointers

  Status (*init)(unsigned flags) = nullptr;
  Status (*driver_version)(int* version) = nullptr;  ///< 13000 for CUDA 13.0
  Status (*error_name)(Status status, const char** name) = nullptr;
  Status (*error_text)(Status status, const char** text) = nullptr;

  Status (*device_count)(int* count) = nullptr;
  Status (*device_get)(Device* device, int ordinal) = nullptr;
  Status (*device_name)(char* name, int size, Device device) = nullptr;
  Status (*device_attribute)(int* value, int attribute, Device device) = nullptr;
  Status (*device_uuid)(Uuid* uuid, Device device) = nullptr;
  Status (*device_memory)(std::size_t* bytes, Device device) = nullptr;
  Status (*device_pci)(char* id, int size, Device device) = nullptr;

  Status (*primary_context)(Context* context, Device device) = nullptr;
  Status (*release_primary_context)(Device device) = nullptr;
  Status (*set_context)(Context context) = nullptr;
  Status (*synchronize)() = nullptr;

  Status (*load_module)(Module* module, const void* image) = nullptr;
  Status (*load_module_with)(Module* module, const void* image, unsigned options, int* keys,
                             void** values) = nullptr;
  Status (*unload_module)(Module module) = nullptr;
  Status (*module_function)(Function* function, Module module, const char* name) = nullptr;
  Status (*function_attribute)(int* value, int attribute, Function function) = nullptr;
  Status (*set_function_attribute)(Function function, int attribute, int value) = nullptr;

  Status (*allocate)(Address* address, std::size_t bytes) = nullptr;
  Status (*free)(Address address) = nullptr;
  Status (*memory_info)(std::size_t* free_bytes, std::size_t* total_bytes) = nullptr;
  Status (*copy_to_device)(Address to, const void* from, std::size_t bytes) = nullptr;
  Status (*copy_from_device)(void* to, Address from, std::size_t bytes) = nullptr;
  Status (*copy_on_device_async)(Address to, Address from, std::size_t bytes,
                                 Stream stream) = nullptr;
  Status (*fill_bytes)(Address to, unsigned char value, std::size_t count) = nullptr;
  Status (*fill_words_async)(Address to, unsigned value, std::size_t count,
                             Stream stream) = nullptr;
  Status (*allocate_host)(void** address, std::size_t bytes) = nullptr;  ///< pinned
  Status (*free_host)(void* address) = nullptr;
  Status (*copy_to_device_async)(Address to, const void* from, std::size_t bytes,
                                 Stream stream) = nullptr;
  Status (*copy_from_device_async)(void* to, Address from, std::size_t bytes,
                                   Stream stream) = nullptr;

  Status (*create_stream)(Stream* stream, unsigned flags) = nullptr;
  Status (*destroy_stream)(Stream stream) = nullptr;
  Status (*synchronize_stream)(Stream stream) = nullptr;
  Status (*create_event)(Event* event, unsigned flags) = nullptr;
  Status (*destroy_event)(Event event) = nullptr;
  Status (*record_event)(Event event, Stream stream) = nullptr;
  Status (*synchronize_event)(Event event) = nullptr;
  Status (*elapsed_ms)(float* milliseconds, Event start, Event end) = nullptr;

  Status (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Stream stream, void** arguments, void** extra) = nullptr;

  // Absent (nullptr) where the driver lacks one of them.
  Status (*parameter_info)(Function function, std::size_t index, std::size_t* offset,
                           std::size_t* size) = nullptr;
  Status (*begin_capture)(Stream stream, int mode) = nullptr;
  Status (*end_capture)(Stream stream, Graph* graph) = nullptr;
  Status (*instantiate_graph)(GraphExec* exec, Graph graph, unsigned long long flags) = nullptr;
  Status (*launch_graph)(GraphExec exec, Stream stream) = nullptr;
  Status (*destroy_graph)(Graph graph) = nullptr;
  Status (*destroy_graph_exec)(GraphExec exec) = nullptr;
};

/// Opens libcuda.so.1 by the loader's path, then in the folders where drivers put it; a library in
/// a `stubs` folder is passed over, for it answers nothing. It is never closed. Errors: no_device,
/// saying which of not found, stub alone, cannot be loaded, or too old (a call is missing) it is.
Result<Api> open_driver();

/// One CUresult of the kind that users meet: its name, what it means, and what to do.
struct StatusEntry {
  Status status;
  std::string_view name, meaning, remedy;
};
std::span<const StatusEntry> driver_statuses();
const StatusEntry* find_status(Status status);
/// "CUDA_ERROR_NO_DEVICE (100): no GPU is visible to this process". The driver's own words where we
/// have no row.
std::string describe_status(const Api& api, Status status);
/// cuInit's answer as an error (no_device) with its remedy.
Error init_error(const Api& api, Status status);
/// Another call's answer as an error (driver_failed): "cuMemAlloc of 3 GB failed: ...".
Error call_error(const Api& api, Status status, std::string_view call);

/// What the driver says of one device. Figures that it does not tell are 0, texts empty.
struct DeviceInfo {
  int ordinal = 0;
  std::string name, uuid, pci_bus;  ///< uuid "GPU-5e0c..", pci_bus "0000:1b:00.0"
  int capability_major = 0, capability_minor = 0;
  std::uint64_t sm_count = 0, memory_bytes = 0, bus_bits = 0, l2_bytes = 0;
  std::uint64_t clock_khz = 0, memory_clock_khz = 0;
  std::uint64_t shared_bytes_optin = 0;  ///< largest shared memory of a block, opted in
  std::string pci_id;                    ///< "10de:2330"; empty where the driver does not tell
  bool ecc = false, integrated = false, mps = false;
  int compute_mode = 0;
  bool simulated = false;  ///< the test double of tests/sim: no such GPU exists
};

/// All devices that this process sees. `api` must be initialised. Errors: no_device (none is
/// visible), driver_failed.
Result<std::vector<DeviceInfo>> list_devices(const Api& api);

}  // namespace roofline::cuda
