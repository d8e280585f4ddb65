#include "roofline/profile/machine_state.hpp"

namespace roofline::profile {
namespace {

void look_at_devices(const cuda::Api& api, MachineState& state) {
  auto devices = cuda::list_devices(api);
  if (!devices) {
    state.driver_fault = std::move(devices.error());
    return;
  }
  for (auto& device : *devices) state.gpus.push_back({std::move(device), std::nullopt});
}

void start_driver(const cuda::Api& api, MachineState& state) {
  state.libcuda = api.path;
  if (int version = 0; api.driver_version(&version) == 0) state.driver_cuda = version;
  state.init_status = api.init(0);
  if (*state.init_status != 0)
    state.driver_fault = cuda::init_error(api, *state.init_status);
  else
    look_at_devices(api, state);
}

void ask_management(const Libraries& libraries, MachineState& state) {
  const auto api = libraries.management();
  if (!api) {
    state.management_fault = api.error();
    return;
  }
  state.driver_version = nvml::driver_version(*api);
  for (auto& gpu : state.gpus) {
    const auto device = nvml::find_device(*api, gpu.info.uuid, gpu.info.pci_bus);
    if (device) gpu.state = nvml::read_state(*api, device);
    if (gpu.state && gpu.info.pci_id.empty()) gpu.info.pci_id = gpu.state->pci_id;
  }
}

}  // namespace

MachineState examine_machine(const HostView& view, bool run_kernel, const Libraries& libraries) {
  MachineState state;
  state.view = view;
  state.host = read_host(view);
  state.injectors = find_injectors(view);
  const auto driver = libraries.driver();
  if (driver)
    start_driver(*driver, state);
  else
    state.driver_fault = driver.error();
  ask_management(libraries, state);
  auto cupti = libraries.cupti(view, state.driver_cuda_major());
  if (cupti)
    state.cupti = std::move(*cupti);
  else
    state.cupti_fault = std::move(cupti.error());
  if (!run_kernel || state.gpus.empty()) return state;
  auto test = run_test_kernel(*driver, state.gpus.front().info.ordinal);
  if (test)
    state.test = *test;
  else
    state.test_fault = std::move(test.error());
  return state;
}

}  // namespace roofline::profile
