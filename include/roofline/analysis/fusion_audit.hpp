#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/fusion.hpp"

namespace roofline {

/// Kernels first..last of a chain as one kernel.
struct Group {
  std::size_t first = 0, last = 0;
  FusedTraffic traffic;
  Verdict verdict;
};

/// One way to cut a chain into kernels.
struct Grouping {
  std::vector<Group> groups;
  Count bytes, flops;
  int passes = 0;
  Seconds floor;
};

/// An intermediate: who makes it and reads it, whether the L2 could hold it, and in how many of the ways it is kept.
struct IntermediateReport {
  std::size_t tensor = 0;
  bool fits_l2 = false;
};

/// Two neighbours that cannot be one kernel, and why.
struct Barrier {
  std::size_t first = 0, last = 0;
  std::string reason;
};

/// The fusion audit of a chain on one GPU.
struct FusionAudit {
  Grouping as_written;
  std::optional<Grouping> fully_fused;   ///< absent where it is not legal; then see `barriers`
  std::vector<Grouping> ranked;          ///< legal groupings, least floor first, then fewest launches; at most kMostRanked
  std::size_t legal = 0, illegal = 0;    ///< groupings looked at
  bool exhaustive = true;                ///< false: more than kExactKernels kernels, only the best is sought
  std::vector<Barrier> barriers;
  std::vector<IntermediateReport> intermediates;
};
inline constexpr std::size_t kExactKernels = 12;
inline constexpr std::size_t kMostRanked = 8;

/// Every grouping of neighbouring kernels (2^(n-1) of them) up to kExactKernels kernels; beyond that the best one by
/// dynamic programming over the last cut, which is exact for the sum of floors. Errors: as judge().
Result<FusionAudit> audit_fusion(const Chain& chain, const Ceilings& ceilings);

/// An attention kernel whose scores go through memory, and the same with the scores kept on chip.
struct AttentionAlternative {
  Kernel flash;
  Verdict materialised, kept;
  Count score_bytes;  ///< that the kept form does not move
};
Result<std::optional<AttentionAlternative>> flash_alternative(const Kernel& kernel, const Ceilings& ceilings);

/// What the epilogue of a product saves against running it as kernels of its own.
struct EpilogueSaving {
  std::string part;   ///< bias, activation, residual, quantize
  Count bytes;        ///< that the separate kernel would move
  Seconds floor;      ///< of the separate kernel
};
std::vector<EpilogueSaving> epilogue_savings(const Kernel& kernel, const Ceilings& ceilings);

}  // namespace roofline
