#pragma once

#include <span>
#include <string>

#include "report/doctor_report.hpp"
#include "roofline/machine/gpu.hpp"
#include "roofline/profile/machine_state.hpp"

/// What the state of a machine means for roofline: pure, so that every kind of machine is a row of
/// a test.
namespace roofline::cli {

/// `table` outlives the report.
DoctorReport diagnose(const profile::MachineState& state, std::span<const Gpu> table,
                      const std::string& tool_version);

namespace diagnosis {

// The parts of it; each appends its findings. Those that return a bool say whether profiling can
// work as far as they know.
bool driver(const profile::MachineState& state, std::vector<Finding>& findings);
bool cupti(const profile::MachineState& state, std::vector<Finding>& findings);
bool injectors(const profile::MachineState& state, std::vector<Finding>& findings);
bool gpu(const profile::GpuState& gpu, const DetectedGpu& detected, std::vector<Finding>& findings);
void test_kernel(const profile::MachineState& state, const Gpu* entry,
                 std::vector<Finding>& findings);
bool counters(const profile::MachineState& state, std::vector<Finding>& findings);
void metric_sets(const std::vector<DetectedGpu>& gpus, std::vector<Finding>& findings);

}  // namespace diagnosis
}  // namespace roofline::cli
