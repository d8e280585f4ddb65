#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "report/chart/numbering.hpp"
#include "roofline/machine/catalog.hpp"

/// Charts made by hand and by a generator, so that pictures are tested without files.
namespace roofline::hand_made {

/// 3.35 TB/s and 989.4 TFLOP/s bf16, 66.9 TFLOP/s fp32: ridges 295.3 and 19.97 FLOP/B.
inline Chart h100_chart() {
  Chart chart;
  chart.gpu_id = "h100-sxm5-80gb";
  chart.gpu_name = "NVIDIA H100 SXM5 80GB";
  chart.source = "run.json";
  chart.roofs = {
      {.resource = "dram", .title = "DRAM", .unit = "B/s", .per_second = 3.35e12},
      {.resource = "tensor:bf16",
       .title = "BF16 tensor, dense",
       .unit = "FLOP/s",
       .per_second = 989.4e12},
      {.resource = "tensor:fp8",
       .title = "FP8 tensor, dense",
       .unit = "FLOP/s",
       .per_second = 1978.9e12},
      {.resource = "vector:fp32", .title = "FP32 vector", .unit = "FLOP/s", .per_second = 66.9e12}};
  return chart;
}

/// A kernel of `flops` and `bytes` on `pipe`, whose floor is that of the H100 above.
inline ChartKernel h100_kernel(std::string name, double flops, double bytes,
                               std::optional<double> time = {}, const char* pipe = "tensor:bf16") {
  ChartKernel kernel;
  kernel.name = std::move(name);
  kernel.pipe = pipe;
  kernel.flops = flops;
  kernel.bytes = bytes;
  if (flops > 0 && bytes > 0) kernel.intensity = flops / bytes;
  const double peak = std::string_view(pipe) == "vector:fp32" ? 66.9e12 : 989.4e12;
  kernel.floor_s = std::max(bytes / 3.35e12, flops / peak);
  kernel.bound = bytes / 3.35e12 > flops / peak ? Bound::memory : Bound::compute;
  kernel.time_s = time;
  if (time) kernel.fraction_of_ceiling = *kernel.floor_s / *time;
  return kernel;
}

inline Chart finished(Chart chart, std::vector<ChartKernel> kernels) {
  chart.kernels = std::move(kernels);
  number_kernels(chart);
  mark_used_roofs(chart);
  return chart;
}

/// Numbers that look random and are the same on every machine.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}
  double unit() {  // 0 to 1; xorshift64
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(unit() * static_cast<double>(n));
  }

 private:
  std::uint64_t state_;
};

inline ChartKernel random_kernel(Sequence& random, const Chart& chart, std::size_t index) {
  ChartKernel kernel;
  static const char* const kNames[] = {"gemm",
                                       "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>",
                                       "softmax",
                                       "k",
                                       "\xD7\x9E\xD7\xA2\xD7\xA8\xD7\x9B\xD7\xAA",
                                       "\xE8\xA1\x8C\xE5\x88\x97"};
  kernel.name = std::string(kNames[random.below(6)]) + std::to_string(index);
  std::vector<const ChartRoof*> levels;
  double bandwidth = 1e12;
  for (const auto& roof : chart.roofs) {
    if (roof.is_level()) levels.push_back(&roof);
    if (roof.resource == "dram") bandwidth = roof.per_second;
  }
  const double peak = levels.empty() ? 1e14 : levels[random.below(levels.size())]->per_second;
  if (!levels.empty()) kernel.pipe = levels[random.below(levels.size())]->resource;
  kernel.bytes = random.unit() < 0.05 ? 0 : std::pow(10.0, 3 + 7 * random.unit());
  kernel.flops = random.unit() < 0.1 ? 0 : kernel.bytes * std::pow(10.0, -3 + 8 * random.unit());
  if (kernel.flops > 0) kernel.intensity = kernel.flops / kernel.bytes;
  kernel.floor_s = std::max(kernel.bytes / bandwidth, kernel.flops / peak);
  if (random.unit() < 0.8 && *kernel.floor_s > 0) {
    kernel.time_s = *kernel.floor_s * std::pow(10.0, 2 * random.unit());
    kernel.fraction_of_ceiling = *kernel.floor_s / *kernel.time_s;
    if (random.unit() < 0.5 && kernel.bytes > 0) {
      kernel.dram_bytes = kernel.bytes * (1 + 3 * random.unit());
      if (kernel.flops > 0) kernel.measured_intensity = kernel.flops / *kernel.dram_bytes;
    }
  }
  kernel.bound = static_cast<Bound>(random.below(5));
  kernel.balanced = random.unit() < 0.1;
  kernel.launches = 1 + static_cast<double>(random.below(50));
  return kernel;
}

/// Chart `index` of a corpus: every GPU of the table in turn, 1 to 500 kernels.
inline Chart corpus_chart(std::size_t index) {
  const auto ids = gpu_ids();
  const auto gpu = find_gpu(ids[index % ids.size()]);
  Chart chart;
  chart.gpu_id = gpu->id;
  chart.gpu_name = gpu->name;
  chart.roofs = roofs_of(Ceilings(*gpu));
  Sequence random(index + 1);
  const std::size_t count = 1 + random.below(index % 4 == 0 ? 500 : 40);
  std::vector<ChartKernel> kernels;
  for (std::size_t i = 0; i < count; ++i) kernels.push_back(random_kernel(random, chart, i));
  return finished(std::move(chart), std::move(kernels));
}
inline constexpr std::size_t kCorpus = 200;

}  // namespace roofline::hand_made
