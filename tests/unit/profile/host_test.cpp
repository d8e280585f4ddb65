// What is read from /proc, /dev and /sys, of machines made of files.
#include "roofline/profile/host.hpp"

#include <gtest/gtest.h>

#include "machines/fake_machine.hpp"

namespace roofline::profile {
namespace {

using fake::Files;
using fake::Root;

const std::string kVersion =
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
    "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n";
const std::string kOpenVersion =
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  "
    "(dvs-builder@U22)\n"
    "GCC version:  gcc version 13.3.0\n";

TEST(Host, AnEmptyMachineHasNothing) {
  const Root root({});
  const auto host = read_host(root.view());
  EXPECT_EQ(host.kernel_module, "");
  EXPECT_TRUE(host.nodes.empty());
  EXPECT_TRUE(host.pci_gpus.empty());
  EXPECT_FALSE(host.counters_admin_only);
  EXPECT_FALSE(host.capabilities);
  EXPECT_FALSE(host.wsl);
  EXPECT_EQ(host.container, Container::none);
}

struct VersionRow {
  const char* name;
  Files files;
  const char* version;
};
const VersionRow kVersions[] = {
    {"closed_module", {{"/proc/driver/nvidia/version", kVersion}}, "535.183.01"},
    {"open_module", {{"/proc/driver/nvidia/version", kOpenVersion}}, "580.65.06"},
    {"from_sys", {{"/sys/module/nvidia/version", "570.124.06\n"}}, "570.124.06"},
    {"garbage", {{"/proc/driver/nvidia/version", "NVRM version:\n"}}, ""},
};

TEST(Host, TheModuleVersionIsReadFromEitherPlace) {
  for (const auto& row : kVersions)
    EXPECT_EQ(read_host(Root(row.files).view()).kernel_module, row.version) << row.name;
}

TEST(Host, OnlyNodesOfGpusAndTheDriverCount) {
  const Root root({{"/dev/nvidia0", ""},
                   {"/dev/nvidia1", ""},
                   {"/dev/nvidiactl", ""},
                   {"/dev/nvidia-uvm", ""},
                   {"/dev/nvidia-modeset", ""},
                   {"/dev/null", ""}});
  const auto host = read_host(root.view());
  EXPECT_EQ(host.nodes.size(), 4U);
  EXPECT_TRUE(host.control_node);
  EXPECT_TRUE(host.uvm_node);
  EXPECT_TRUE(host.nodes.front().usable);
}

TEST(Host, GpusAreNvidiaDisplayAndThreeDControllersOnTheBus) {
  const Root root({{"/sys/bus/pci/devices/0000:1b:00.0/vendor", "0x10de\n"},
                   {"/sys/bus/pci/devices/0000:1b:00.0/class", "0x030200\n"},
                   {"/sys/bus/pci/devices/0000:1b:00.0/device", "0x2330\n"},
                   {"/sys/bus/pci/devices/0000:1c:00.0/vendor", "0x10de\n"},  // an NVSwitch
                   {"/sys/bus/pci/devices/0000:1c:00.0/class", "0x068000\n"},
                   {"/sys/bus/pci/devices/0000:1c:00.0/device", "0x22a3\n"},
                   {"/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n"},
                   {"/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n"}});
  EXPECT_EQ(read_host(root.view()).pci_gpus, std::vector<std::string>{"10de:2330"});
}

struct PermissionRow {
  const char* name;
  const char* params;
  const char* status;
  std::optional<bool> admin_only;
  bool admin, perfmon;
};
const PermissionRow kPermissions[] = {
    {"restricted_user", "RmProfilingAdminOnly: 1\n", "CapEff:\t0000000000000000\n", true, false,
     false},
    {"restricted_root", "RmProfilingAdminOnly: 1\n", "CapEff:\t000001ffffffffff\n", true, true,
     true},
    // Docker's default: 14 capabilities, neither of the two.
    {"docker_root", "RmProfilingAdminOnly: 1\n", "CapEff:\t00000000a80425fb\n", true, false, false},
    {"docker_with_sys_admin", "RmProfilingAdminOnly: 1\n", "CapEff:\t00000000a82425fb\n", true,
     true, false},
    {"perfmon_alone", "RmProfilingAdminOnly: 1\n", "CapEff:\t0000004000000000\n", true, false,
     true},
    {"open_to_all", "EnableMSI: 1\nRmProfilingAdminOnly: 0\n", "CapEff:\t0000000000000000\n", false,
     false, false},
    {"old_module", "EnableMSI: 1\n", "Name:\tx\n", std::nullopt, false, false},
};

TEST(Host, ThePermissionIsTheModulesSettingAndThisProcesssCapabilities) {
  for (const auto& row : kPermissions) {
    const Root root(
        {{"/proc/driver/nvidia/params", row.params}, {"/proc/self/status", row.status}});
    const auto host = read_host(root.view());
    EXPECT_EQ(host.counters_admin_only, row.admin_only) << row.name;
    EXPECT_EQ(host.has_admin(), row.admin) << row.name;
    EXPECT_EQ(host.has_perfmon(), row.perfmon) << row.name;
  }
}

struct ContainerRow {
  const char* name;
  Files files;
  std::map<std::string, std::string> environment;
  Container container;
};
const ContainerRow kContainers[] = {
    {"docker", {{"/.dockerenv", ""}}, {}, Container::docker},
    {"podman", {{"/run/.containerenv", ""}}, {}, Container::podman},
    {"kubernetes",
     {{"/.dockerenv", ""}},
     {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}},
     Container::kubernetes},
    {"kubernetes_by_cgroup",
     {{"/proc/1/cgroup", "0::/kubepods/burstable/pod1\n"}},
     {},
     Container::kubernetes},
    {"apptainer", {}, {{"APPTAINER_CONTAINER", "/x.sif"}}, Container::singularity},
    {"lxc", {}, {{"container", "lxc"}}, Container::other},
    {"machine", {{"/proc/1/cgroup", "0::/init.scope\n"}}, {}, Container::none},
};

TEST(Host, ContainersAreToldByTheirSigns) {
  for (const auto& row : kContainers)
    EXPECT_EQ(read_host(Root(row.files).view(row.environment)).container, row.container)
        << row.name;
}

TEST(Host, WslJetsonMpsAndHoldersOfCounters) {
  EXPECT_TRUE(
      read_host(
          Root(Files{{"/proc/version", "Linux version 5.15.0-microsoft-standard-WSL2"}}).view())
          .wsl);
  EXPECT_TRUE(read_host(Root(Files{{"/dev/dxg", ""}}).view()).wsl);
  EXPECT_TRUE(read_host(Root(Files{{"/etc/nv_tegra_release", "# R36"}}).view()).jetson);
  EXPECT_TRUE(read_host(Root(Files{{"/tmp/nvidia-mps/control", ""}}).view()).mps);
  EXPECT_TRUE(
      read_host(
          Root(Files{{"/run/mps/control", ""}}).view({{"CUDA_MPS_PIPE_DIRECTORY", "/run/mps"}}))
          .mps);
  const Root busy({{"/proc/41/comm", "nv-hostengine\n"},
                   {"/proc/42/comm", "bash\n"},
                   {"/proc/43/comm", "nv-hostengine\n"}});
  EXPECT_EQ(read_host(busy.view()).profilers, std::vector<std::string>{"nv-hostengine"});
}

struct InjectorRow {
  const char* name;
  std::map<std::string, std::string> environment;
  std::size_t found;
  const char* tool;
};
const InjectorRow kInjectors[] = {
    {"none", {}, 0, ""},
    {"empty_is_unset", {{"CUDA_INJECTION64_PATH", ""}}, 0, ""},
    {"nsys",
     {{"CUDA_INJECTION64_PATH",
       "/opt/nvidia/nsight-systems/2025.1/target-linux-x64/libToolsInjection64.so"}},
     1,
     "Nsight Systems"},
    {"nvbit", {{"LD_PRELOAD", "/home/u/nvbit_tools/mem_trace.so"}}, 1, "NVBit"},
    {"another_preload_is_nobodys_business", {{"LD_PRELOAD", "/usr/lib/libjemalloc.so.2"}}, 0, ""},
    {"a_stranger", {{"CUDA_INJECTION64_PATH", "/opt/x/libx.so"}}, 1, ""},
};

TEST(Host, InjectorsAreNamed) {
  for (const auto& row : kInjectors) {
    const auto found = find_injectors(HostView{"", row.environment});
    ASSERT_EQ(found.size(), row.found) << row.name;
    if (!found.empty()) {
      EXPECT_EQ(found.front().tool, row.tool) << row.name;
    }
  }
}

}  // namespace
}  // namespace roofline::profile
