#include <fmt/format.h>

#include <algorithm>

#include "cli/diagnosis.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli::diagnosis {
namespace {

using profile::Container;
using profile::MachineState;

Finding no(std::string text, std::string meaning, std::string remedy) {
  return {Mark::no,           "driver",          std::move(text),
          std::move(meaning), std::move(remedy), code_name(Code::no_device)};
}

/// How a container of each kind is given its GPUs.
std::string access_remedy(Container container) {
  switch (container) {
    case Container::docker:
      return "docker run --gpus all ..., with the NVIDIA container toolkit on the host";
    case Container::podman:
      return "podman run --device nvidia.com/gpu=all ..., with a CDI file on the host (nvidia-ctk "
             "cdi generate)";
    case Container::kubernetes:
      return "give the pod resources.limits nvidia.com/gpu: 1, and the node the NVIDIA device "
             "plug-in";
    case Container::singularity: return "apptainer exec --nv ... (singularity exec --nv ...)";
    default: return "start the container with the host's GPU devices and driver libraries";
  }
}

/// A machine whose driver could not even be opened: the first sign decides what is said.
Finding absent_driver(const MachineState& state) {
  const auto& host = state.host;
  const bool container = host.container != Container::none;
  const auto in = container ? fmt::format(" in this container ({})", container_name(host.container))
                            : std::string();
  if (state.driver_fault && state.driver_fault->what.find("stub") != std::string::npos)
    return no(state.driver_fault->what, {}, state.driver_fault->hint);
  if (host.wsl)
    return no("WSL: libcuda.so.1 was not found",
              "under WSL it comes from the Windows driver, in /usr/lib/wsl/lib",
              "install the NVIDIA driver in Windows (none in Linux), then wsl --shutdown");
  if (container && !host.kernel_module.empty())
    return no(fmt::format("the host has driver {}, but libcuda.so.1 is not{}", host.kernel_module,
                          in.empty() ? " here" : in),
              host.nodes.empty() ? "the container was started without GPU access"
                                 : "devices were passed in, the driver's libraries were not",
              host.nodes.empty() ? access_remedy(host.container)
                                 : "let NVIDIA_DRIVER_CAPABILITIES contain compute and utility; " +
                                       access_remedy(host.container));
  if (host.pci_gpus.empty() && host.nodes.empty() && host.kernel_module.empty())
    return no(fmt::format("no NVIDIA GPU and no driver{}: nothing on the PCI bus, no /dev/nvidia*, "
                          "no libcuda.so.1",
                          in),
              {},
              container ? access_remedy(host.container)
                        : "profile on a machine with an NVIDIA GPU and its driver");
  if (host.kernel_module.empty() && !host.pci_gpus.empty())
    return no(fmt::format("GPU {} is on the PCI bus, but NVIDIA's kernel module is not loaded{}",
                          joined(host.pci_gpus), host.nouveau ? ": nouveau holds it" : ""),
              {},
              container ? "load the driver on the host: modprobe nvidia nvidia-uvm"
              : host.nouveau
                  ? "install NVIDIA's driver, which keeps nouveau from loading, and reboot"
                  : "modprobe nvidia as root; if that fails, install the driver (dmesg says why)");
  if (state.driver_fault)
    return no(state.driver_fault->what, {},
              "install the driver's libraries (libcuda1, libnvidia-compute)");
  return no("libcuda.so.1 was not found", {}, "install the driver");
}

/// The driver is there and does not start: the nodes say more than cuInit's code.
Finding refusing_driver(const MachineState& state) {
  const auto& host = state.host;
  const auto& fault = *state.driver_fault;
  const bool nodes_matter = !host.wsl && !host.jetson;
  if (nodes_matter && host.nodes.empty())
    return no(fault.what, "there is no /dev/nvidia* for this process",
              host.container != Container::none ? access_remedy(host.container)
                                                : "nvidia-modprobe -u -c 0 as root");
  const auto locked = std::find_if(host.nodes.begin(), host.nodes.end(),
                                   [](const auto& node) { return !node.usable; });
  if (nodes_matter && locked != host.nodes.end())
    return no(
        fault.what, locked->path + " is not readable and writable for this user",
        "join the group that owns it (often video or render), or chmod 0666 /dev/nvidia* as root");
  if (nodes_matter && !host.uvm_node)
    return no(fault.what, "/dev/nvidia-uvm is missing: CUDA's memory cannot be managed",
              "nvidia-modprobe -u -c 0 as root (it loads nvidia-uvm and makes the node)");
  const auto visible = state.view.variable("CUDA_VISIBLE_DEVICES");
  if (visible)
    return no(fault.what, fmt::format("CUDA_VISIBLE_DEVICES is \"{}\"", *visible),
              "unset it, or name a GPU of nvidia-smi -L");
  return no(fault.what, {}, fault.hint);
}

}  // namespace

bool driver(const MachineState& state, std::vector<Finding>& findings) {
  if (state.driver_fault) {
    findings.push_back(state.libcuda.empty() ? absent_driver(state) : refusing_driver(state));
    return false;
  }
  const auto version =
      !state.driver_version.empty() ? state.driver_version : state.host.kernel_module;
  auto text =
      fmt::format("driver {}, CUDA {}.{}; {}", version.empty() ? "of unknown version" : version,
                  state.driver_cuda / 1000, state.driver_cuda % 1000 / 10, state.libcuda);
  Finding finding{Mark::ok, "driver", std::move(text), {}, {}, {}};
  if (state.driver_cuda < 12000) {
    finding.mark = Mark::no;
    finding.meaning = "profiling takes CUDA 12 or later";
    finding.remedy = "update the driver to 525 or later";
  }
  findings.push_back(finding);
  return finding.mark == Mark::ok;
}

bool cupti(const MachineState& state, std::vector<Finding>& findings) {
  if (!state.cupti) {
    const auto& fault = state.cupti_fault;
    findings.push_back({Mark::no,
                        "cupti",
                        fault ? fault->what : "libcupti was not found",
                        "a program that brings its own, as PyTorch does, is profiled all the same",
                        fault ? fault->hint : std::string(),
                        {}});
    return false;
  }
  const auto& cupti = *state.cupti;
  findings.push_back(
      {Mark::ok,
       "cupti",
       fmt::format("CUPTI {}; {}", profile::cupti_version_text(cupti.version), cupti.path),
       state.driver_cuda == 0 ? "without a driver only its metric tables answer" : "",
       {},
       {}});
  return true;
}

bool injectors(const MachineState& state, std::vector<Finding>& findings) {
  bool free = true;
  for (const auto& injector : state.injectors) {
    const bool ours = injector.variable == "CUDA_INJECTION64_PATH";
    findings.push_back(
        {ours ? Mark::no : Mark::warn,
         "injector",
         fmt::format("{} is set: {}{}", injector.variable, injector.value,
                     injector.tool.empty() ? std::string() : fmt::format(" ({})", injector.tool)),
         ours ? "another tool has the one place from which a program is profiled"
              : "another tool may hold CUPTI, which serves one client",
         fmt::format("unset {}, or leave the other tool's shell", injector.variable),
         {}});
    free = free && !ours;
  }
  for (const auto& program : state.host.profilers)
    findings.push_back({Mark::warn,
                        "profiler",
                        fmt::format("{} is running", program),
                        "it may hold the hardware counters; times and launches are not affected",
                        program == "nv-hostengine" || program == "dcgm"
                            ? "dcgmi profile --pause before counters, --resume after"
                            : "let it end first",
                        {}});
  return free;
}

}  // namespace roofline::cli::diagnosis
