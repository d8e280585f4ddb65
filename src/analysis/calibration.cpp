#include "roofline/analysis/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

template <class T>
std::optional<double> figure(const MaybeFigure<T>& stated) {
  return stated ? std::optional(stated->value.value()) : std::nullopt;
}

std::optional<double> peak(const std::optional<Peak>& stated) {
  return stated ? std::optional(stated->dense.value()) : std::nullopt;
}

std::optional<double> pipe_peak(const Gpu& gpu, Pipe pipe, bool mma_sync) {
  const auto type = static_cast<std::size_t>(pipe.type);
  switch (pipe.kind) {
    case PipeKind::vector: return peak(gpu.vector[type]);
    case PipeKind::tensor:
      return mma_sync && gpu.mma_sync[type] ? peak(gpu.mma_sync[type]) : peak(gpu.tensor[type]);
    case PipeKind::sfu:
      if (const auto rate = special_function_rate(gpu)) return rate->value();
      return std::nullopt;
    case PipeKind::none:
    case PipeKind::integer:
    case PipeKind::link: break;
  }
  return std::nullopt;
}

std::optional<double> shared_peak(const Gpu& gpu) {
  const auto clock = gpu.clock(ClockKind::boost);
  if (!gpu.shared_bytes_per_clock_per_sm || !gpu.sm_count || !clock) return std::nullopt;
  return gpu.shared_bytes_per_clock_per_sm->value * gpu.sm_count->value.to_double() *
         clock->value();
}

/// What the class of an op meets: its share of this tensor type's peak.
struct ClassRow {
  std::string_view op_class;
  RateType types[2];
};
constexpr ClassRow kClasses[] = {{"gemm", {RateType::bf16, RateType::fp16}},
                                 {"gemm_8bit", {RateType::fp8, RateType::int8}},
                                 {"gemm_4bit", {RateType::fp4, RateType::fp4}},
                                 {"gemm_wide", {RateType::tf32, RateType::fp32}},
                                 {"attention_prefill", {RateType::bf16, RateType::fp16}}};

/// The best trusted share of a peak that was reached: of the faster path where there are two.
std::optional<double> reached(const Calibration& calibration, const Gpu& gpu, RateType type) {
  const auto stated = gpu.tensor[static_cast<std::size_t>(type)];
  if (!stated) return std::nullopt;
  const auto resource = pipe_name({PipeKind::tensor, type});
  double best = 0;
  for (const auto& ceiling : calibration.ceilings)
    if (ceiling.trusted && ceiling.resource == resource) best = std::max(best, ceiling.value);
  const bool faster_path = gpu.mma_sync[static_cast<std::size_t>(type)].has_value();
  const bool path_measured = std::any_of(
      calibration.ceilings.begin(), calibration.ceilings.end(), [&](const auto& ceiling) {
        return ceiling.trusted && ceiling.resource == resource && !ceiling.mma_sync;
      });
  if (best <= 0 || (faster_path && !path_measured)) return std::nullopt;
  return std::min(best / stated->dense.value(), 1.0);
}

Origin calibrated_origin(const Calibration& calibration) {
  Origin origin;
  origin.measured_by = calibration.source.empty() ? kCalibratedBy : calibration.source;
  origin.kind = "measured";
  origin.note = calibration.provenance();
  return origin;
}

void set_launch_floor(const Calibration& calibration, Gpu& gpu) {
  if (!gpu.launch_floor) return;
  const auto set = [&](std::string_view name, Figure<Seconds>& into) {
    if (const auto* floor = calibration.find(name))
      into = {Seconds(floor->value), calibrated_origin(calibration)};
  };
  set("launch_stream", gpu.launch_floor->stream);
  set("launch_graph", gpu.launch_floor->graph);
}

AttainableShare& share_of(Gpu& gpu, std::string_view op_class, const Origin& origin) {
  const auto found = std::find_if(gpu.attainable.begin(), gpu.attainable.end(),
                                  [&](const auto& share) { return share.op_class == op_class; });
  if (found != gpu.attainable.end()) return *found;
  AttainableShare share;
  share.op_class = op_class;
  share.origin = origin;
  if (gpu.launch_floor) share.launch_floor = gpu.launch_floor->stream.value;
  gpu.attainable.push_back(std::move(share));
  return gpu.attainable.back();
}

}  // namespace

std::optional<double> datasheet_figure(const Gpu& gpu, std::string_view resource, bool mma_sync) {
  if (resource == "dram") return figure(gpu.dram_bandwidth);
  // A measured figure of the table is another kernel's: nothing to hold a new one against.
  if (resource == "l2")
    return gpu.l2_bandwidth && gpu.l2_bandwidth->origin.kind != "measured"
               ? figure(gpu.l2_bandwidth)
               : std::nullopt;
  if (resource == "shared") return shared_peak(gpu);
  if (resource == "link:pcie") return gpu.c2c ? figure(gpu.c2c) : figure(gpu.pcie);
  const auto pipe = find_pipe(resource);
  return pipe ? pipe_peak(gpu, *pipe, mma_sync) : std::nullopt;
}

std::string small_array_fault(const Gpu& gpu, Bytes array) {
  constexpr double kCaches = 4;
  double caches = 0;
  if (gpu.l2_capacity) caches += gpu.l2_capacity->value.value();
  if (gpu.llc_capacity) caches += gpu.llc_capacity->value.value();
  if (array.value() >= kCaches * caches) return {};
  return fmt::format(
      "its arrays of {} are less than four times the caches ({}), which keep a part of them",
      format_capacity(array.value()), format_capacity(caches));
}

void judge(CalibratedCeiling& ceiling, const Gpu* gpu, std::string_view fault) {
  ceiling.datasheet =
      gpu ? datasheet_figure(*gpu, ceiling.resource, ceiling.mma_sync) : std::nullopt;
  ceiling.reason = fault;
  if (ceiling.reason.empty() && !(ceiling.value > 0)) ceiling.reason = "it took no time";
  if (ceiling.reason.empty() && ceiling.datasheet) {
    const double share = ceiling.value / *ceiling.datasheet;
    if (share > kMostTrusted)
      ceiling.reason = fmt::format(
          "above the data sheet ({:.0f} %): another card than its entry, a higher clock than the "
          "stated one, or not this unit",
          100 * share);
    else if (share < kLeastTrusted && !ceiling.resource.starts_with("link:"))  // the slot decides
      ceiling.reason = fmt::format(
          "{:.0f} % of the data sheet: the GPU was busy or held back, or this kernel does not "
          "reach the unit",
          100 * share);
  }
  ceiling.trusted = ceiling.reason.empty();
}

void attach_calibration(Calibration calibration, Gpu& gpu) {
  auto origin = calibrated_origin(calibration);
  gpu.calibrated = OwnCeilings{std::move(calibration), std::move(origin)};
}

void apply_calibration(Calibration kept, Gpu& gpu) {
  attach_calibration(std::move(kept), gpu);
  const auto& [calibration, origin] = *gpu.calibrated;
  set_launch_floor(calibration, gpu);
  std::optional<double> bandwidth_share;
  if (const auto* dram = calibration.dram(); dram && gpu.dram_bandwidth) {
    bandwidth_share = std::min(dram->value / gpu.dram_bandwidth->value.value(), 1.0);
    gpu.dram_bandwidth_measured = Figure<ByteRate>{ByteRate(dram->value), origin};
    gpu.dram_bandwidth_measured->origin.pattern = dram->name.substr(kDramPrefix.size());
    auto& memory = share_of(gpu, "memory", origin);
    memory.bandwidth_share = *bandwidth_share;
    memory.origin = origin;
    if (gpu.launch_floor) memory.launch_floor = gpu.launch_floor->stream.value;
  }
  for (const auto& row : kClasses) {
    std::optional<double> compute_share;
    for (const auto type : row.types)
      if (!compute_share) compute_share = reached(calibration, gpu, type);
    if (!compute_share) continue;
    auto& share = share_of(gpu, row.op_class, origin);
    share.compute_share = std::min(share.compute_share, *compute_share);
  }
  if (bandwidth_share)
    for (auto& share : gpu.attainable)
      share.bandwidth_share = std::min(share.bandwidth_share, *bandwidth_share);
}

}  // namespace roofline
