#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the operating system shows of the GPUs and of the right to profile them, read without
/// calling any NVIDIA library: it says why a driver does not start.
namespace roofline::profile {

/// Where to look: a machine, or a folder that stands for one.
struct HostView {
  std::string root;  ///< put before /proc, /dev, /sys; empty: this machine
  std::map<std::string, std::string> environment;

  static HostView of_this_machine();
  /// The value of a variable that is set and not empty.
  std::optional<std::string> variable(const std::string& name) const;
};

struct DeviceNode {
  std::string path;     ///< "/dev/nvidia0"
  bool usable = false;  ///< this user may read and write it
};

enum class Container { none, docker, podman, kubernetes, singularity, other };
std::string_view container_name(Container container);

struct Host {
  std::string
      kernel_module;     ///< version of the loaded nvidia module, "580.65.06"; empty: not loaded
  bool nouveau = false;  ///< the open driver without CUDA holds the GPU
  std::vector<std::string>
      pci_gpus;                   ///< PCI ids of NVIDIA's display and 3D controllers, "10de:2330"
  std::vector<DeviceNode> nodes;  ///< /dev/nvidia*, without those of MIG capabilities
  bool control_node = false, uvm_node = false;  ///< /dev/nvidiactl, /dev/nvidia-uvm
  bool jetson = false;  ///< an integrated GPU: no nvidia module of the kind above, no nodes
  std::optional<bool> counters_admin_only;    ///< RmProfilingAdminOnly of the module
  std::optional<std::uint64_t> capabilities;  ///< effective capabilities of this process
  bool wsl = false;
  Container container = Container::none;
  bool mps = false;                    ///< an MPS server is set up for this user
  std::vector<std::string> profilers;  ///< programs that hold the counters: "nv-hostengine", "nsys"

  bool has_admin() const;    ///< CAP_SYS_ADMIN
  bool has_perfmon() const;  ///< CAP_PERFMON
};

Host read_host(const HostView& view);

/// Another tool that occupies the place of an injection library in this environment.
struct Injector {
  std::string variable, value;
  std::string tool;  ///< "Nsight Systems"; empty: not known
};
std::vector<Injector> find_injectors(const HostView& view);

}  // namespace roofline::profile
