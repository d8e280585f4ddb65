#pragma once

#include <cstdint>
#include <span>

#include "profile/range_reader.hpp"
#include "profile/timeline.hpp"
#include "roofline/kernel/profiled.hpp"

namespace roofline {

/// Whose device it is, and what was counted on it.
struct DevicePlace {
  std::size_t process = 0;
  std::uint64_t device = 0, launches = 0, copies = 0;
};

/// A device's timeline, once it is finished, as it is reported. `ranges`: those of the process, to
/// say where launch-bound stretches begin.
DeviceActivity activity_of(Timeline::Device& device, const DevicePlace& place,
                           std::span<const NamedRange> ranges);

}  // namespace roofline
