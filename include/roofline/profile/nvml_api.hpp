#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

/// The calls of NVIDIA's management library that we make, opened while the program runs like the
/// driver: clocks, power, MIG, other processes. It is never needed for a verdict; what it does not
/// tell stays absent.
namespace roofline::nvml {

using Status = int;  ///< nvmlReturn_t: 0 is success
using Handle = struct HandleTag*;

struct PciInfo {  ///< nvmlPciInfo_t
  char bus_legacy[16];
  unsigned domain, bus, device, device_and_vendor, subsystem;
  char bus_id[32];
};
struct ProcessInfo {  ///< nvmlProcessInfo_t, version 2 and later
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

struct Api {
  std::string path;
  Status (*init)() = nullptr;
  Status (*driver_version)(char* text, unsigned size) = nullptr;
  Status (*device_count)(unsigned* count) = nullptr;
  Status (*by_index)(unsigned index, Handle* device) = nullptr;
  Status (*by_uuid)(const char* uuid, Handle* device) = nullptr;
  Status (*by_pci_bus)(const char* bus, Handle* device) = nullptr;

  // nullptr where the library lacks one.
  Status (*name)(Handle, char* text, unsigned size) = nullptr;
  Status (*pci_info)(Handle, PciInfo* info) = nullptr;
  Status (*power_limit_mw)(Handle, unsigned* milliwatts) = nullptr;
  Status (*power_mw)(Handle, unsigned* milliwatts) = nullptr;
  Status (*clock_mhz)(Handle, int kind, unsigned* megahertz) = nullptr;
  Status (*max_clock_mhz)(Handle, int kind, unsigned* megahertz) = nullptr;
  Status (*throttle_reasons)(Handle, unsigned long long* reasons) = nullptr;
  Status (*mig_mode)(Handle, unsigned* current, unsigned* pending) = nullptr;
  Status (*virtualization)(Handle, int* mode) = nullptr;
  Status (*processes)(Handle, unsigned* count, ProcessInfo* processes) = nullptr;
  Status (*temperature)(Handle, int sensor, unsigned* celsius) = nullptr;
};

/// Opens libnvidia-ml.so.1 and starts it. Errors: no_device (it is not there, or does not start).
Result<Api> open_management();

/// The device that the driver names by UUID, else by PCI bus. nullptr: the library does not know
/// it.
Handle find_device(const Api& api, const std::string& uuid, const std::string& pci_bus);

enum class Virtualization { none, passthrough, vgpu, host_vgpu, host_vsga };

struct Process {
  unsigned pid = 0;
  std::optional<std::uint64_t> memory_bytes;
};

/// A device as it is now.
struct State {
  std::string pci_id;  ///< "10de:2330"
  std::optional<double> power_limit_w, power_w;
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz, temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  ///< bits, see slowdown_reasons()
  std::optional<bool> mig;
  std::optional<Virtualization> virtualization;
  std::optional<std::vector<Process>> processes;  ///< compute processes, this one included
};
State read_state(const Api& api, Handle device);

/// What slows the clocks down, in words: "power cap", "thermal slowdown". Idle and user settings
/// are no slowdown.
std::vector<std::string_view> slowdown_reasons(std::uint64_t reasons);

/// The version of the driver, "580.65.06"; empty where it does not tell.
std::string driver_version(const Api& api);

}  // namespace roofline::nvml
