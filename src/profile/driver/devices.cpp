#include <fmt/format.h>

#include <string_view>

#include "roofline/profile/cuda_api.hpp"

namespace roofline::cuda {
namespace {

constexpr std::string_view kSimulatedName = "SIMULATED";

/// An attribute that this driver does not know is 0.
std::uint64_t attribute(const Api& api, Device device, Attribute which) {
  int value = 0;
  if (api.device_attribute(&value, static_cast<int>(which), device) != 0 || value < 0) return 0;
  return static_cast<std::uint64_t>(value);
}

std::string uuid_text(const Api& api, Device device) {
  Uuid uuid{};
  if (!api.device_uuid || api.device_uuid(&uuid, device) != 0) return {};
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

std::string pci_bus_text(const Api& api, Device device) {
  char text[32] = {};
  if (!api.device_pci || api.device_pci(text, sizeof text - 1, device) != 0) return {};
  return text;
}

std::string pci_id_text(const Api& api, Device device) {
  int value = 0;
  if (api.device_attribute(&value, static_cast<int>(Attribute::pci_device_id), device) != 0 ||
      value == 0)
    return {};
  const auto both = static_cast<unsigned>(value);
  return fmt::format("{:04x}:{:04x}", both & 0xffffU, both >> 16);
}

Result<DeviceInfo> read_device(const Api& api, int ordinal) {
  Device device = 0;
  if (const auto status = api.device_get(&device, ordinal); status != 0)
    return tl::unexpected(call_error(api, status, fmt::format("cuDeviceGet({})", ordinal)));
  DeviceInfo info;
  info.ordinal = ordinal;
  char name[256] = {};
  if (api.device_name(name, sizeof name - 1, device) == 0) info.name = name;
  info.uuid = uuid_text(api, device);
  info.pci_bus = pci_bus_text(api, device);
  info.pci_id = pci_id_text(api, device);
  info.capability_major = static_cast<int>(attribute(api, device, Attribute::capability_major));
  info.capability_minor = static_cast<int>(attribute(api, device, Attribute::capability_minor));
  info.sm_count = attribute(api, device, Attribute::multiprocessors);
  info.bus_bits = attribute(api, device, Attribute::memory_bus_bits);
  info.l2_bytes = attribute(api, device, Attribute::l2_bytes);
  info.clock_khz = attribute(api, device, Attribute::clock_khz);
  info.memory_clock_khz = attribute(api, device, Attribute::memory_clock_khz);
  info.shared_bytes_optin = attribute(api, device, Attribute::max_shared_memory_per_block_optin);
  info.ecc = attribute(api, device, Attribute::ecc) != 0;
  info.integrated = attribute(api, device, Attribute::integrated) != 0;
  info.mps = attribute(api, device, Attribute::mps) != 0;
  info.compute_mode = static_cast<int>(attribute(api, device, Attribute::compute_mode));
  std::size_t bytes = 0;
  if (api.device_memory(&bytes, device) == 0) info.memory_bytes = bytes;
  info.simulated = std::string_view(info.name).starts_with(kSimulatedName);
  return info;
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices(const Api& api) {
  int count = 0;
  if (const auto status = api.device_count(&count); status != 0)
    return tl::unexpected(call_error(api, status, "cuDeviceGetCount"));
  if (count <= 0)
    return fail(Code::no_device, {},
                "no CUDA device: the driver runs, but no GPU is visible to this process",
                "look at CUDA_VISIBLE_DEVICES; with MIG on, an instance must be made first: "
                "nvidia-smi mig -cgi");
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto device = read_device(api, ordinal);
    if (!device) return tl::unexpected(std::move(device.error()));
    devices.push_back(std::move(*device));
  }
  return devices;
}

}  // namespace roofline::cuda
