#include "cli/diagnosis.hpp"

#include <fmt/format.h>

#include "cli/device_facts.hpp"
#include "roofline/base/text.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

// What a bug report should say of the environment.
constexpr const char* kVariables[] = {"CUDA_VISIBLE_DEVICES",
                                      "NVIDIA_VISIBLE_DEVICES",
                                      "NVIDIA_DRIVER_CAPABILITIES",
                                      "CUDA_INJECTION64_PATH",
                                      "NVTX_INJECTION64_PATH",
                                      "CUDA_MPS_PIPE_DIRECTORY",
                                      "CUDA_DEVICE_ORDER",
                                      "CUDA_LAUNCH_BLOCKING",
                                      "CUDA_MODULE_LOADING",
                                      "LD_LIBRARY_PATH",
                                      "LD_PRELOAD",
                                      "CUDA_HOME"};

Finding analysis(std::span<const Gpu> table, const std::string& version) {
  return {Mark::ok,
          "analyze",
          fmt::format("roofline {}, GPU table of {} ({} accelerators)", version,
                      gpu_table_revision(), table.size()),
          "analysis from descriptions, models, captures and saved results needs no GPU",
          {},
          {}};
}

std::vector<MachineFact> facts_of(const profile::MachineState& state) {
  std::vector<MachineFact> facts;
  const auto add = [&](std::string key, std::string value) {
    if (!value.empty()) facts.push_back({std::move(key), std::move(value)});
  };
  const auto& host = state.host;
  add("kernel_module", host.kernel_module);
  add("driver_version", state.driver_version);
  if (state.driver_cuda > 0)
    add("driver_cuda",
        fmt::format("{}.{}", state.driver_cuda / 1000, state.driver_cuda % 1000 / 10));
  add("libcuda", state.libcuda);
  if (state.init_status) add("cu_init", std::to_string(*state.init_status));
  if (state.cupti) {
    add("libcupti", state.cupti->path);
    add("cupti_version", profile::cupti_version_text(state.cupti->version));
  }
  std::string nodes;
  for (const auto& node : host.nodes)
    nodes += (nodes.empty() ? "" : " ") + node.path + (node.usable ? "" : " (not usable)");
  add("device_nodes", nodes);
  add("pci_gpus", joined(host.pci_gpus));
  if (host.counters_admin_only) add("RmProfilingAdminOnly", *host.counters_admin_only ? "1" : "0");
  if (host.capabilities) add("CapEff", fmt::format("{:016x}", *host.capabilities));
  if (host.wsl) add("wsl", "yes");
  if (host.container != profile::Container::none)
    add("container", std::string(container_name(host.container)));
  if (host.mps) add("mps", "yes");
  for (const char* name : kVariables)
    if (const auto value = state.view.variable(name)) add(name, *value);
  return facts;
}

const Gpu* exact_entry(const std::vector<DetectedGpu>& gpus) {
  return !gpus.empty() && gpus.front().match.fit == Fit::exact ? gpus.front().match.entry()
                                                               : nullptr;
}

}  // namespace

DoctorReport diagnose(const profile::MachineState& state, std::span<const Gpu> table,
                      const std::string& tool_version) {
  DoctorReport report;
  report.tool_version = tool_version;
  report.facts = facts_of(state);
  report.gpus = detect_gpus(state.gpus, table);
  auto& findings = report.findings;
  findings.push_back(analysis(table, tool_version));
  const bool driver = diagnosis::driver(state, findings);
  const bool cupti = diagnosis::cupti(state, findings);
  const bool free = diagnosis::injectors(state, findings);
  bool any_gpu = false;
  for (std::size_t i = 0; i < state.gpus.size(); ++i)
    any_gpu = diagnosis::gpu(state.gpus[i], report.gpus[i], findings) || any_gpu;
  diagnosis::test_kernel(state, exact_entry(report.gpus), findings);
  report.profile = driver && cupti && free && any_gpu && !state.test_fault;
  if (driver) report.counters = diagnosis::counters(state, findings) && report.profile;
  diagnosis::metric_sets(report.gpus, findings);
  return report;
}

}  // namespace roofline::cli
