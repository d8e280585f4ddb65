#include "profile/plugin/counted_device.hpp"

#include "profile/plugin/message.hpp"
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

/// The table's passes were counted with one version of CUPTI; another that needs more replays every
/// launch more often than the user was told.
void hold_against_table(Session& s, const std::string& chip, const MetricChoice& choice,
                        std::size_t passes) {
  if (choice.expected_passes == 0 || passes == static_cast<std::size_t>(choice.expected_passes))
    return;
  s.losses.add(Lost::passes_differ);
  say("the counters of " + chip + " (" + std::string(choice.name) + ") take " +
      std::to_string(passes) + " replay passes a launch with this CUPTI, and " +
      std::to_string(choice.expected_passes) + " by the table");
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
                                      const MetricChoice& choice,
                                      std::optional<FailedCall>& failed) {
  if (place) return place.get();
  auto set = std::make_unique<CounterSet>();
  failed =
      CounterSet::prepare(api, chip_, CUPTI_PROFILER_TYPE_RANGE_PROFILER, choice.metrics, *set);
  if (failed) return nullptr;
  if (set->unknown_metrics() > 0)
    s.losses.add(Lost::metrics_unknown, set->unknown_metrics());
  else
    hold_against_table(s, chip_, choice, set->passes());
  place = std::move(set);
  return place.get();
}

const CounterSet* CountedDevice::for_kernel(Session& s, const ProfilerApi& api,
                                            std::uint64_t tensor,
                                            std::optional<FailedCall>& failed) {
  tensor &= ~std::uint64_t{machine_code::kSparse};  // the same counters see it
  return made(s, api, sets_[tensor], choose_metrics(*family_, tensor, s.settings.sass), failed);
}

const CounterSet* CountedDevice::for_memory(Session& s, const ProfilerApi& api,
                                            std::optional<FailedCall>& failed) {
  if (!has_memory_set()) return nullptr;
  const auto& memory = family_->memory;
  return made(s, api, memory_, {"memory", {memory.hw.begin(), memory.hw.end()}, memory.hw_passes},
              failed);
}

}  // namespace roofline::profile::plugin
