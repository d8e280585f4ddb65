#include "analysis/counter_findings.hpp"

#include <algorithm>

namespace roofline {

namespace {

/// At its ceiling a kernel has no cause to look for.
void apply_rules(KernelFinding& finding, const Ceilings* ceilings) {
  const auto* measured =
      finding.verdict && finding.verdict->measured ? &*finding.verdict->measured : nullptr;
  if (measured &&
      (measured->status == Status::at_ceiling || measured->status == Status::impossible))
    return;
  const auto& seen = *finding.seen;
  LaunchFacts launch;
  if (finding.time > Seconds(0)) launch.time = finding.time;
  const double blocks = static_cast<double>(seen.grid[0]) * static_cast<double>(seen.grid[1]) *
                        static_cast<double>(seen.grid[2]);
  if (blocks > 0) launch.blocks = blocks;  // a file may not tell the grid
  if (seen.code) {
    launch.spill_bytes = static_cast<double>(seen.code->spill_bytes);
    launch.tensor_code = seen.code->tensor_types;
  }
  const CounterFacts facts(*finding.counters, launch, ceilings ? &ceilings->gpu() : nullptr,
                           finding.kernel ? &*finding.kernel : nullptr,
                           finding.verdict ? &*finding.verdict : nullptr);
  finding.fired = fired_rules(facts, counter_rules(), launch.time);
}

}  // namespace

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
  if (moved && finding.verdict && finding.verdict->bytes() > Count(0))
    finding.excess_traffic = moved->value() / finding.verdict->bytes().to_double();
  if (moved && peak && finding.time > Seconds(0)) finding.dram_busy = *moved / finding.time / *peak;
  if (finding.dram_busy.value_or(0) > 1)
    finding.counters->caveats.push_back(CounterCaveat::dram_beats_peak);
  apply_rules(finding, ceilings);
}

}  // namespace roofline
