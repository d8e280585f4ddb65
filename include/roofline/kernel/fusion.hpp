#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// How an operation passes data on, as far as fusing needs to know.
enum class FusionClass {
  pointwise,      ///< each output element needs the matching input elements only
  row_reduction,  ///< each output row needs its whole input row (norms, softmax, per-row quantisation)
  contraction,    ///< a matrix product, convolution or attention: may start a group, its epilogue may follow
  global,         ///< some output needs all of the input (batch statistics, scans, sorts, collectives)
};

/// A tensor between the kernels of a chain. Writing a tensor again makes a new one of the same name (in-place update).
struct ChainTensor {
  std::string name;
  Count bytes;
  bool intermediate = false;          ///< nobody outside the chain needs it
  std::optional<std::size_t> made_by; ///< kernel that writes it; absent: it enters the chain
  std::vector<std::size_t> read_by;
};

/// One kernel of a chain: its work, and the tensors it shares with the others.
struct ChainKernel {
  std::string name;
  std::string op;
  Work work;
  FusionClass fusion = FusionClass::pointwise;
  Count row_elements = 0;             ///< of a row reduction; of a contraction: outputs per row
  Count row_bytes = 0;                ///< on chip, of one row of what enters it
  std::vector<std::size_t> reads, writes;  ///< positions in Chain::tensors
  Count private_read, private_written;     ///< operands that no other kernel of the chain shares
};

/// Kernels that hand tensors to each other, in order.
struct Chain {
  std::vector<ChainKernel> kernels;
  std::vector<ChainTensor> tensors;
};

/// The chain that a description declares: kernels bound to shared tensors, or the steps of one fused_chain entry.
/// Errors, with their place: no kernel shares a tensor, a tensor read before it is written (a cycle), a tensor written
/// twice without being read in between, a repeat that differs within the chain.
Checked<Chain> chain_of(const Workload& workload);

/// Why kernels `first`..`last` cannot run as one; empty when they can. `row_limit` is the most that one block can
/// hold on chip (B), 0 when it is not known.
std::string why_not_fusible(const Chain& chain, std::size_t first, std::size_t last, Count row_limit);

/// What kernels `first`..`last` move as one kernel: tensors from outside once, tensors for outside once.
struct FusedTraffic {
  Count bytes_read, bytes_written;
  int passes = 0;                      ///< reads and writes of whole chain tensors
  std::vector<std::size_t> kept;       ///< tensors that never leave the chip
  std::vector<std::size_t> written_for_others;  ///< made and read inside, but needed outside as well
  Count bytes() const { return bytes_read + bytes_written; }
};
FusedTraffic fused_traffic(const Chain& chain, std::size_t first, std::size_t last);

/// The sum of the kernels' work with the traffic of the group.
Work fused_work(const Chain& chain, std::size_t first, std::size_t last);

}  // namespace roofline
