#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// The counters of one profiled launch: metric name and value, as the profiler's host library
/// evaluates them.
using CounterValues = std::vector<std::pair<std::string, double>>;

/// What a reader of the figures must know. Texts: caveat_text().
enum class CounterCaveat : unsigned char {
  dram_read_lower_bound,      ///< the chip counts only what system memory handed to the L2
  dram_written_unknown,       ///< no counter for writes back to memory
  dram_from_percent,          ///< percent of a peak taken from the spec table
  l1_misses_tma,              ///< TMA loads pass the L1 counter by: no L1 roof
  shared_upper_bound,         ///< every wavefront taken as 128 B
  bank_conflicts_estimated,   ///< from instrumented counts, which over-state them
  scalar_half_counts_double,  ///< half-precision instructions are counted as packed
  narrow_weights_assumed,     ///< QADD4 and its kin: 4 and 8 operations by their name
  special_upper_bound,        ///< the XU pipe runs conversions too, and warps are taken as full
  tensor_not_counted,  ///< the tensor pipe was active, and no counter of its types was asked for
  no_instrumented_counters,  ///< run without the instrumented pass: no FLOPs of the CUDA cores, no
                             ///< coalescing
  dram_beats_peak,           ///< more bytes in the time than the GPU's bandwidth moves
};
/// A sentence for people.
std::string_view caveat_text(CounterCaveat caveat);

/// A device's own peak, out of a counter run: it costs nothing.
struct DevicePeak {
  std::string resource;   ///< "dram", "tensor:bf16", "vector:fp32"
  double per_second = 0;  ///< B/s, FLOP/s or op/s, at the clock of the run
};

/// What the counters of a kernel say, one launch. A figure whose counters are absent is absent.
/// Formulas and their doubts: docs/counters.md. No value has been seen on hardware.
struct MeasuredCounters {
  /// Under replay: caches are warm and launches serialised, so a trace's time is the kernel's,
  /// never this one.
  std::optional<Seconds> replay_time;
  std::optional<Bytes> dram_read, dram_written;
  std::optional<Bytes> dram_total;  ///< of reports that have the sum and not its two parts
  std::optional<Bytes> l2_bytes;    ///< all clients, both directions
  std::optional<Bytes> l1_bytes;
  std::optional<Bytes> shared_bytes;           ///< moved, upper bound
  std::optional<Bytes> shared_bytes_required;  ///< asked for by threads

  std::vector<std::pair<std::string, double>>
      flops_by_pipe;                       ///< "vector:fp32", "tensor:bf16": FLOP, only what is > 0
  std::optional<double> sfu_ops, int_ops;  ///< thread operations

  std::optional<double> coalescing;  ///< bytes asked for / bytes of the sectors that carried them;
                                     ///< 1 is perfect, more than 1 means that lanes share bytes
  std::optional<double>
      bank_conflicts;  ///< share of shared-memory wavefronts that only conflicts made necessary
  std::optional<double> occupancy;      ///< warps resident / the most, mean over the kernel
  std::optional<double> issue_active;   ///< share of issue slots that issued
  std::optional<double> tensor_active;  ///< share of cycles in which the tensor pipe worked
  std::optional<double>
      active_lanes;  ///< lanes that executed / 32 per warp instruction: divergence
  std::optional<double> l2_hit, l1_hit;  ///< share of sectors
  std::optional<double> local_share;    ///< of warp instructions: on local memory, for spills or local arrays
  std::optional<double> integer_share;  ///< of thread instructions
  std::optional<double> tma_loads;
  std::optional<Hertz> sm_clock, dram_clock;  ///< means over the kernel
  std::vector<DevicePeak> peaks;
  std::vector<CounterCaveat> caveats;

  std::optional<Bytes> dram_bytes() const;    ///< both directions; absent when one of them is, and their sum as well
  double flops(std::string_view pipe) const;  ///< 0: none counted
  bool has(CounterCaveat caveat) const;
};

/// Counters to quantities. `dram_peak`: bandwidth of the spec table, for the chips whose counters
/// tell percent of it. Values that are not finite or negative count as absent. Errors: none.
MeasuredCounters measured_counters(std::span<const std::pair<std::string, double>> values,
                                   std::optional<ByteRate> dram_peak = std::nullopt);

/// One set of values for several launches of a kernel: the median of each counter over the launches
/// that have it.
CounterValues median_counters(std::span<const CounterValues> launches);

}  // namespace roofline
