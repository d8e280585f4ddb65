#include "cli/device_facts.hpp"

#include <fmt/format.h>

namespace roofline::cli {
namespace {

std::optional<std::uint64_t> told(std::uint64_t value) {
  return value == 0 ? std::nullopt : std::optional<std::uint64_t>(value);
}

}  // namespace

DeviceFacts device_facts(const cuda::DeviceInfo& info) {
  DeviceFacts facts;
  facts.name = info.name;
  facts.pci_id = info.pci_id;
  if (info.capability_major > 0)
    facts.compute_capability = fmt::format("{}.{}", info.capability_major, info.capability_minor);
  facts.sm_count = told(info.sm_count);
  facts.bus_bits = told(info.bus_bits);
  facts.l2_bytes = told(info.l2_bytes);
  facts.memory_bytes = told(info.memory_bytes);
  if (info.memory_clock_khz > 0)
    facts.memory_clock_hz = static_cast<double>(info.memory_clock_khz) * 1e3;
  facts.mig = info.name.find(" MIG ") != std::string::npos;
  return facts;
}

std::vector<DetectedGpu> detect_gpus(std::span<const profile::GpuState> gpus,
                                     std::span<const Gpu> table) {
  std::vector<DetectedGpu> detected;
  for (const auto& gpu : gpus) {
    const auto facts = device_facts(gpu.info);
    detected.push_back({gpu.info.ordinal, gpu.info.uuid, gpu.info.pci_bus, facts,
                        gpu.info.simulated, identify(facts, table)});
  }
  return detected;
}

}  // namespace roofline::cli
