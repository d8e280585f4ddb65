#include "roofline/profile/nvml_api.hpp"

#include <fmt/format.h>

#include "profile/driver/shared_library.hpp"

namespace roofline::nvml {
namespace {

const std::string kFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"};

constexpr int kClockSm = 1, kClockMemory = 2, kSensorGpu = 0;
constexpr Status kInsufficientSize = 7;

struct Slowdown {
  std::uint64_t bit;
  std::string_view words;
};
// nvmlClocksEventReasons; 0x1 (idle), 0x2 (clocks set by the user) and 0x100 (display) slow nothing
// that was asked for.
constexpr Slowdown kSlowdowns[] = {
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost with another GPU"},
    {0x20, "thermal slowdown"},
    {0x40, "thermal slowdown (hardware)"},
    {0x80, "power brake"},
};

std::optional<unsigned> number(Status (*call)(Handle, unsigned*), Handle device) {
  unsigned value = 0;
  if (!call || call(device, &value) != 0) return std::nullopt;
  return value;
}

std::optional<unsigned> number(Status (*call)(Handle, int, unsigned*), Handle device, int kind) {
  unsigned value = 0;
  if (!call || call(device, kind, &value) != 0) return std::nullopt;
  return value;
}

std::optional<double> watts(Status (*call)(Handle, unsigned*), Handle device) {
  const auto milliwatts = number(call, device);
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

std::optional<std::vector<Process>> read_processes(const Api& api, Handle device) {
  if (!api.processes) return std::nullopt;
  std::vector<ProcessInfo> infos(64);
  for (int attempt = 0; attempt < 4; ++attempt) {  // the list may grow between the two calls
    auto count = static_cast<unsigned>(infos.size());
    const auto status = api.processes(device, &count, infos.data());
    if (status == kInsufficientSize) {
      infos.resize(static_cast<std::size_t>(count) + 16);
      continue;
    }
    if (status != 0) return std::nullopt;
    std::vector<Process> processes;
    for (unsigned i = 0; i < count && i < infos.size(); ++i) {
      Process process{infos[i].pid, std::nullopt};
      // All ones: the library may not tell (WSL, no permission).
      if (infos[i].memory != ~0ULL) process.memory_bytes = infos[i].memory;
      processes.push_back(process);
    }
    return processes;
  }
  return std::nullopt;
}

}  // namespace

Result<Api> open_management() {
  const std::string names[] = {"libnvidia-ml.so.1"};
  const auto library = profile::open_library(names, kFolders);
  if (!library)
    return fail(
        Code::no_device, {}, "libnvidia-ml.so.1 was not found",
        "it comes with the driver; in a container, add \"utility\" to NVIDIA_DRIVER_CAPABILITIES");
  Api api;
  api.path = library.path;
  profile::SymbolBinder bind(library);
  bind.need(api.init, "nvmlInit_v2");
  bind.need(api.driver_version, "nvmlSystemGetDriverVersion");
  bind.need(api.device_count, "nvmlDeviceGetCount_v2");
  bind.need(api.by_index, "nvmlDeviceGetHandleByIndex_v2");
  bind.need(api.by_uuid, "nvmlDeviceGetHandleByUUID");
  bind.need(api.by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  bind.maybe(api.name, "nvmlDeviceGetName");
  bind.maybe(api.pci_info, "nvmlDeviceGetPciInfo_v3");
  bind.maybe(api.power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
  bind.maybe(api.power_mw, "nvmlDeviceGetPowerUsage");
  bind.maybe(api.clock_mhz, "nvmlDeviceGetClockInfo");
  bind.maybe(api.max_clock_mhz, "nvmlDeviceGetMaxClockInfo");
  bind.maybe(api.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  bind.maybe(api.mig_mode, "nvmlDeviceGetMigMode");
  bind.maybe(api.virtualization, "nvmlDeviceGetVirtualizationMode");
  bind.maybe(api.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (!api.processes) bind.maybe(api.processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  bind.maybe(api.temperature, "nvmlDeviceGetTemperature");
  if (!bind.missing().empty())
    return fail(Code::no_device, {}, fmt::format("{} lacks {}", library.path, bind.missing()),
                "update the driver");
  if (const auto status = api.init(); status != 0)
    return fail(Code::no_device, {}, fmt::format("nvmlInit answers {}", status),
                status == 9 ? "the kernel module is not loaded: modprobe nvidia as root"
                            : "nvidia-smi says more");
  return api;
}

Handle find_device(const Api& api, const std::string& uuid, const std::string& pci_bus) {
  Handle device = nullptr;
  if (!uuid.empty() && api.by_uuid(uuid.c_str(), &device) == 0) return device;
  if (!pci_bus.empty() && api.by_pci_bus(pci_bus.c_str(), &device) == 0) return device;
  return nullptr;
}

State read_state(const Api& api, Handle device) {
  State state;
  if (PciInfo pci{}; api.pci_info && api.pci_info(device, &pci) == 0)
    state.pci_id =
        fmt::format("{:04x}:{:04x}", pci.device_and_vendor & 0xffffU, pci.device_and_vendor >> 16);
  state.power_limit_w = watts(api.power_limit_mw, device);
  state.power_w = watts(api.power_mw, device);
  state.sm_clock_mhz = number(api.clock_mhz, device, kClockSm);
  state.memory_clock_mhz = number(api.clock_mhz, device, kClockMemory);
  state.max_sm_clock_mhz = number(api.max_clock_mhz, device, kClockSm);
  state.temperature_c = number(api.temperature, device, kSensorGpu);
  if (unsigned long long reasons = 0;
      api.throttle_reasons && api.throttle_reasons(device, &reasons) == 0)
    state.throttle_reasons = reasons;
  if (unsigned current = 0, pending = 0;
      api.mig_mode && api.mig_mode(device, &current, &pending) == 0)
    state.mig = current != 0;
  if (int mode = 0;
      api.virtualization && api.virtualization(device, &mode) == 0 && mode >= 0 && mode <= 4)
    state.virtualization = static_cast<Virtualization>(mode);
  state.processes = read_processes(api, device);
  return state;
}

std::vector<std::string_view> slowdown_reasons(std::uint64_t reasons) {
  std::vector<std::string_view> words;
  for (const auto& row : kSlowdowns)
    if (reasons & row.bit) words.push_back(row.words);
  return words;
}

std::string driver_version(const Api& api) {
  char text[96] = {};
  if (!api.driver_version || api.driver_version(text, sizeof text - 1) != 0) return {};
  return text;
}

}  // namespace roofline::nvml
