#include "roofline/analysis/attainable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace roofline {
namespace {

int bits_of(const OpInput& input, std::string_view operand) {
  return input.has_dtype(operand) ? describe(input.dtype(operand)).bits : 0;
}

std::string_view product_class(int a, int b) {
  if (a > 16 || b > 16) return "gemm_wide";
  if (a == 16 && b == 16) return "gemm";
  if (a == 16) return "gemm_weight_only";
  return a > 4 ? "gemm_8bit" : "gemm_4bit";
}

/// Tiles that libraries choose from (CUTLASS's profiler lists these for 16- and 8-bit products), rows times columns.
struct UsualTile {
  int bm, bn;
};
constexpr UsualTile kUsualTiles[] = {{256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128}, {64, 64}};
constexpr int kSlices[] = {1, 2, 4};

/// A smaller tile reads more operands per FLOP: its rate against the largest one falls with the harmonic mean of its
/// sides. 20 fits the training half of the published products (docs/accuracy.md).
constexpr double kTileOverhead = 20;
constexpr double tile_rate(UsualTile tile) {
  const auto relative = [](double bm, double bn) { return 1 / (1 + kTileOverhead * (bm + bn) / (2 * bm * bn)); };
  return relative(tile.bm, tile.bn) / relative(256, 128);
}
/// Elements of a tile over its rate, by kUsualTiles.
constexpr auto kTileCost = [] {
  std::array<double, std::size(kUsualTiles)> cost{};
  for (std::size_t i = 0; i < cost.size(); ++i) cost[i] = kUsualTiles[i].bm * kUsualTiles[i].bn / tile_rate(kUsualTiles[i]);
  return cost;
}();

/// Partial sums of k slices: fp32, written and read once, about half of it through DRAM.
constexpr double kPartialBytes = 4;

}  // namespace

std::string_view op_class_of(const Kernel& kernel) {
  if (!kernel.op) return "generic";
  const auto& input = kernel.input;
  const auto name = kernel.op->name;
  if (name == "gemm" || name == "grouped_gemm" || name == "sparse24_gemm")
    return product_class(bits_of(input, "a"), bits_of(input, "b"));
  if (name == "gemv") return product_class(bits_of(input, "a"), bits_of(input, "x"));
  if (name == "qgemm") {
    const auto format = input.choice("format", "");
    if (format.ends_with("_a16") || format == "awq_int4" || format == "gptq_int4") return "gemm_weight_only";
    return format.find("fp4") != std::string_view::npos ? "gemm_4bit" : "gemm_8bit";
  }
  if (name == "attention")
    return input.count("seq_q") == Count(1) && input.count("seq_k") > Count(1) ? "attention_decode" : "attention_prefill";
  if (name == "mla_decode") return "attention_decode";
  return kernel.op->family;
}

const AttainableShare* attainable_share(const Gpu& gpu, const Kernel& kernel) {
  if (gpu.attainable.empty()) return nullptr;
  const auto wanted = op_class_of(kernel);
  const AttainableShare* memory = nullptr;
  for (const auto& share : gpu.attainable) {
    if (share.op_class == wanted) return &share;
    if (share.op_class == "memory") memory = &share;
  }
  return memory;
}

Seconds wave_time(const Product& product, Seconds exact, const Ceilings& ceilings, const Tile* given) {
  const auto& gpu = ceilings.gpu();
  const double m = product.m.to_double(), n = product.n.to_double(), batch = product.batch.to_double();
  const double useful = m * n * batch;
  if (!gpu.sm_count || useful <= 0 || exact <= Seconds(0)) return exact;
  const double sms = gpu.sm_count->value.to_double(), dram = ceilings.dram().per_second;
  const auto blocks = [](double size, double block) { return std::ceil(size / block); };
  if (given) {
    const double bm = given->bm.to_double(), bn = given->bn.to_double();
    const double tiles = blocks(m, bm) * blocks(n, bn) * batch;
    return exact * (std::ceil(tiles / sms) * sms * bm * bn / useful);
  }
  const double per_wave = exact.value() * sms / useful, partials = dram > 0 ? kPartialBytes * useful / dram : 0;
  // Sizes in blocks of 64, 128 and 256, once for all tiles.
  const std::array<double, 3> rows = {blocks(m, 64), blocks(m, 128), blocks(m, 256)};
  const std::array<double, 3> columns = {blocks(n, 64), blocks(n, 128), blocks(n, 256)};
  const auto index = [](int block) { return static_cast<std::size_t>(block / 128); };
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::size(kUsualTiles); ++i) {
    const double share = rows[index(kUsualTiles[i].bm)] * columns[index(kUsualTiles[i].bn)] * batch / sms;
    for (const int slices : kSlices) {
      const double waves = std::ceil(share * slices);
      best = std::min(best, per_wave * waves * kTileCost[i] / slices + (slices > 1 ? partials * slices : 0));
    }
  }
  return Seconds(best);
}

std::optional<Seconds> attainable_time(const Kernel& kernel, const AttainableShare* share, const Floor& floor,
                                       const Ceilings& ceilings, Seconds launch) {
  if (!share) return std::nullopt;
  // The `memory` class knows a bandwidth share only; it says nothing of a kernel that a datapath limits.
  if (share->op_class == "memory" && floor.compute() > floor.dram()) return std::nullopt;
  Seconds compute = floor.compute();
  const auto* pipe = floor.slowest_pipe();
  if (pipe && pipe->ceiling.resource.pipe.kind == PipeKind::tensor)
    if (const auto product = product_of(kernel)) compute = wave_time(*product, compute, ceilings, kernel.tile ? &*kernel.tile : nullptr);
  return std::max(floor.dram() / share->bandwidth_share, compute / share->compute_share) +
         (share->launch_floor > Seconds(0) ? share->launch_floor : launch);
}

}  // namespace roofline
