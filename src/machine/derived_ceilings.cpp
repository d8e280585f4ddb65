#include "machine/derived_ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

/// What the product keeps of the chip's dense rate: 1, or 1/2 where a product is cut.
double product_cut(double product_rate, std::optional<double> chip_rate) {
  return chip_rate && product_rate < *chip_rate ? product_rate / *chip_rate : 1.0;
}

std::optional<Peak> mma_sync_peak(const Gpu& gpu, std::size_t type) {
  const auto& rate = gpu.chip->tensor_mma_sync_fma[type];
  const auto& dense = gpu.tensor[type];
  const auto clock = gpu.clock(ClockKind::tensor);
  if (!rate || !dense || !dense->fma_per_clock_per_sm || !gpu.sm_count || !clock) return std::nullopt;
  Peak peak;
  peak.fma_per_clock_per_sm = *rate * product_cut(*dense->fma_per_clock_per_sm, gpu.chip->tensor_fma[type]);
  const double sms = gpu.sm_count->value.to_double();
  peak.dense = FlopRate(std::round(*peak.fma_per_clock_per_sm * sms * 2 * clock->value()));
  peak.clock = gpu.tensor_clock ? ClockKind::tensor : ClockKind::boost;
  peak.accumulate = dense->accumulate;
  peak.origin.sources = gpu.chip->mma_sync_origin.sources;
  peak.origin.derived = true;
  peak.origin.note = fmt::format("{} SM x {:g} FMA x 2 x {:g} MHz", sms, *peak.fma_per_clock_per_sm, clock->value() / 1e6);
  peak.rate_sources = gpu.chip->mma_sync_origin.sources;
  return peak;
}

}  // namespace

void derive_mma_sync(Gpu& gpu) {
  if (!gpu.chip) return;
  for (std::size_t type = 0; type < gpu.mma_sync.size(); ++type) gpu.mma_sync[type] = mma_sync_peak(gpu, type);
}

void complete_ceilings(Gpu& gpu, const LaunchFloor& defaults) {
  if (!gpu.launch_floor) gpu.launch_floor = defaults;
  const auto is_memory = [](const AttainableShare& share) { return share.op_class == "memory"; };
  if (!gpu.dram_bandwidth_measured || std::any_of(gpu.attainable.begin(), gpu.attainable.end(), is_memory)) return;
  AttainableShare share;
  share.op_class = "memory";
  share.bandwidth_share = gpu.dram_bandwidth_measured->value / gpu.dram_bandwidth->value;
  share.launch_floor = gpu.launch_floor->stream.value;
  share.origin = gpu.dram_bandwidth_measured->origin;
  share.origin.derived = true;
  gpu.attainable.push_back(std::move(share));
}

bool has_checked_figure(const Gpu& gpu, std::string_view figure) {
  if (figure == "dram") return true;
  const auto slash = figure.find('/');
  if (slash == std::string_view::npos) return false;
  const auto type = find_rate(figure.substr(slash + 1));
  const std::string_view kind = figure.substr(0, slash);
  if (!type || (kind != "vector" && kind != "tensor")) return false;
  return (kind == "vector" ? gpu.vector : gpu.tensor)[static_cast<std::size_t>(*type)].has_value();
}

}  // namespace roofline
