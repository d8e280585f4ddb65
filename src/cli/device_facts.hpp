#pragma once

#include <span>
#include <vector>

#include "report/doctor_report.hpp"
#include "roofline/machine/gpu.hpp"
#include "roofline/machine/identify.hpp"
#include "roofline/profile/machine_state.hpp"

namespace roofline::cli {

/// What the driver said of a device as facts that the table is searched by.
DeviceFacts device_facts(const cuda::DeviceInfo& info);

/// Every GPU with its entry of `table`, which outlives the result.
std::vector<DetectedGpu> detect_gpus(std::span<const profile::GpuState> gpus,
                                     std::span<const Gpu> table);

}  // namespace roofline::cli
