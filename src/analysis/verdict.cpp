#include "roofline/analysis/verdict.hpp"

#include <algorithm>

#include "analysis/causes.hpp"

namespace roofline {
namespace {

template <class E, std::size_t N>
std::string_view name_of(E value, const std::string_view (&names)[N]) {
  return names[static_cast<std::size_t>(value)];
}

Bound bound_of(const Floor& floor) {
  const auto* limiting = floor.limiting();
  if (!limiting) return floor.link_unrated || floor.unrated_count ? Bound::unknown : Bound::overhead;
  switch (limiting->ceiling.resource.kind) {
    case Resource::Kind::dram: return floor.link_unrated ? Bound::unknown : Bound::memory;
    case Resource::Kind::pipe: return Bound::compute;
    case Resource::Kind::link: return Bound::link;
    case Resource::Kind::none: break;
  }
  return Bound::unknown;
}

void set_side(Verdict& verdict, const Kernel& kernel, const Ceilings& ceilings) {
  const auto& work = kernel.work;
  const bool contraction = work.headline() == Work::Headline::matmul;
  verdict.headline = ceilings.of(work.pipe(), contraction, kernel.mma_sync);
  if (const Count bytes = verdict.bytes(); bytes > Count(0))
    verdict.intensity = Flops(verdict.flops.to_double()) / Bytes(bytes.to_double());
  if (verdict.headline) {
    verdict.ridge = ridge_point(*verdict.headline, ceilings.dram());
    const bool below = compare_with_ridge(work, *verdict.headline, ceilings.dram()) < 0;
    if (verdict.intensity || verdict.flops > Count(0)) verdict.side = below ? Side::memory : Side::compute;
  } else if (verdict.intensity && verdict.flops == Count(0)) {
    verdict.side = Side::memory;  // copies: nothing is computed
  }
  const bool on_tensor = verdict.headline && verdict.headline->resource.pipe.kind == PipeKind::tensor;
  if (!on_tensor)
    if (auto bf16 = ceilings.of({PipeKind::tensor, RateType::bf16}, true))
      verdict.bf16_ridge = ridge_point(*bf16, ceilings.dram());
}

void set_balance(Verdict& verdict) {
  const auto* pipe = verdict.floor.slowest_pipe();
  const Seconds dram = verdict.floor.dram();
  if (!pipe || dram <= Seconds(0) || pipe->time <= Seconds(0)) return;
  if (verdict.bound == Bound::memory && pipe->time / dram >= kBalancedLow) verdict.balanced_with = pipe->ceiling.resource;
  if (verdict.bound == Bound::compute && dram / pipe->time >= kBalancedDram) verdict.balanced_with = Resource::dram();
  verdict.balanced = verdict.balanced_with.has_value();
}

/// The shares of the op's class where the table has them, else the published attainable bandwidth for memory alone.
const AttainableShare* share_for(const Gpu& gpu, const Kernel& kernel) {
  const std::string_view family = kernel.op ? kernel.op->family : std::string_view("generic");
  const AttainableShare* memory = nullptr;
  for (const auto& share : gpu.attainable) {
    if (share.op_class == family) return &share;
    if (share.op_class == "memory") memory = &share;
  }
  return memory;
}

void set_attainable(Verdict& verdict, const Kernel& kernel, const Ceilings& ceilings) {
  const auto* share = share_for(ceilings.gpu(), kernel);
  if (!share) return;
  // The `memory` class knows a bandwidth share only; it says nothing of a kernel that a datapath limits.
  const bool memory_only = share->op_class == "memory";
  if (memory_only && verdict.floor.compute() > verdict.floor.dram()) return;
  const Seconds launch = share->launch_floor > Seconds(0) ? share->launch_floor : verdict.launch_floor;
  verdict.attainable = std::max(verdict.floor.dram() / share->bandwidth_share,
                                verdict.floor.compute() / share->compute_share) + launch;
}

Status status_of(double fraction) {
  if (fraction > 1 / kImpossibleBelow) return Status::impossible;
  if (fraction >= kAtCeiling) return Status::at_ceiling;
  return fraction >= kNear ? Status::near : Status::under_roof;
}

Confidence confidence_of(Bound bound, double fraction, bool larger_than_l2) {
  if (bound == Bound::compute) return fraction >= kHighCompute ? Confidence::high : Confidence::floor;
  if (bound != Bound::memory) return Confidence::floor;
  if (fraction >= kHighMemory) return larger_than_l2 ? Confidence::high : Confidence::floor;
  return fraction >= kLikelyMemory ? Confidence::likely : Confidence::floor;
}

/// A time whose timing mode is not known is overhead only where every mode says so.
Seconds launch_floor_in(const Gpu& gpu, Timing timing) {
  return timing == Timing::unknown ? launch_floor(gpu, Timing::graph) : launch_floor(gpu, timing);
}

void set_measured(Verdict& verdict, const Kernel& kernel, const Ceilings& ceilings) {
  MeasuredVerdict measured{.time = *kernel.time, .timing = kernel.timing};
  measured.fraction_of_ceiling = verdict.floor.time / measured.time;
  measured.status = status_of(measured.fraction_of_ceiling);
  if (verdict.flops > Count(0)) measured.achieved_flop_rate = Flops(verdict.flops.to_double()) / measured.time;
  if (verdict.bytes() > Count(0)) measured.achieved_bandwidth = Bytes(verdict.bytes().to_double()) / measured.time;
  const auto& l2 = ceilings.gpu().l2_capacity;
  const bool larger = l2 && verdict.bytes().to_double() > kWorkingSetOverL2 * l2->value.value();
  verdict.bound = bound_of(verdict.floor);
  if (measured.time < kOverheadBelow * launch_floor_in(ceilings.gpu(), kernel.timing) &&
      measured.status != Status::impossible)
    verdict.bound = Bound::overhead;
  verdict.confidence = measured.status == Status::impossible
                           ? Confidence::floor
                           : confidence_of(verdict.bound, measured.fraction_of_ceiling, larger);
  verdict.latency_likely = false;
  verdict.measured = std::move(measured);
  if (verdict.measured->status == Status::impossible)
    verdict.measured->causes = causes_of_impossible(kernel, verdict, ceilings);
}

}  // namespace

std::string_view bound_name(Bound bound) {
  return name_of(bound, {"memory", "compute", "overhead", "link", "unknown"});
}
std::string_view side_name(Side side) { return side == Side::memory ? "memory" : "compute"; }
std::string_view status_name(Status status) {
  return name_of(status, {"impossible", "at_ceiling", "near", "under_roof"});
}
std::string_view confidence_name(Confidence confidence) { return name_of(confidence, {"high", "likely", "floor"}); }

Seconds launch_floor(const Gpu& gpu, Timing timing) {
  if (!gpu.launch_floor) return Seconds(0);
  const bool back_to_back = timing == Timing::graph || timing == Timing::kernel;
  return back_to_back ? gpu.launch_floor->graph.value : gpu.launch_floor->stream.value;
}

Result<Verdict> judge(const Kernel& kernel, const Ceilings& ceilings) {
  auto floor = time_floor(kernel, ceilings);
  if (!floor) return tl::unexpected(std::move(floor.error()));
  Verdict verdict{.floor = *floor,
                  .flops = kernel.work.flops(),
                  .bytes_read = kernel.work.bytes_read(),
                  .bytes_written = kernel.work.bytes_written()};
  verdict.launch_floor = launch_floor(ceilings.gpu(), kernel.timing);
  set_side(verdict, kernel, ceilings);
  const Bound limited_by = bound_of(*floor);
  const bool short_kernel = floor->time < kOverheadBelow * verdict.launch_floor;
  verdict.bound = short_kernel && limited_by != Bound::unknown ? Bound::overhead : limited_by;
  verdict.latency_likely = verdict.bound == Bound::memory && floor->time < kLatencyLikelyBelow;
  set_attainable(verdict, kernel, ceilings);
  if (kernel.time) set_measured(verdict, kernel, ceilings);
  set_balance(verdict);
  return verdict;
}

}  // namespace roofline
