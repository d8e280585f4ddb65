#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "profile/plugin/capture_writer.hpp"
#include "profile/plugin/driver_api.hpp"

namespace roofline::profile::plugin {

/// What is known of a device, of whatever source; 0 and empty are "not known".
struct DeviceFacts {
  std::string name, uuid;
  std::uint64_t major = 0, minor = 0, sm_count = 0, memory_bytes = 0, l2_bytes = 0,
                bus_width_bits = 0, sm_clock_khz = 0, memory_clock_khz = 0, ecc = 0, mig = 0;
};

/// What the driver says about a device. Not inside a callback.
DeviceFacts ask_driver(const DriverApi& driver, int ordinal);

/// GPU-8 hex digits-4-4-4-12, as nvidia-smi writes it.
std::string uuid_text(const CUuuid& uuid);

/// The devices of this process, each the sum of what CUPTI's record and the driver say.
class Devices {
 public:
  /// Adds facts to a device; those that were known stay. The writer gets all of it again.
  void add(int ordinal, const DeviceFacts& facts, CaptureWriter::Batch& batch);

 private:
  std::mutex mutex_;
  std::map<int, DeviceFacts> facts_;
};

}  // namespace roofline::profile::plugin
