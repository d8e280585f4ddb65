#include "analysis/counter_findings.hpp"

#include <algorithm>

namespace roofline {

void add_counters(KernelFinding& finding, const Ceilings* ceilings) {
  const auto& samples = finding.seen->counters;
  if (samples.empty()) return;
  std::vector<CounterValues> launches;
  for (const auto& sample : samples) {
    launches.emplace_back(sample.values.begin(), sample.values.end());
    finding.replay_passes = std::max(finding.replay_passes, sample.replay_passes);
  }
  finding.counted_launches = samples.size();
  std::optional<ByteRate> peak;
  if (ceilings) peak = ByteRate(ceilings->dram().per_second);
  finding.counter_values = median_counters(launches);
  finding.counters = measured_counters(finding.counter_values, peak);
  const auto moved = finding.counters->dram_bytes();
  if (!moved) return;
  if (finding.verdict && finding.verdict->bytes() > Count(0))
    finding.excess_traffic = moved->value() / finding.verdict->bytes().to_double();
  if (peak && finding.time > Seconds(0)) finding.dram_busy = *moved / finding.time / *peak;
}

}  // namespace roofline
