#include "roofline/analysis/model_floor.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

Result<Ceiling> ceiling_of(const Term& product, const Ceilings& ceilings) {
  if (auto ceiling = ceilings.of(product.pipe, true)) return *ceiling;
  const auto types = ceilings.tensor_types();
  return fail(
      Code::no_rate, {},
      ceilings.gpu().name + " has no known rate for " + pipe_title(product.pipe) + " products",
      types.empty() ? std::string()
                    : "its tensor units take " + joined(types) +
                          "; --activations or --weights chooses another");
}

/// Bytes and FLOP time of a batch, each the sum of a constant and a part per sequence; experts
/// apart.
struct Balance {
  const ModelStep& step;
  double bandwidth, bytes_per_sequence, compute_per_sequence;

  double memory(Count batch) const {
    const double fixed = step.traffic.weights(batch) + step.traffic.shared_rows.to_double();
    return (fixed + batch.to_double() * bytes_per_sequence) / bandwidth;
  }
  bool computes(Count batch) const {
    return batch.to_double() * compute_per_sequence >= memory(batch);
  }
  /// Every expert read: no batch beyond this one is memory-bound.
  double upper() const {
    double fixed = (step.traffic.dense_weights + step.traffic.shared_rows).to_double();
    for (const auto& e : step.traffic.experts) fixed += (e.held * e.bytes).to_double();
    return fixed / bandwidth / (compute_per_sequence - bytes_per_sequence / bandwidth);
  }
};

constexpr double kMostBatch = 1e15;

}  // namespace

Result<Seconds> compute_time(std::span<const Term> products, const Ceilings& ceilings) {
  Seconds sum;
  for (const auto& product : products) {
    const auto ceiling = ceiling_of(product, ceilings);
    if (!ceiling) return tl::unexpected(ceiling.error());
    sum += Seconds(product.amount.to_double() / ceiling->per_second);
  }
  return sum;
}

Result<StepFloor> step_floor(const ModelStep& step, const Ceilings& ceilings) {
  StepFloor floor;
  floor.bytes = step.traffic.bytes(step.options.batch);
  floor.memory = Seconds(floor.bytes / ceilings.dram().per_second);
  double slowest = -1;
  for (const auto& product : step.matmul) {
    const auto ceiling = ceiling_of(product, ceilings);
    if (!ceiling) return tl::unexpected(ceiling.error());
    const double time = product.amount.to_double() / ceiling->per_second;
    floor.compute += Seconds(time);
    if (time <= slowest) continue;
    slowest = time;
    floor.headline = *ceiling;
  }
  for (const auto& kernel : step.workload.kernels)
    floor.link_bytes += kernel.work.link_bytes() * kernel.repeat;
  if (floor.link_bytes > Count(0))
    if (const auto link = ceilings.link({}, false))
      floor.link = Seconds(floor.link_bytes.to_double() / link->per_second);
  floor.time = std::max({floor.memory, floor.compute, floor.link});
  floor.bound = floor.time == floor.memory    ? Bound::memory
                : floor.time == floor.compute ? Bound::compute
                                              : Bound::link;
  if (floor.bytes > 0) floor.intensity = Intensity(step.matmul_flops.to_double() / floor.bytes);
  return floor;
}

Result<std::optional<Count>> crossover_batch(const ModelStep& decode, const Ceilings& ceilings) {
  const double batch = decode.options.batch.to_double();
  const auto compute = compute_time(decode.matmul, ceilings);
  if (!compute) return tl::unexpected(compute.error());
  const auto& traffic = decode.traffic;
  const Balance balance{
      decode, ceilings.dram().per_second,
      (traffic.rows_per_sequence + traffic.kv_read_per_sequence + traffic.kv_written_per_sequence)
          .to_double(),
      compute->value() / batch};
  if (balance.compute_per_sequence <= balance.bytes_per_sequence / balance.bandwidth)
    return std::optional<Count>();
  const double upper = std::ceil(balance.upper());
  if (!(upper < kMostBatch)) return std::optional<Count>();
  // Byte time grows ever more slowly with the batch, FLOP time in proportion: one change, found by
  // bisection.
  Count low = 1, high = max(1, Count(static_cast<long long>(upper)));
  while (low < high) {
    const Count middle = floor_div(low + high, 2);
    if (balance.computes(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return std::optional(high);
}

std::optional<bool> fits_memory(const ModelStep& step, const Gpu& gpu) {
  if (!gpu.memory_capacity) return std::nullopt;
  return step.memory_bytes().to_double() <= gpu.memory_capacity->value.value();
}

}  // namespace roofline
