#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis/floor.hpp"

namespace roofline {

enum class Bound { memory, compute, overhead, link, unknown };
enum class Side { memory, compute };
enum class Status { impossible, at_ceiling, near, under_roof };
enum class Confidence { high, likely, floor };
std::string_view bound_name(Bound bound);
std::string_view side_name(Side side);
std::string_view status_name(Status status);
std::string_view confidence_name(Confidence confidence);

/// Thresholds of the verdict. Source: design of the verdict, docs/model.md.
inline constexpr double kImpossibleBelow = 0.98;   // x floor
inline constexpr double kAtCeiling = 0.85;         // fraction of ceiling
inline constexpr double kNear = 0.60;
inline constexpr double kOverheadBelow = 2;        // x launch floor
inline constexpr double kBalancedLow = 0.7;        // intensity / ridge, and second resource / DRAM
inline constexpr double kBalancedHigh = 1.2;
inline constexpr double kBalancedDram = 0.83;      // DRAM / compute pipe
inline constexpr double kHighMemory = 0.8;         // fraction for confidence high, memory
inline constexpr double kLikelyMemory = 0.7;
inline constexpr double kHighCompute = 0.6;
// Of products whose floor is the datapath's: when their time says nothing (docs/accuracy.md has the counts).
inline constexpr double kNearRidge = 0.5;          // DRAM / compute pipe
inline constexpr double kL2Partition = 0.5;        // of the L2: an SM's lines live in the half near it
inline constexpr double kHalfExplained = 0.5;      // fraction, of narrow products that may quantise their operands
inline constexpr double kWorkingSetOverL2 = 1.5;
inline constexpr double kSuspiciousGemm = 0.9;     // a memory fraction above this is usually the L2
inline constexpr Seconds kLatencyLikelyBelow{10e-6};

/// What a report says besides numbers; `code` is stable, `text` is for people.
struct Remark {
  std::string code, text;
};
struct Lever {
  std::string code, text;
  std::optional<Seconds> saves_up_to;  ///< of the floor, or of the measured time where there is one
};

/// The verdict on a kernel that carries a time.
struct MeasuredVerdict {
  Seconds time;
  Timing timing = Timing::unknown;
  double fraction_of_ceiling = 0;  ///< floor / time
  Status status = Status::under_roof;
  std::optional<FlopRate> achieved_flop_rate;
  std::optional<ByteRate> achieved_bandwidth;  ///< compulsory bytes / time
  std::vector<Remark> causes;  ///< of a time below its floor (or of a row without work), the likeliest first
};

/// Everything that follows from a kernel and a GPU by arithmetic; no text.
struct Verdict {
  Floor floor;
  Count flops, bytes_read, bytes_written;
  std::optional<Intensity> intensity;  ///< absent when no byte moves
  std::optional<Ceiling> headline;     ///< of the headline pipe
  std::optional<Intensity> ridge, bf16_ridge;  ///< the second only where the headline pipe is not a tensor pipe
  std::optional<Side> side;
  Bound bound = Bound::unknown;
  bool balanced = false;
  std::optional<Resource> balanced_with;  ///< the second resource
  Confidence confidence = Confidence::floor;
  bool latency_likely = false;
  Seconds launch_floor;
  std::optional<Seconds> attainable;
  std::optional<MeasuredVerdict> measured;

  Count bytes() const { return bytes_read + bytes_written; }
};

/// The verdict on `kernel`: static, and with its measured time where it carries one.
/// Errors: as time_floor().
Result<Verdict> judge(const Kernel& kernel, const Ceilings& ceilings);

/// Levers in the order in which they are worth trying, each with the most that it can buy.
std::vector<Lever> levers(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings);

/// What the reader should know: fits L2, balanced, missing rates, mma.sync, two-pass reductions, doubtful figures.
std::vector<Remark> notes(const Kernel& kernel, const Verdict& verdict, const Ceilings& ceilings);

/// True where the time is so short that what limits it depends on how it was taken, and that is not known.
bool timing_decides(const Verdict& verdict, const Gpu& gpu);

/// Launch floor that lies in a time taken this way, or that bounds a kernel launched this way.
Seconds launch_floor(const Gpu& gpu, Timing timing);

}  // namespace roofline
