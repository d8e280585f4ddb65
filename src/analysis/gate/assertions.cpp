#include <algorithm>
#include <iterator>

#include "roofline/analysis/gate_file.hpp"

namespace roofline {
namespace {

constexpr unsigned bit(GateSection section) { return 1U << static_cast<unsigned>(section); }
constexpr unsigned kSpec = bit(GateSection::spec), kModel = bit(GateSection::model),
                   kCode = bit(GateSection::code), kKernel = bit(GateSection::kernel),
                   kRange = bit(GateSection::range);

constexpr std::string_view kSections[] = {"a description", "a model", "machine code", "a kernel",
                                          "a range"};
static_assert(std::size(kSections) == kGateSections);

using K = AssertionKind;
using F = LimitForm;
using U = GateUnit;
using N = GateNeeds;
// clang-format off
constexpr AssertionEntry kAssertions[] = {
    {K::bound, "bound", "bound", F::bounds, U::none, N::description, false, false, kSpec | kModel | kKernel,
     "[memory]", "what may limit it: memory, compute, overhead, link, unknown; a balanced kernel counts as either side"},
    {K::max_bytes, "max_bytes", "compulsory bytes", F::bytes, U::bytes, N::description, false, false, kSpec | kModel | kKernel,
     "403 MB", "DRAM bytes that the description must move"},
    {K::max_flops, "max_flops", "FLOPs", F::flops, U::flops, N::description, false, false, kSpec | kModel | kKernel,
     "137.5 GFLOP", "operations that the description asks for"},
    {K::max_passes, "max_passes", "passes", F::count, U::count, N::description, false, false, kSpec | kKernel,
     "3", "reads and writes of whole tensors"},
    {K::max_floor, "max_floor", "floor", F::time, U::seconds, N::description, false, false, kSpec | kModel | kKernel,
     "121 us", "time floor on the gate's GPU"},
    {K::min_intensity, "min_intensity", "intensity", F::intensity, U::intensity, N::description, true, false,
     kSpec | kModel | kKernel, "20 FLOP/B", "FLOPs per compulsory byte"},
    {K::max_launches, "max_launches", "launches", F::count, U::count, N::launches, false, false, kKernel | kRange,
     "40", "kernel launches of one run; must be the same in all runs"},
    {K::max_registers, "max_registers", "registers", F::count, U::count, N::code, false, false, kCode | kKernel,
     "240", "registers of a thread"},
    {K::max_spill_bytes, "max_spill_bytes", "spilled", F::whole_bytes, U::bytes, N::code, false, false, kCode | kKernel,
     "0", "bytes of registers spilled to memory, of a thread"},
    {K::max_local_bytes, "max_local_bytes", "local memory", F::whole_bytes, U::bytes, N::code, false, false, kCode | kKernel,
     "0", "bytes of local memory, of a thread"},
    {K::max_smem, "max_smem", "shared memory", F::bytes, U::bytes, N::code, false, false, kCode | kKernel,
     "48 KiB", "shared memory of a block"},
    {K::code_unchanged, "code_unchanged", "machine code", F::flag, U::none, N::baseline, false, false, kCode | kKernel,
     "true", "the hash of the machine code is the baseline's"},
    {K::max_excess_traffic, "max_excess_traffic", "excess traffic", F::factor, U::ratio, N::counters, false, false, kKernel,
     "1.10", "measured DRAM bytes over compulsory bytes"},
    {K::max_dram_bytes, "max_dram_bytes", "DRAM bytes", F::bytes, U::bytes, N::counters, false, false, kKernel,
     "450 MB", "measured DRAM bytes of a launch"},
    {K::min_utilization_pct, "min_utilization_pct", "busy", F::percents, U::percent, N::counters, true, true, kKernel,
     "{dram: 85}", "measured traffic over time over peak of the named resource"},
    {K::min_pct_of_ceiling, "min_pct_of_ceiling", "of ceiling", F::percent, U::percent, N::time, true, true, kKernel,
     "75", "floor over time; the reciprocal of max_time_over_floor"},
    {K::max_time_over_floor, "max_time_over_floor", "time over floor", F::factor, U::ratio, N::time, false, true, kKernel,
     "1.25", "time over floor; the reciprocal of min_pct_of_ceiling"},
    {K::max_time, "max_time", "time", F::time, U::seconds, N::time, false, true, kKernel | kRange,
     "2.1 ms", "median of the runs' median times"},
    {K::max_gpu_idle_pct, "max_gpu_idle_pct", "GPU idle", F::percent, U::percent, N::trace, false, true, kRange,
     "20", "idle time between the first and the last kernel of the range"},
    {K::max_regression_pct, "max_regression_pct", "against the baseline", F::percent, U::percent, N::baseline, false, true,
     kKernel | kRange, "5", "change of the time against the baseline"},
    {K::max_drift_pct, "max_drift_pct", "against the release", F::percent, U::percent, N::pinned, false, true,
     kKernel | kRange, "10", "change of the time against the pinned baseline"},
    {K::max_noise_pct, "max_noise_pct", "spread between runs", F::percent, U::percent, N::runs, false, false,
     kKernel | kRange, "3", "standard deviation of the runs' medians"},
};
// clang-format on
static_assert(std::size(kAssertions) == kAssertionKinds);

}  // namespace

std::span<const AssertionEntry> assertions() { return kAssertions; }

const AssertionEntry& describe(AssertionKind kind) {
  return kAssertions[static_cast<std::size_t>(kind)];
}

std::string_view section_name(GateSection section) {
  return kSections[static_cast<std::size_t>(section)];
}

}  // namespace roofline
