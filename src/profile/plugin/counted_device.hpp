#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "profile/plugin/counter_set.hpp"
#include "profile/plugin/refusal.hpp"
#include "roofline/kernel/metric_choice.hpp"
#include "roofline/kernel/metric_sets.hpp"

namespace roofline::profile::plugin {

struct Session;

/// A device and its counter sets, each made when the first kernel needs it.
class CountedDevice {
 public:
  /// Asks CUPTI for the chip and whether it can be counted. Call once the profiler is initialised:
  /// before, and after a failed start, these calls crash.
  static std::optional<Refusal> open(Session& s, const ProfilerApi& api, std::uint32_t ordinal,
                                     CountedDevice& device);

  /// The set for a kernel whose machine code executes `tensor` (bits of machine_code::Tensor).
  /// Absent: its configuration failed, which `failed` tells.
  const CounterSet* for_kernel(Session& s, const ProfilerApi& api, std::uint64_t tensor,
                               std::optional<FailedCall>& failed);
  /// DRAM counters that refuse other company; absent where the chip has none such.
  const CounterSet* for_memory(Session& s, const ProfilerApi& api,
                               std::optional<FailedCall>& failed);
  bool has_memory_set() const { return !family_->memory.hw.empty(); }
  const MetricFamily& family() const { return *family_; }
  const std::string& chip() const { return chip_; }

 private:
  using Made = std::unique_ptr<CounterSet>;
  const CounterSet* made(Session& s, const ProfilerApi& api, Made& place,
                         const MetricChoice& choice, std::optional<FailedCall>& failed);

  std::string chip_;
  const MetricFamily* family_ = nullptr;
  std::map<std::uint64_t, Made> sets_;
  Made memory_;
};

}  // namespace roofline::profile::plugin
