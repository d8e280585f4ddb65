#include "profile/plugin/devices.hpp"

#include <array>
#include <utility>

namespace roofline::profile::plugin {
namespace {

struct Attribute {
  CUdevice_attribute attribute;
  std::uint64_t DeviceFacts::*fact;
};
constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &DeviceFacts::major},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &DeviceFacts::minor},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &DeviceFacts::sm_count},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &DeviceFacts::l2_bytes},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &DeviceFacts::bus_width_bits},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &DeviceFacts::sm_clock_khz},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &DeviceFacts::memory_clock_khz},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &DeviceFacts::ecc},
};
constexpr std::uint64_t DeviceFacts::*kNumbers[] = {
    &DeviceFacts::major,        &DeviceFacts::minor,
    &DeviceFacts::sm_count,     &DeviceFacts::memory_bytes,
    &DeviceFacts::l2_bytes,     &DeviceFacts::bus_width_bits,
    &DeviceFacts::sm_clock_khz, &DeviceFacts::memory_clock_khz,
    &DeviceFacts::ecc,          &DeviceFacts::mig,
};

bool is_simulated(const std::string& name) { return name.starts_with("SIMULATED"); }

}  // namespace

std::string uuid_text(const CUuuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

DeviceFacts ask_driver(const DriverApi& driver, int ordinal) {
  DeviceFacts facts;
  for (const auto& [attribute, fact] : kAttributes) {
    int value = 0;
    if (driver.device_attribute &&
        driver.device_attribute(&value, attribute, ordinal) == CUDA_SUCCESS && value > 0)
      facts.*fact = static_cast<std::uint64_t>(value);
  }
  std::array<char, 256> name{};
  if (driver.device_name &&
      driver.device_name(name.data(), static_cast<int>(name.size()), ordinal) == CUDA_SUCCESS)
    facts.name = name.data();
  std::size_t bytes = 0;
  if (driver.device_memory && driver.device_memory(&bytes, ordinal) == CUDA_SUCCESS)
    facts.memory_bytes = bytes;
  CUuuid uuid{};
  if (driver.device_uuid && driver.device_uuid(&uuid, ordinal) == CUDA_SUCCESS)
    facts.uuid = uuid_text(uuid);
  return facts;
}

void Devices::add(int ordinal, const DeviceFacts& facts, CaptureWriter::Batch& batch) {
  const std::lock_guard lock(mutex_);
  auto& known = facts_[ordinal];
  for (const auto number : kNumbers)
    if (known.*number == 0) known.*number = facts.*number;
  if (known.name.empty()) known.name = facts.name;
  if (known.uuid.empty()) known.uuid = facts.uuid;
  capture::Device device;
  device.ordinal = static_cast<std::uint64_t>(ordinal);
  device.name = batch.text(known.name);
  device.uuid = batch.text(known.uuid);
  device.major = known.major;
  device.minor = known.minor;
  device.sm_count = known.sm_count;
  device.memory_bytes = known.memory_bytes;
  device.l2_bytes = known.l2_bytes;
  device.bus_width_bits = known.bus_width_bits;
  device.sm_clock_khz = known.sm_clock_khz;
  device.memory_clock_khz = known.memory_clock_khz;
  device.ecc = known.ecc;
  device.mig = known.mig;
  device.simulated = is_simulated(known.name);
  batch.put(device);
}

}  // namespace roofline::profile::plugin
