#include "roofline/analysis/verdict.hpp"

#include <algorithm>

#include "analysis/causes.hpp"
#include "roofline/analysis/attainable.hpp"

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
    case Resource::Kind::l2:
    case Resource::Kind::shared:
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

Status status_of(double fraction) {
  if (fraction > 1 / kImpossibleBelow) return Status::impossible;
  if (fraction >= kAtCeiling) return Status::at_ceiling;
  return fraction >= kNear ? Status::near : Status::under_roof;
}

/// A memory verdict needs a fraction that only DRAM explains: traffic that the L2 cannot hold, and no datapath that
/// needs nearly as long.
Confidence confidence_of(const Verdict& verdict, double fraction, bool larger_than_l2) {
  if (verdict.bound == Bound::compute) return fraction >= kHighCompute ? Confidence::high : Confidence::floor;
  if (verdict.bound != Bound::memory || verdict.balanced) return Confidence::floor;
  if (fraction >= kHighMemory) return larger_than_l2 ? Confidence::high : Confidence::floor;
  return fraction >= kLikelyMemory ? Confidence::likely : Confidence::floor;
}

/// A time whose timing mode is not known is overhead only where every mode says so.
Seconds launch_floor_in(const Gpu& gpu, Timing timing) {
  return timing == Timing::unknown ? launch_floor(gpu, Timing::graph) : launch_floor(gpu, timing);
}

/// The least time that such a measurement shows: a launch, or what the smallest problems of the class are seen to take.
/// The second may hold several launches (an attention module, a product that quantises its operands first), so that it
/// says nothing of a single kernel in a trace.
Seconds least_time(const Kernel& kernel, const AttainableShare* share, const Gpu& gpu) {
  const Seconds launch = launch_floor_in(gpu, kernel.timing);
  // The class "memory" is a bandwidth; its launch floor is that of a stream, whatever was measured.
  const bool of_class = share && share->op_class != "memory" && kernel.timing != Timing::kernel;
  return of_class ? std::max(launch, share->launch_floor) : launch;
}

/// A call timed from the host holds the launch and the way back; a node of a graph or a trace holds one.
double launches_in(Timing timing) {
  return timing == Timing::stream || timing == Timing::event || timing == Timing::e2e ? kOverheadBelow : 1;
}

/// The time is near the least that can be seen, or the work is less than the launch: whatever else is slow about such a
/// kernel, no roof is.
bool overhead_explains(const Verdict& verdict, const Kernel& kernel, const AttainableShare* share, const Gpu& gpu) {
  return verdict.measured->time < kOverheadBelow * least_time(kernel, share, gpu) ||
         verdict.floor.time < launches_in(kernel.timing) * launch_floor_in(gpu, kernel.timing);
}

/// A product whose floor is the datapath's, but whose time that floor does not explain and DRAM may: then neither is
/// named. On the H100/H200 pairs one in six of these gains from faster DRAM alone (docs/accuracy.md).
bool compute_is_doubtful(const Verdict& verdict, const Kernel& kernel, const Gpu& gpu) {
  if (verdict.measured->fraction_of_ceiling >= kNear || !gpu.l2_capacity) return false;
  const auto kind = op_class_of(kernel);
  if (!kind.starts_with("gemm")) return false;
  const double fraction = verdict.measured->fraction_of_ceiling, over_l2 = verdict.bytes().to_double() / gpu.l2_capacity->value.value();
  const bool near_ridge = verdict.floor.dram() > kNearRidge * verdict.floor.compute();
  if (over_l2 <= kL2Partition) return false;
  if (near_ridge) return true;
  const bool quantises = (kind == "gemm_8bit" || kind == "gemm_4bit") && kernel.timing != Timing::kernel;
  return quantises && fraction < kHalfExplained;
}

Bound measured_bound(const Verdict& verdict, const Kernel& kernel, const AttainableShare* share, const Gpu& gpu) {
  const Bound limited_by = bound_of(verdict.floor);
  if (verdict.measured->status == Status::impossible || limited_by == Bound::unknown) return limited_by;
  if (overhead_explains(verdict, kernel, share, gpu)) return Bound::overhead;
  if (limited_by == Bound::compute && compute_is_doubtful(verdict, kernel, gpu)) return Bound::unknown;
  return limited_by;
}

void set_measured(Verdict& verdict, const Kernel& kernel, const AttainableShare* share, const Ceilings& ceilings) {
  MeasuredVerdict measured{.time = *kernel.time, .timing = kernel.timing};
  measured.fraction_of_ceiling = verdict.floor.time / measured.time;
  measured.status = status_of(measured.fraction_of_ceiling);
  if (verdict.flops > Count(0)) measured.achieved_flop_rate = Flops(verdict.flops.to_double()) / measured.time;
  if (verdict.bytes() > Count(0)) measured.achieved_bandwidth = Bytes(verdict.bytes().to_double()) / measured.time;
  verdict.measured = std::move(measured);
  verdict.bound = measured_bound(verdict, kernel, share, ceilings.gpu());
  verdict.latency_likely = false;
}

void set_confidence(Verdict& verdict, const Kernel& kernel, const Ceilings& ceilings) {
  auto& measured = *verdict.measured;
  const auto& l2 = ceilings.gpu().l2_capacity;
  const Count touched = kernel.working_set.value_or(verdict.bytes());
  const bool larger = l2 && touched.to_double() > kWorkingSetOverL2 * l2->value.value();
  verdict.confidence = measured.status == Status::impossible ? Confidence::floor
                                                             : confidence_of(verdict, measured.fraction_of_ceiling, larger);
  // Also a time within the tolerance below the floor is one that somebody should look at.
  const Seconds highest = std::max(verdict.floor.time, disputed_floor(verdict, ceilings.gpu()));
  if (measured.time < highest || verdict.floor.times.empty())
    measured.causes = causes_of_impossible(kernel, verdict, ceilings);
}

void fill(Verdict& verdict, const Floor& floor, const Kernel& kernel, const Ceilings& ceilings) {
  verdict.floor = floor;
  verdict.flops = kernel.work.flops();
  verdict.bytes_read = kernel.work.bytes_read();
  verdict.bytes_written = kernel.work.bytes_written();
  verdict.launch_floor = launch_floor(ceilings.gpu(), kernel.timing);
  set_side(verdict, kernel, ceilings);
  const Bound limited_by = bound_of(floor);
  const bool short_kernel = floor.time < kOverheadBelow * verdict.launch_floor;
  verdict.bound = short_kernel && limited_by != Bound::unknown ? Bound::overhead : limited_by;
  verdict.latency_likely = verdict.bound == Bound::memory && floor.time < kLatencyLikelyBelow;
  const auto* share = attainable_share(ceilings.gpu(), kernel);
  verdict.attainable = attainable_time(kernel, share, floor, ceilings, verdict.launch_floor);
  if (kernel.time) set_measured(verdict, kernel, share, ceilings);
  set_balance(verdict);
  if (kernel.time) set_confidence(verdict, kernel, ceilings);
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

bool timing_decides(const Verdict& verdict, const Gpu& gpu) {
  return verdict.measured && verdict.measured->timing == Timing::unknown && verdict.bound != Bound::overhead &&
         verdict.measured->time < kOverheadBelow * launch_floor(gpu, Timing::stream);
}

Result<Verdict> judge(const Kernel& kernel, const Ceilings& ceilings) {
  // The only object that is returned: a verdict is a kilobyte, and sweeps judge a million of them a second.
  Result<Verdict> result;
  auto floor = time_floor(kernel, ceilings);
  if (floor) fill(*result, *floor, kernel, ceilings);
  else result = tl::unexpected(std::move(floor.error()));
  return result;
}

}  // namespace roofline
