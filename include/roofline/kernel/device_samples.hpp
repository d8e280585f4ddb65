#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "roofline/kernel/measured_counters.hpp"

namespace roofline {

/// How busy a device was while it was sampled, all programs on it together.
struct DeviceUse {
  std::optional<ByteRate> dram_read, dram_written;  ///< means over the samples
  std::optional<ByteRate> dram_busiest;             ///< both directions, in the busiest sample
  std::optional<ByteRate> l2;
  std::optional<double> sm_active;      ///< share of cycles with a warp on an SM, mean over SMs
  std::optional<double> tensor_active;  ///< share of cycles in which tensor pipes worked
};

/// Samples of one device in one process, added up as they come: memory does not grow with them.
struct DeviceSamples {
  std::size_t process = 0;   ///< index into Profiled::processes
  std::uint64_t device = 0;  ///< ordinal in the process
  std::uint64_t count = 0;
  Seconds time;
  std::map<std::string, double, std::less<>> sums;  ///< by metric
  ByteRate dram_busiest;

  /// Adds a sample of `length`. Values that are no numbers are left out.
  void add(Seconds length, const CounterValues& values);
  /// `sm_count`: of the device, for the tensor pipes' share. Formulas: docs/counters.md.
  DeviceUse use(std::optional<double> sm_count) const;
};

}  // namespace roofline
