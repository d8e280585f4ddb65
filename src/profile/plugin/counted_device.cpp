#include "profile/plugin/counted_device.hpp"

#include "profile/plugin/session.hpp"
#include "roofline/kernel/machine_code.hpp"
#include "roofline/kernel/metric_choice.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

struct Unsupported {
  CUpti_Profiler_Support_Level CUpti_Profiler_DeviceSupported_Params::*what;
  int result;  ///< the code that CUPTI's later calls would give
};
constexpr Unsupported kUnsupported[] = {
    {&CUpti_Profiler_DeviceSupported_Params::vGpu, 40},
    {&CUpti_Profiler_DeviceSupported_Params::confidentialCompute, 41},
    {&CUpti_Profiler_DeviceSupported_Params::cmp, 42},
    {&CUpti_Profiler_DeviceSupported_Params::sli, 44},
    {&CUpti_Profiler_DeviceSupported_Params::wsl, 45},
};

std::optional<Refusal> unsupported(Session& s, const ProfilerApi& api, std::uint32_t ordinal) {
  if (!api.device_supported) return std::nullopt;
  auto asked = ROOFLINE_PARAMS(Profiler_DeviceSupported);
  asked.cuDevice = static_cast<CUdevice>(ordinal);
  asked.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (api.device_supported(&asked) != CUPTI_SUCCESS) return std::nullopt;  // later calls will tell
  if (asked.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return std::nullopt;
  for (const auto& row : kUnsupported)
    if (asked.*row.what != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
      return refusal_of(s.cupti, static_cast<CUptiResult>(row.result),
                        "cuptiProfilerDeviceSupported");
  return Refusal{status::kUnknownChip, "CUPTI has no counters for this GPU", "", 0};
}

}  // namespace

std::optional<Refusal> CountedDevice::open(Session& s, const ProfilerApi& api,
                                           std::uint32_t ordinal, CountedDevice& device) {
  if (auto refusal = unsupported(s, api, ordinal)) return refusal;
  auto name = ROOFLINE_PARAMS(Device_GetChipName);
  name.deviceIndex = ordinal;
  if (const auto result = api.chip_name(&name); result != CUPTI_SUCCESS)
    return refusal_of(s.cupti, result, "cuptiDeviceGetChipName");
  device.chip_ = name.pChipName ? name.pChipName : "";
  device.family_ = find_metric_family(device.chip_);
  if (device.family_) return std::nullopt;
  return Refusal{status::kUnknownChip, "no counters are known for the chip '" + device.chip_ + "'",
                 device.chip_, 0};
}

const CounterSet* CountedDevice::made(Session& s, const ProfilerApi& api, Made& place,
                                      const std::vector<const char*>& metrics,
                                      std::optional<FailedCall>& failed) {
  if (place) return place.get();
  auto set = std::make_unique<CounterSet>();
  failed = CounterSet::prepare(api, chip_, CUPTI_PROFILER_TYPE_RANGE_PROFILER, metrics, *set);
  if (failed) return nullptr;
  if (set->unknown_metrics() > 0) s.losses.add(Lost::metrics_unknown, set->unknown_metrics());
  place = std::move(set);
  return place.get();
}

const CounterSet* CountedDevice::for_kernel(Session& s, const ProfilerApi& api,
                                            std::uint64_t tensor,
                                            std::optional<FailedCall>& failed) {
  tensor &= ~std::uint64_t{machine_code::kSparse};  // the same counters see it
  return made(s, api, sets_[tensor], choose_metrics(*family_, tensor, s.settings.sass).metrics,
              failed);
}

const CounterSet* CountedDevice::for_memory(Session& s, const ProfilerApi& api,
                                            std::optional<FailedCall>& failed) {
  if (!has_memory_set()) return nullptr;
  return made(s, api, memory_, {family_->memory.hw.begin(), family_->memory.hw.end()}, failed);
}

}  // namespace roofline::profile::plugin
