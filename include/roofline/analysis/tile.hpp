#pragma once

#include <optional>

#include "roofline/kernel/kernel.hpp"
#include "roofline/machine/gpu.hpp"
#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// A matrix product D[m,n] = A[m,k] B[k,n], `batch` times, as the tile model needs it.
struct Product {
  Count m, n, k, batch = 1;
  DType a = DType::bf16, b = DType::bf16;
};

/// What a thread-block tile BM x BN x BK makes of a product. Operands only; the output is not in it.
/// Source: docs/model.md, "Tiles and waves".
struct TileModel {
  Count tiles;                ///< ceil(m/bm) ceil(n/bn) batch
  Count sm_inbound_bytes;     ///< L2-to-SM operand traffic, edges clipped: k (m ceil(n/bn) sA... )
  Count padded_inbound_bytes; ///< the same with whole tiles
  Intensity tile_intensity;   ///< 2 bm bn / (bm sA + bn sB): bk cancels
  Count shared_memory_bytes;  ///< stages (bm sA + bn sB) bk; 0 when bk is not given
  Count accumulator_bytes;    ///< 4 bm bn
  double tile_efficiency = 1; ///< m n / (tiles bm bn)
  std::optional<Count> waves; ///< ceil(tiles / (SMs x CTAs per SM)); absent when the SM count is unknown
  std::optional<double> wave_efficiency;  ///< tiles / (waves x SMs)
  std::optional<double> combined_efficiency;
  std::optional<Count> dram_operand_bytes;  ///< with group_m, group_n: one wave shares its K-slices in L2
  std::optional<bool> fits_shared_memory;
  std::optional<Seconds> l2_time;  ///< sm_inbound_bytes / L2 bandwidth where that is known
};

TileModel tile_model(const Product& product, const Tile& tile, const Gpu& gpu);

/// The product that a kernel computes, where it is one (gemm, qgemm, gemv, sparse24_gemm).
std::optional<Product> product_of(const Kernel& kernel);

/// L2-to-SM operand elements of a product in T x T blocks, edges clipped: k (m ceil(n/bn) + n ceil(m/bm)).
Count tiled_operand_elements(Count m, Count n, Count k, Count bm, Count bn);

/// DRAM bytes of a parallel and of a serial split-K product (docs/model.md).
struct SplitK {
  Count workspace_bytes;      ///< 2 splits m n 4: fp32 partials written once and read once
  Count total_bytes;          ///< operands + workspace + output
  Count serial_total_bytes;   ///< through one fp32 buffer, (splits - 1) writes and reads, then the output
};
SplitK split_k(const Product& product, Count splits, Count out_bytes_per_element);

/// Most bytes of shared memory that one block may use: the SM's capacity less 1 KiB that the system keeps
/// (CUDA Programming Guide, technical specifications). nullopt where the capacity is unknown.
std::optional<Count> shared_memory_per_block(const Gpu& gpu);

}  // namespace roofline
