#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "roofline/kernel/metric_sets.hpp"

namespace roofline {

/// The counters to ask for one kernel.
struct MetricChoice {
  std::string_view name;  ///< "core", "bf16", "several types", "all types"
  std::vector<const char*>
      metrics;              ///< in an order that keeps the passes few; the instrumented ones last
  int expected_passes = 0;  ///< 0: never counted before; ask the library
};

/// The core set of the chip, with the tensor counters of the types that the kernel's machine code
/// executes
/// (`tensor`: bits of machine_code::Tensor; 0 for none). Types that only a run-time descriptor
/// tells take the set of all types. Peaks cost no pass and are always in. Errors: none; allocates.
MetricChoice choose_metrics(const MetricFamily& family, std::uint64_t tensor, bool instrumented);

}  // namespace roofline
