#include <fmt/format.h>

#include <algorithm>

#include "cli/diagnosis.hpp"
#include "roofline/kernel/metric_sets.hpp"

namespace roofline::cli::diagnosis {
namespace {

using profile::Container;
using profile::MachineState;

constexpr std::string_view kSubject = "counters";

Finding refused(std::string text, std::string remedy, std::string code = {}) {
  return {Mark::no,
          std::string(kSubject),
          std::move(text),
          "times, launches and registers are measured; DRAM bytes and FLOPs are not, so checks of "
          "excess traffic cannot be made",
          std::move(remedy),
          std::move(code)};
}

bool under_vgpu(const MachineState& state) {
  return std::any_of(state.gpus.begin(), state.gpus.end(), [](const auto& gpu) {
    return gpu.state && gpu.state->virtualization == nvml::Virtualization::vgpu;
  });
}

bool any_slice(const MachineState& state) {
  return std::any_of(state.gpus.begin(), state.gpus.end(), [](const auto& gpu) {
    return gpu.info.name.find(" MIG ") != std::string::npos;
  });
}

std::string permission_remedy(const MachineState& state) {
  std::string text =
      "only the host's administrator can change this: options nvidia "
      "NVreg_RestrictProfilingToAdminUsers=0 in "
      "/etc/modprobe.d/nvidia-profiler.conf, then update-initramfs -u and a reboot (or reload the "
      "nvidia modules)";
  if (state.host.container == Container::none) return text + "; or run as root";
  return text +
         "; in a container the host's setting counts, or start it with --cap-add SYS_ADMIN "
         "(CAP_PERFMON may do on "
         "newer drivers, unconfirmed)";
}

Finding granted(const MachineState& state) {
  std::string why = "GPU counters are open to all users on this host (RmProfilingAdminOnly: 0)";
  if (state.host.counters_admin_only.value_or(false))
    why = fmt::format(
        "GPU counters are reserved for administrators, and this process is one ({})",
        state.host.has_admin() ? "CAP_SYS_ADMIN" : "CAP_PERFMON, which only newer drivers accept");
  return {Mark::ok, std::string(kSubject), std::move(why), {}, {}, {}};
}

/// By the chip that the table names for the GPU's entry, else the first of its compute capability.
const MetricFamily* family_of(const DetectedGpu& gpu) {
  const auto* entry = gpu.match.entry();
  if (entry && entry->cupti_chip)
    if (const auto* family = find_metric_family(entry->cupti_chip->value)) return family;
  for (const auto& family : metric_families())
    if (family.compute_capability == gpu.facts.compute_capability) return &family;
  return nullptr;
}

int passes(const MetricSet& set, const MetricFamily& family) {
  return set.hw_passes + (family.sass.empty() ? 0 : 1);
}

/// "2 replay passes, 3 with fp16_acc32 or int8, 8 for all tensor types at once".
std::string pass_counts(const MetricFamily& family) {
  const int core = passes(family.core, family);
  std::string dearer;
  int most = core;
  for (const auto& tensor : family.tensor) {
    const int count = passes(tensor.set, family);
    if (count <= core) continue;
    most = std::max(most, count);
    dearer += (dearer.empty() ? "" : ", ") + std::string(tensor.name);
  }
  auto text = fmt::format("{} replay passes a launch", core);
  if (!dearer.empty()) text += fmt::format(", {} with {}", most, dearer);
  if (family.tensor_all.hw_passes > 0)
    text += fmt::format(", {} where machine code does not tell the tensor type",
                        passes(family.tensor_all, family));
  return text;
}

}  // namespace

void metric_sets(const std::vector<DetectedGpu>& gpus, std::vector<Finding>& findings) {
  std::vector<const MetricFamily*> seen;
  for (const auto& gpu : gpus) {
    const auto* family = family_of(gpu);
    if (!family) {
      findings.push_back({Mark::warn,
                          "metrics",
                          fmt::format("GPU {}: no metric set for compute capability {}",
                                      gpu.ordinal, gpu.facts.compute_capability),
                          "its counters are not collected; times and launches are",
                          "a newer roofline may know it",
                          {}});
      continue;
    }
    if (std::find(seen.begin(), seen.end(), family) != seen.end()) continue;
    seen.push_back(family);
    findings.push_back({Mark::ok,
                        "metrics",
                        fmt::format("counters of {}: {}", family->name, pass_counts(*family)),
                        fmt::format("counted with the library of {}", metric_sets_toolkit()),
                        {},
                        {}});
  }
}

bool counters(const MachineState& state, std::vector<Finding>& findings) {
  const auto& host = state.host;
  if (host.wsl) {
    findings.push_back(refused("counters: CUPTI refuses them under WSL (code 45)",
                               "use Linux on the machine itself"));
    return false;
  }
  if (under_vgpu(state)) {
    findings.push_back(
        refused("counters: a virtual GPU (vGPU), for which CUPTI answers 40 unless the hypervisor "
                "allows profiling",
                "the hypervisor's administrator enables profiling for this vGPU "
                "(enable_profiling), or pass the GPU through"));
    return false;
  }
  const bool may =
      !host.counters_admin_only.value_or(false) || host.has_admin() || host.has_perfmon();
  if (!may) {
    findings.push_back(
        refused("counters: reserved for administrators on this host (RmProfilingAdminOnly: 1)",
                permission_remedy(state), "RF3010"));
    return false;
  }
  if (!host.counters_admin_only)
    findings.push_back(
        {Mark::warn,
         std::string(kSubject),
         "counters: whether this user may read them is not known (no /proc/driver/nvidia/params)",
         "the first run with --counters tells",
         {},
         {}});
  else
    findings.push_back(granted(state));
  if (any_slice(state))
    findings.push_back(
        {Mark::warn,
         std::string(kSubject),
         "counters of a MIG instance: SM metrics only",
         "L2 and DRAM are shared with other instances, so DRAM bytes are missing (CUPTI code 43)",
         "measure on the whole card where bytes matter",
         {}});
  if (host.mps)
    findings.push_back(
        {Mark::warn,
         std::string(kSubject),
         "an MPS server is set up for this user",
         "counters would include other clients' work; roofline does not collect them under MPS",
         "echo quit | nvidia-cuda-mps-control, or set CUDA_MPS_PIPE_DIRECTORY to an empty folder",
         {}});
  return !host.mps;
}

}  // namespace roofline::cli::diagnosis
