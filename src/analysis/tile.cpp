#include "roofline/analysis/tile.hpp"

namespace roofline {
namespace {

constexpr int kSystemSharedMemoryPerBlock = 1024;  // bytes, compute capability 8.x and later

/// bits -> bytes of `elements` elements, exact for whole operands.
Count bytes_of(Count elements, DType dtype) { return ceil_div(elements * Count(describe(dtype).bits), Count(8)); }

double ratio(Count a, Count b) { return b == Count(0) ? 1 : a.to_double() / b.to_double(); }

}  // namespace

Count tiled_operand_elements(Count m, Count n, Count k, Count bm, Count bn) {
  return k * (m * ceil_div(n, bn) + n * ceil_div(m, bm));
}

std::optional<Count> shared_memory_per_block(const Gpu& gpu) {
  if (!gpu.shared_memory_per_sm) return std::nullopt;
  return Count::from_int128(static_cast<__int128>(gpu.shared_memory_per_sm->value.value())) -
         Count(kSystemSharedMemoryPerBlock);
}

TileModel tile_model(const Product& p, const Tile& tile, const Gpu& gpu) {
  TileModel model;
  const Count columns = ceil_div(p.n, tile.bn), rows = ceil_div(p.m, tile.bm);
  model.tiles = rows * columns * p.batch;
  model.sm_inbound_bytes = p.batch * (bytes_of(p.k * p.m * columns, p.a) + bytes_of(p.k * p.n * rows, p.b));
  model.padded_inbound_bytes =
      p.batch * (bytes_of(tile.bm * p.k * rows * columns, p.a) + bytes_of(tile.bn * p.k * rows * columns, p.b));
  // 2 bm bn bk / ((bm sA + bn sB) bk): the depth cancels.
  const double inbound = (tile.bm.to_double() * describe(p.a).bits + tile.bn.to_double() * describe(p.b).bits) / 8;
  model.tile_intensity = Intensity(2 * tile.bm.to_double() * tile.bn.to_double() / inbound);
  model.shared_memory_bytes = tile.stages * (bytes_of(tile.bm * tile.bk, p.a) + bytes_of(tile.bn * tile.bk, p.b));
  model.accumulator_bytes = Count(4) * tile.bm * tile.bn;
  const Count useful = p.m * p.n * p.batch;
  model.tile_efficiency = ratio(useful, model.tiles * tile.bm * tile.bn);
  if (gpu.sm_count) {
    const Count sms = gpu.sm_count->value, at_once = sms * tile.ctas_per_sm;
    model.waves = ceil_div(model.tiles, at_once);
    model.wave_efficiency = ratio(model.tiles, *model.waves * at_once);
    model.combined_efficiency = ratio(useful, *model.waves * at_once * tile.bm * tile.bn);
  }
  if (tile.group_m > Count(0) && tile.group_n > Count(0)) {
    const Count bm = tile.group_m * tile.bm, bn = tile.group_n * tile.bn;
    model.dram_operand_bytes = p.batch * (bytes_of(p.k * p.m * ceil_div(p.n, bn), p.a) +
                                          bytes_of(p.k * p.n * ceil_div(p.m, bm), p.b));
  }
  if (const auto limit = shared_memory_per_block(gpu); limit && tile.bk > Count(0))
    model.fits_shared_memory = model.shared_memory_bytes <= *limit;
  if (gpu.l2_bandwidth) model.l2_time = Bytes(model.sm_inbound_bytes.to_double()) / gpu.l2_bandwidth->value;
  return model;
}

SplitK split_k(const Product& p, Count splits, Count out_bytes_per_element) {
  const Count outputs = p.m * p.n * p.batch;
  const Count operands = p.batch * (bytes_of(p.m * p.k, p.a) + bytes_of(p.k * p.n, p.b));
  const Count written = outputs * out_bytes_per_element;
  SplitK result;
  result.workspace_bytes = Count(2) * splits * outputs * Count(4);
  result.total_bytes = operands + result.workspace_bytes + written;
  result.serial_total_bytes = operands + Count(2) * (splits - Count(1)) * outputs * Count(4) + written;
  return result;
}

std::optional<Product> product_of(const Kernel& kernel) {
  if (!kernel.op) return std::nullopt;
  const auto& in = kernel.input;
  const auto name = kernel.op->name;
  if (name == "gemm" || name == "sparse24_gemm")
    return Product{in.count("m"), in.count("n"), in.count("k"), in.count("batch", 1), in.dtype("a"), in.dtype("b")};
  if (name == "syrk") return Product{in.count("n"), in.count("n"), in.count("k"), 1, in.dtype("a"), in.dtype("a")};
  return std::nullopt;
}

}  // namespace roofline
