#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/profile/cuda_api.hpp"
#include "roofline/profile/cupti_library.hpp"
#include "roofline/profile/host.hpp"
#include "roofline/profile/nvml_api.hpp"

/// Everything that decides whether this machine can profile, as plain data: what it means is for
/// others to say.
namespace roofline::profile {

/// What a first kernel showed: that code runs, and roughly how fast launches and memory are. One
/// short burst each; a figure for doctor, not a ceiling.
struct TestKernel {
  double launch_s = 0;   ///< CPU time of one launch
  double kernel_s = 0;   ///< time from one empty kernel to the next on the GPU
  double copy_rate = 0;  ///< bytes read and written per second by a copy on the device
  std::size_t copy_bytes = 0;
};

struct GpuState {
  cuda::DeviceInfo info;
  std::optional<nvml::State> state;
};

struct MachineState {
  HostView view;  ///< what the facts were read from
  Host host;
  std::vector<Injector> injectors;

  std::string libcuda;                ///< path; empty: not opened
  std::optional<Error> driver_fault;  ///< why there are no devices
  std::optional<int> init_status;     ///< of cuInit, where it was called
  int driver_cuda = 0;                ///< 13000; 0: not known
  std::vector<GpuState> gpus;

  std::string driver_version;  ///< "580.65.06" by the management library; empty: not known
  std::optional<Error> management_fault;  ///< why clocks and processes are not known
  std::optional<CuptiLibrary> cupti;
  std::optional<Error> cupti_fault;

  std::optional<TestKernel> test;  ///< on GPU 0
  std::optional<Error> test_fault;

  int driver_cuda_major() const { return driver_cuda / 1000; }
};

/// The libraries that are asked; a test puts its own in their place.
struct Libraries {
  std::function<Result<cuda::Api>()> driver = cuda::open_driver;
  std::function<Result<nvml::Api>()> management = nvml::open_management;
  std::function<Result<CuptiLibrary>(const HostView&, int)> cupti = find_cupti;
};

/// Looks at everything. The driver is started with cuInit; `run_test_kernel` makes a context on GPU
/// 0 as well, which takes about a second and some hundred MB of its memory.
MachineState examine_machine(const HostView& view, bool run_test_kernel,
                             const Libraries& libraries = {});

/// Launches an empty kernel many times and copies memory on the device. Errors: driver_failed.
Result<TestKernel> run_test_kernel(const cuda::Api& api, int ordinal);

}  // namespace roofline::profile
