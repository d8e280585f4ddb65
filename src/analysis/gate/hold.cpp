#include "analysis/gate/hold.hpp"

#include <array>

namespace roofline {
namespace {

/// What kept the machine from measuring well; empty: nothing.
std::string disturbance(const GateInputs& inputs) {
  constexpr double kThrottled = 0.05, kClockSpread = 0.03;
  if (!inputs.result || !inputs.result->environment) return {};
  const auto& e = *inputs.result->environment;
  if (e.throttled_share.value_or(0) > kThrottled)
    return fmt::format("the GPU was throttled in {} % of the samples",
                       format_number(*e.throttled_share * 100));
  if (e.other_processes.value_or(0) > 0)
    return fmt::format("{} other process{} used the GPU", *e.other_processes,
                       *e.other_processes == 1 ? "" : "es");
  if (!e.clock_min_mhz || !e.clock_max_mhz) return {};
  const double middle = e.clock_median_mhz.value_or((*e.clock_min_mhz + *e.clock_max_mhz) / 2);
  if (middle <= 0 || (*e.clock_max_mhz - *e.clock_min_mhz) / middle <= kClockSpread) return {};
  return fmt::format("the SM clock moved between {} and {} MHz", format_number(*e.clock_min_mhz),
                     format_number(*e.clock_max_mhz));
}

/// A failure that the state of the machine may explain is none.
void excuse_disturbed(Case& c) {
  if (c.row.outcome != Outcome::fail) return;
  if (auto why = disturbance(c.inputs); !why.empty())
    refuse(c.row, Outcome::inconclusive, Code::machine_disturbed, std::move(why));
}

/// In the order of AssertionKind.
constexpr std::array<void (*)(Case&), kAssertionKinds> kHold = {
    &hold_bound,          &hold_bytes,      &hold_flops,       &hold_passes,
    &hold_floor,          &hold_intensity,  &hold_launches,    &hold_registers,
    &hold_spills,         &hold_local,      &hold_smem,        &hold_code_unchanged,
    &hold_excess_traffic, &hold_dram_bytes, &hold_utilization, &hold_of_ceiling,
    &hold_over_floor,     &hold_time,       &hold_idle,        &hold_regression,
    &hold_regression,     &hold_noise,
};

/// What depends on the GPU that measured. Descriptions are worked out on the gate's own.
bool depends_on_gpu(GateNeeds needs) {
  return needs != GateNeeds::description && needs != GateNeeds::launches;
}

bool measured_elsewhere(const GateInputs& inputs) {
  return inputs.result && inputs.ceilings && inputs.result->gpu.id != inputs.ceilings->gpu().id;
}

void refuse_elsewhere(Case& c) {
  const auto& gpu = c.inputs.result->gpu;
  const bool skip = c.inputs.gate->policy.other_gpu == SkipPolicy::skip;
  const std::string name =
      gpu.id.empty() ? gpu.name.empty() ? "a GPU that is not named" : printable(gpu.name) : gpu.id;
  refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::measured_elsewhere,
         fmt::format("measured on {}, the limits are for {}", name, c.inputs.ceilings->gpu().id));
}

}  // namespace

AssertionResult hold(const GateInputs& inputs, const Subject& subject, const Assertion& assertion) {
  const auto& entry = describe(assertion.kind);
  Case c{inputs, subject, assertion, entry, row_of(subject, entry.name)};
  auto& row = c.row;
  if (!assertion.resource.empty()) row.assertion += '.' + assertion.resource;
  row.unit = entry.unit;
  row.at_least = entry.at_least;
  if (entry.unit != GateUnit::none) row.limit = assertion.limit;
  row.line = assertion.place.line, row.column = assertion.place.column,
  row.length = assertion.place.length;
  const bool elsewhere =
      subject.function == nullptr && depends_on_gpu(entry.needs) && measured_elsewhere(inputs);
  if (elsewhere && !inputs.cross_gpu) {
    refuse_elsewhere(c);
    return row;
  }
  kHold[static_cast<std::size_t>(assertion.kind)](c);
  if (entry.noisy) excuse_disturbed(c);
  if (elsewhere) {
    refuse_elsewhere(c);
    row.outcome = Outcome::skip;
    row.text += "; for information only";
  }
  return row;
}

}  // namespace roofline
