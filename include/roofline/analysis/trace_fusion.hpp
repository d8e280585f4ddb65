#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// One execution of an operation on a stream, in the order of the streams' launches.
struct TracedExecution {
  std::size_t stream = 0;                ///< executions of different streams are no neighbours
  std::optional<std::size_t> operation;  ///< index of its work; nullopt: not known
  Seconds time;
};

/// A row of neighbours that move data and compute little, each reading what the one before it
/// wrote.
struct FusibleChain {
  std::vector<std::size_t> operations;  ///< indices of their works, in order
  std::uint64_t occurrences = 0;
  Seconds time;                ///< as measured, over all occurrences
  Bytes bytes, fused_bytes;    ///< compulsory, of one occurrence, as it is and as one kernel
  Seconds floor, fused_floor;  ///< of one occurrence
  /// What fusing all occurrences can win at most: time above the fused floor.
  Seconds most_to_win() const { return time - static_cast<double>(occurrences) * fused_floor; }
};

/// Finds chains of two and more elementwise operations (elementwise, activation, copy), bound by
/// memory or by their launches, that follow one another on a stream. A trace does not tell which
/// tensor is which: two neighbours are linked where the second reads as many bytes of one operand
/// as the first wrote, so a chain is a candidate, and its saving an upper bound. The intermediate
/// is neither written nor read when fused; one that is needed later must be written all the same.
/// `works`: by index. Sorted by what can be won, most first.
std::vector<FusibleChain> fusible_chains(std::span<const TracedExecution> executions,
                                         std::span<const Kernel> works, const Ceilings& ceilings);

}  // namespace roofline
