// What doctor says of many machines: files of /proc, /dev and /sys, a driver that answers as told,
// and what follows.
#include <gtest/gtest.h>

#include <functional>

#include "cli/diagnosis.hpp"
#include "machines/fake_machine.hpp"
#include "roofline/machine/catalog.hpp"

namespace roofline::cli {
namespace {

namespace fake = profile::fake;
using fake::Device;
using fake::Files;
using profile::MachineState;

const Files kDriver = {{"/proc/driver/nvidia/version",
                        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Wed\n"},
                       {"/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n"},
                       {"/proc/self/status", "CapEff:\t0000000000000000\n"},
                       {"/sys/bus/pci/devices/0000:1b:00.0/vendor", "0x10de\n"},
                       {"/sys/bus/pci/devices/0000:1b:00.0/class", "0x030200\n"},
                       {"/sys/bus/pci/devices/0000:1b:00.0/device", "0x2330\n"}};
const Files kNodes = {{"/dev/nvidia0", ""}, {"/dev/nvidiactl", ""}, {"/dev/nvidia-uvm", ""}};
const Files kGpu = {{"/sys/bus/pci/devices/0000:1b:00.0/vendor", "0x10de\n"},
                    {"/sys/bus/pci/devices/0000:1b:00.0/class", "0x030200\n"},
                    {"/sys/bus/pci/devices/0000:1b:00.0/device", "0x2330\n"}};

Files operator+(Files a, const Files& b) {
  for (const auto& [file, text] : b) a[file] = text;  // the later one holds
  return a;
}

const Files kRestricted = {{"/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n"}};
const Files kRoot = {{"/proc/self/status", "CapEff:\t000001ffffffffff\n"}};
const Files kDocker = {{"/.dockerenv", ""}};
const Files kWsl = {{"/dev/dxg", ""},
                    {"/proc/version", "Linux version 5.15-microsoft-standard-WSL2\n"}};

enum class Libcuda { absent, stub, there };

struct Row {
  const char* name;
  Files files;
  std::map<std::string, std::string> environment;
  Libcuda libcuda;
  Device device;
  std::uint32_t cupti;  ///< 0: none
  std::function<void(MachineState&)> also;
  std::vector<std::string> marks;  ///< after the first, which is roofline itself
  std::vector<std::string> says;
  bool profile, counters;
};

Device with(const std::function<void(Device&)>& change) {
  Device device;
  change(device);
  return device;
}

nvml::State quiet() {
  nvml::State state;
  state.power_limit_w = 700;
  state.mig = false;
  return state;
}

Row row(const char* name, Files files, std::vector<std::string> marks,
        std::vector<std::string> says, bool profile, bool counters) {
  return {name,
          std::move(files),
          {},
          Libcuda::there,
          {},
          130001,
          {},
          std::move(marks),
          std::move(says),
          profile,
          counters};
}

Row without_libcuda(Row r) {
  r.libcuda = Libcuda::absent;
  return r;
}
Row with_device(Row r, const std::function<void(Device&)>& change) {
  r.device = with(change);
  return r;
}
Row with_environment(Row r, std::map<std::string, std::string> environment) {
  r.environment = std::move(environment);
  return r;
}
Row and_also(Row r, std::function<void(MachineState&)> also) {
  r.also = std::move(also);
  return r;
}
Row with_cupti(Row r, std::uint32_t version) {
  r.cupti = version;
  return r;
}
Row stubbed(Row r) {
  r.libcuda = Libcuda::stub;
  return r;
}

const std::vector<std::string> kHealthy = {"ok driver", "ok cupti", "ok gpu0", "ok counters"};
const std::vector<std::string> kNoDriver = {"no driver", "ok cupti"};

std::vector<Row> rows() {
  return {
      // ---- without a driver
      without_libcuda(
          row("laptop_without_gpu", {}, kNoDriver, {"no NVIDIA GPU and no driver"}, false, false)),
      without_libcuda(row("gpu_without_driver", kGpu, kNoDriver,
                          {"10de:2330", "not loaded", "modprobe nvidia"}, false, false)),
      without_libcuda(row("nouveau", kGpu + Files{{"/sys/module/nouveau/version", ""}}, kNoDriver,
                          {"nouveau holds it"}, false, false)),
      without_libcuda(row("docker_without_gpus", kDriver + kDocker, kNoDriver,
                          {"started without GPU access", "--gpus all"}, false, false)),
      without_libcuda(row("docker_without_libraries", kDriver + kNodes + kDocker, kNoDriver,
                          {"libraries were not", "NVIDIA_DRIVER_CAPABILITIES"}, false, false)),
      with_environment(without_libcuda(row("pod_without_resource", kDriver, kNoDriver,
                                           {"nvidia.com/gpu: 1"}, false, false)),
                       {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}),
      with_environment(
          without_libcuda(row("apptainer_without_nv", kDriver, kNoDriver, {"--nv"}, false, false)),
          {{"APPTAINER_CONTAINER", "/x.sif"}}),
      without_libcuda(
          row("wsl_without_windows_driver", kWsl, kNoDriver, {"in Windows"}, false, false)),
      stubbed(row("stub_on_the_path", kDriver + kNodes, kNoDriver, {"stub", "LD_LIBRARY_PATH"},
                  false, false)),
      // ---- cuInit refuses
      with_device(row("no_nodes", kDriver, kNoDriver,
                      {"no /dev/nvidia*", "nvidia-modprobe -u -c 0"}, false, false),
                  [](Device& d) { d.init = 100; }),
      with_device(row("no_uvm_node", kDriver + Files{{"/dev/nvidia0", ""}, {"/dev/nvidiactl", ""}},
                      kNoDriver, {"/dev/nvidia-uvm is missing"}, false, false),
                  [](Device& d) { d.init = 999; }),
      with_device(row("fabric_manager", kDriver + kNodes, kNoDriver,
                      {"802", "nvidia-fabricmanager"}, false, false),
                  [](Device& d) { d.init = 802; }),
      with_device(row("mismatch_after_update", kDriver + kNodes, kNoDriver, {"803", "reboot"},
                      false, false),
                  [](Device& d) { d.init = 803; }),
      with_device(
          row("compat_library", kDriver + kNodes, kNoDriver, {"804", "cuda-compat"}, false, false),
          [](Device& d) { d.init = 804; }),
      with_environment(with_device(row("hidden_gpus", kDriver + kNodes, kNoDriver,
                                       {"CUDA_VISIBLE_DEVICES is \"-1\""}, false, false),
                                   [](Device& d) { d.init = 100; }),
                       {{"CUDA_VISIBLE_DEVICES", "-1"}}),
      with_device(row("mig_without_instance", kDriver + kNodes, kNoDriver, {"nvidia-smi mig -cgi"},
                      false, false),
                  [](Device& d) { d.count = 0; }),
      with_device(row("unknown_code", kDriver + kNodes, kNoDriver, {"4321"}, false, false),
                  [](Device& d) { d.init = 4321; }),
      // ---- a working driver
      row("healthy", kDriver + kNodes, kHealthy,
          {"H100 SXM5 80GB (h100-sxm5-80gb)", "all 6 are fine",
           "counters of GH100: 2 replay passes a launch"},
          true, true),
      with_device(row("old_driver", kDriver + kNodes, {"no driver", "ok cupti", "ok gpu0"},
                      {"CUDA 11.8", "525"}, false, false),
                  [](Device& d) { d.version = 11080; }),
      with_cupti(
          row("no_cupti", kDriver + kNodes, {"ok driver", "no cupti", "ok gpu0", "ok counters"},
              {"libcupti was not found"}, false, false),
          0),
      with_environment(
          row("inside_nsys", kDriver + kNodes,
              {"ok driver", "ok cupti", "no injector", "ok gpu0", "ok counters"},
              {"Nsight Systems", "unset CUDA_INJECTION64_PATH"}, false, false),
          {{"CUDA_INJECTION64_PATH", "/opt/nvidia/nsight-systems/libToolsInjection64.so"}}),
      row("dcgm_runs", kDriver + kNodes + Files{{"/proc/77/comm", "nv-hostengine\n"}},
          {"ok driver", "ok cupti", "warn profiler", "ok gpu0", "ok counters"},
          {"dcgmi profile --pause"}, true, true),
      // ---- the right to read counters
      row("restricted", kDriver + kNodes + kRestricted,
          {"ok driver", "ok cupti", "ok gpu0", "no counters"},
          {"RF3010", "NVreg_RestrictProfilingToAdminUsers=0", "gating on DRAM bytes"}, true, false),
      row("restricted_in_docker", kDriver + kNodes + kRestricted + kDocker,
          {"ok driver", "ok cupti", "ok gpu0", "no counters"}, {"--cap-add SYS_ADMIN"}, true,
          false),
      row("restricted_but_root", kDriver + kNodes + kRestricted + kRoot, kHealthy,
          {"CAP_SYS_ADMIN"}, true, true),
      row("setting_unknown",
          kDriver + kNodes + Files{{"/proc/driver/nvidia/params", "EnableMSI: 1\n"}},
          {"ok driver", "ok cupti", "ok gpu0", "warn counters"}, {"is not known"}, true, true),
      row("wsl", kWsl, {"ok driver", "ok cupti", "ok gpu0", "no counters"}, {"45"}, true, false),
      and_also(row("vgpu", kDriver + kNodes, {"ok driver", "ok cupti", "ok gpu0", "no counters"},
                   {"vGPU"}, true, false),
               [](MachineState& s) {
                 s.gpus[0].state = quiet();
                 s.gpus[0].state->virtualization = nvml::Virtualization::vgpu;
               }),
      row("mps", kDriver + kNodes + Files{{"/tmp/nvidia-mps/control", ""}},
          {"ok driver", "ok cupti", "ok gpu0", "ok counters", "warn counters"}, {"MPS"}, true,
          false),
      // ---- the GPU
      with_device(row("mig_slice", kDriver + kNodes,
                      {"ok driver", "ok cupti", "warn gpu0", "ok counters", "warn counters"},
                      {"an instance of h100-sxm5-80gb", "code 43"}, true, true),
                  [](Device& d) { d.name = "NVIDIA H100 80GB HBM3 MIG 1g.10gb", d.sms = 16; }),
      with_device(row("not_in_the_table", kDriver + kNodes,
                      {"ok driver", "ok cupti", "warn gpu0", "ok counters"},
                      {"RF3003", "SMs: 100 here, 114 in the table", "gpus template"}, true, true),
                  [](Device& d) { d.sms = 100, d.pci = 0, d.name = "NVIDIA Graphics Device"; }),
      with_device(row("pascal", kDriver + kNodes,
                      {"ok driver", "ok cupti", "warn gpu0", "no gpu0", "ok counters"},
                      {"7.5 (Turing)"}, false, false),
                  [](Device& d) { d.major = 6, d.minor = 1; }),
      with_device(row("prohibited", kDriver + kNodes,
                      {"ok driver", "ok cupti", "ok gpu0", "no gpu0", "ok counters"},
                      {"nvidia-smi -i 0 -c DEFAULT"}, false, false),
                  [](Device& d) { d.compute_mode = 2; }),
      with_device(row("exclusive", kDriver + kNodes,
                      {"ok driver", "ok cupti", "ok gpu0", "warn gpu0", "ok counters"},
                      {"exclusive"}, true, true),
                  [](Device& d) { d.compute_mode = 3; }),
      with_device(row("simulated", kDriver + kNodes,
                      {"ok driver", "ok cupti", "ok gpu0", "warn gpu0", "ok counters"},
                      {"SIMULATED"}, true, true),
                  [](Device& d) { d.name = "SIMULATED GPU"; }),
      and_also(row("busy_hot_and_floating", kDriver + kNodes,
                   {"ok driver", "ok cupti", "ok gpu0", "warn gpu0", "warn gpu0", "warn gpu0",
                    "ok counters"},
                   {"thermal slowdown", "nvidia-smi -i 0 -lgc", "pid 4121, 3.1 GB"}, true, true),
               [](MachineState& s) {
                 s.gpus[0].state = quiet();
                 s.gpus[0].state->throttle_reasons = 0x20;
                 s.gpus[0].state->sm_clock_mhz = 1200;
                 s.gpus[0].state->max_sm_clock_mhz = 1980;
                 s.gpus[0].state->processes = {{4121, 3'100'000'000}};
               }),
      // ---- the test kernel
      and_also(row("test_kernel", kDriver + kNodes,
                   {"ok driver", "ok cupti", "ok gpu0", "ok test_kernel", "ok counters"},
                   {"launch 4.6 us, empty kernel 1.9 us, copy 2.89 TB/s (86 % of 3.35 TB/s)"}, true,
                   true),
               [](MachineState& s) {
                 s.test = profile::TestKernel{4.6e-6, 1.9e-6, 2.89e12, 1 << 28};
               }),
      and_also(row("slow_copy", kDriver + kNodes,
                   {"ok driver", "ok cupti", "ok gpu0", "warn test_kernel", "ok counters"},
                   {"30 % of"}, true, true),
               [](MachineState& s) {
                 s.test = profile::TestKernel{4.6e-6, 1.9e-6, 1.0e12, 1 << 28};
               }),
      and_also(row("kernel_fails", kDriver + kNodes,
                   {"ok driver", "ok cupti", "ok gpu0", "no test_kernel", "ok counters"},
                   {"does not run", "RF3021"}, false, false),
               [](MachineState& s) {
                 s.test_fault = cuda::call_error({}, 719, "waiting for the kernel");
               }),
  };
}

profile::Libraries libraries(const Row& r) {
  profile::Libraries libs;
  libs.driver = [r]() -> Result<cuda::Api> {
    if (r.libcuda == Libcuda::there) return fake::driver();
    if (r.libcuda == Libcuda::stub)
      return fail(
          Code::no_device, {},
          "no CUDA device: the only libcuda found is a stub for linking (/x/stubs/libcuda.so)",
          "take the toolkit's stubs folder out of LD_LIBRARY_PATH");
    return fail(Code::no_device, {},
                "no CUDA device: the driver is not loaded (libcuda.so.1 not found)", {});
  };
  libs.management = []() -> Result<nvml::Api> {
    return fail(Code::no_device, {}, "libnvidia-ml.so.1 was not found", {});
  };
  libs.cupti = [r](const profile::HostView&, int) -> Result<profile::CuptiLibrary> {
    if (r.cupti == 0) return fail(Code::no_device, {}, "libcupti was not found", "install it");
    return profile::CuptiLibrary{"/usr/local/cuda/lib64/libcupti.so.13", r.cupti};
  };
  return libs;
}

class DoctorTest : public testing::TestWithParam<Row> {};

TEST_P(DoctorTest, SaysWhatWorksAndWhatToDo) {
  static const std::vector<Gpu> table = all_gpus().value();
  const Row& r = GetParam();
  fake::device = r.device;
  const fake::Root root(r.files);
  auto state = profile::examine_machine(root.view(r.environment), false, libraries(r));
  if (r.also) r.also(state);
  const auto report = diagnose(state, table, "0.0.0");

  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().subject, "analyze");
  std::vector<std::string> marks;
  for (std::size_t i = 1; i < report.findings.size(); ++i) {
    const auto& finding = report.findings[i];
    if (finding.subject == "metrics") continue;  // the chip's, not the machine's
    marks.push_back(std::string(mark_name(finding.mark)) + " " + finding.subject);
    if (finding.mark == Mark::no) {
      EXPECT_FALSE(finding.remedy.empty()) << finding.text;
    }
  }
  EXPECT_EQ(marks, r.marks);
  const auto text = doctor_text(report, 100'000, false);
  for (const auto& words : r.says)
    EXPECT_NE(text.find(words), std::string::npos) << words << "\nin\n" << text;
  EXPECT_EQ(report.profile, r.profile);
  EXPECT_EQ(report.counters, r.counters);
}

INSTANTIATE_TEST_SUITE_P(Machines, DoctorTest, testing::ValuesIn(rows()),
                         [](const auto& machine) { return machine.param.name; });

TEST(Doctor, JsonHasEveryFindingAndTheFactsAsTheyWereRead) {
  static const std::vector<Gpu> table = all_gpus().value();
  const Row r = row("restricted", kDriver + kNodes + kRestricted, {}, {}, true, false);
  fake::device = {};
  const fake::Root root(r.files);
  const auto report =
      diagnose(profile::examine_machine(root.view(), false, libraries(r)), table, "0.0.0");
  const auto json = doctor_json(report);
  for (const char* words :
       {"\"schema\": \"roofline.doctor/1\"", "\"counters\": false", "\"code\": \"RF3010\"",
        "\"RmProfilingAdminOnly\": \"1\"", "\"id\": \"h100-sxm5-80gb\"", "\"fit\": \"exact\""})
    EXPECT_NE(json.find(words), std::string::npos) << words << "\nin\n" << json;
}

TEST(Detect, ShowsFactsEntryAndDifferences) {
  static const std::vector<Gpu> table = all_gpus().value();
  DetectedGpu gpu;
  gpu.facts = {"NVIDIA H200", "10de:2335", "9.0", 132, 6144, 60 << 20, std::uint64_t{143167} << 20,
               3201e6,        false};
  gpu.match = identify(gpu.facts, table);
  const auto text = detect_text({gpu}, 200);
  for (const char* words :
       {"GPU 0   NVIDIA H200", "sm_90, 132 SMs, 6144-bit bus, 139.8 GiB, L2 60 MiB, PCI 10de:2335",
        "h200-sxm-141gb", "L2: 60 MiB here, 50 MiB in the table", "--gpu h200-sxm-141gb"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\nin\n" << text;
}

}  // namespace
}  // namespace roofline::cli
