#pragma once

#include <cstdint>
#include <span>

#include "roofline/profile/calibrate.hpp"
#include "roofline/quantities/dtype.hpp"

namespace roofline::profile {

/// How a limit is measured.
enum class Method {
  read,
  copy,
  triad,
  l2_read,
  shared_read,
  fma,
  exponential,
  mma,
  wgmma,
  tcgen05,
  stream_launch,
  graph_launch,
  copy_to_device,
  copy_to_host,
};

/// Bytes of a row of A or of B^T that a tensor instruction from shared memory takes.
inline constexpr unsigned kTileRow = 32;

/// One tensor instruction: C[m,n] += A[m,k] B[k,n].
struct TensorShape {
  std::string_view operands;  ///< as PTX names the type: "f16", "e4m3"
  std::string_view sums;
  unsigned m = 0, n = 0, k = 0;
  unsigned a_words = 0, b_words = 0, c_words = 0;  ///< registers of a thread (of 64 bits for f64)
  std::string_view negate =
      {};  ///< bits that turn the sign of a word of B; empty: it is not turned
};

/// A row of the table.
struct CeilingRow {
  CeilingTest test;
  Method method;
  std::string_view isa, target;  ///< the oldest that have the instructions
  unsigned blocks_per_sm = 0;    ///< 0: as many as fill it
  unsigned threads = 0;
  unsigned iterations = 0;  ///< of the loop; of DRAM from the size of the buffers
  DType dtype = DType::fp32;
  TensorShape tensor = {};
};

std::span<const CeilingRow> ceiling_rows();
const CeilingRow& row_of(const CeilingTest& test);

// What the code unrolls, and the references count.
inline constexpr unsigned kLoads = 4;          ///< 16-byte loads in flight per thread
inline constexpr unsigned kSharedSlots = 512;  ///< of 16 bytes, one for each thread
inline constexpr unsigned kSharedReads = 8;    ///< per iteration
inline constexpr unsigned kSteps = 8;          ///< of each chain per iteration
inline constexpr unsigned kSets = 4;           ///< accumulators of mma.sync
inline constexpr unsigned kBatch = 4;          ///< wgmma and tcgen05.mma per iteration
/// Independent chains of a thread: enough for the latency with 64 warps.
unsigned chains_of(const CeilingRow& row);
/// Chains are x = x * x + c: chaotic for this c, so that data keep changing, and bounded to [-2,
/// 2]. 8 significant bits, so that every dtype holds it.
inline constexpr double kChaos = -1.8984375;
inline constexpr float kTriadFactor = 3;

/// Blocks that an SM of this capability is given, and holds at once.
unsigned blocks_per_sm(const CeilingRow& row, int capability);

/// The name of the kernel in its module.
std::string kernel_name(const CeilingRow& row);

}  // namespace roofline::profile
