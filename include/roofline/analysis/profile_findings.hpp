#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis/counter_rules.hpp"
#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/launch_binding.hpp"
#include "roofline/kernel/measured_counters.hpp"
#include "roofline/kernel/profiled.hpp"

namespace roofline {

/// Thresholds of the verdict on a run. Source: docs/profiling.md.
inline constexpr double kOverheadIdle =
    0.25;  // of the span: idle while the host launches, whatever else
inline constexpr double kOverheadIdleLow =
    0.05;  // the same where launching takes longer than the GPU's work
inline constexpr double kImbalanced = 1.10;         // slowest rank / median
inline constexpr double kExcessWorthSaying = 1.05;  // DRAM bytes / compulsory bytes

/// An operation of a framework that work could be made of, and the kernels that carried it out.
struct OperationWork {
  Kernel kernel;
  std::vector<std::size_t> seen;  ///< indices into Profiled::kernels, the most time first
  std::uint64_t executions = 0;
};

/// One kernel that ran: its times, what they are held against, and what follows.
struct KernelFinding {
  const ProfiledKernel* seen = nullptr;
  std::string id;    ///< the entry's name where one is bound, else the canonical name
  std::string kind;  ///< label by its name, "gemm"; empty: none
  Seconds time;      ///< median of the runs' medians; 0 where no launch has a time
  std::vector<TimeSummary> runs;
  double time_share = 0;  ///< of the time of all kernels
  std::optional<double>
      run_spread;  ///< (highest - lowest) / median of the runs' medians; from 2 runs on

  /// Another kernel of the same execution of the operation, whose finding holds the verdict on
  /// both.
  std::optional<std::size_t> part_of;
  std::string
      unmatched;  ///< why no work could be made of its operation; empty: it has none, or was
  std::optional<Kernel> kernel;  ///< the entry that is bound, with the time as measured
  std::optional<Verdict> verdict;
  std::vector<Lever> levers;
  std::vector<Remark> notes;

  std::optional<MeasuredCounters> counters;  ///< of one launch: the medians over the profiled ones
  CounterValues counter_values;              ///< as they were read
  std::uint64_t replay_passes = 0, counted_launches = 0;
  std::optional<double> excess_traffic;  ///< DRAM bytes / compulsory bytes
  std::optional<double> dram_busy;       ///< DRAM bytes / time / peak bandwidth
  std::vector<FiredRule> fired;  ///< causes and notes out of the counters; none at the ceiling
  bool matched() const { return kernel || part_of; }
};

/// The run as a whole, on the device that was at it longest: of the run whose length is the median.
struct SequenceFinding {
  std::size_t process = 0;   ///< index into Profiled::processes
  std::size_t activity = 0;  ///< index into Profiled::activity
  Seconds span, busy, idle, idle_launching, idle_profiler;
  std::uint64_t launches = 0;  ///< kernels
  std::uint64_t launch_calls = 0, graph_launches = 0;
  Seconds launching;    ///< sum of the calls
  Seconds launch_cost;  ///< mean of one call
  Seconds as_graph;     ///< the span without the idle time that launches explain, and one launch
  Bound bound = Bound::unknown;  ///< overhead, or the bound that holds most of the time; unknown:
                                 ///< no descriptions
  double busy_share() const { return span > Seconds(0) ? busy / span : 0; }
  double launching_share() const { return span > Seconds(0) ? idle_launching / span : 0; }
  /// The run is held up by launches; else an overhead bound is that of most of its kernels.
  bool waits_for_launches() const {
    return launching_share() >= kOverheadIdle ||
           (launching > busy && launching_share() >= kOverheadIdleLow);
  }
};

/// One rank of the slowest run.
struct RankFinding {
  long long rank = 0;
  std::string host;
  Seconds span, busy, own, communication;  ///< own: kernels that do not wait for other ranks
};

struct RankSummary {
  std::vector<RankFinding> ranks;  ///< by rank
  Seconds least, median, most;     ///< of `own`
  std::size_t straggler = 0;       ///< index of the rank with the most work of its own
  double imbalance = 1;            ///< most / median
};

struct ProfileFindings {
  std::vector<KernelFinding> kernels;  ///< as Profiled::kernels
  std::vector<std::size_t> unbound_entries;
  std::optional<SequenceFinding> sequence;
  std::optional<RankSummary> ranks;           ///< from two ranks on
  std::vector<PeakMismatch> peak_mismatches;  ///< the device's own peaks against the table
  struct Unmatched {
    std::string reason;
    std::uint64_t launches = 0;
    double time_share = 0;
  };
  std::vector<Unmatched> unmatched;  ///< by reason, the most time first; only of imported files
  double time_share_matched = 0;
  std::size_t matched = 0;
};

struct FindingOptions {
  std::span<const OperationWork> operations;  ///< of kernels that no entry is bound to
  std::function<std::string(const ProfiledKernel&)> unmatched_of;  ///< absent: not told
  std::function<std::string(const ProfiledKernel&)> kind_of;       ///< absent: no labels
  const Ceilings* ceilings = nullptr;  ///< nullptr: no verdicts, times alone
};

/// Holds what ran against the entries bound to it. `profile` and the ceilings outlive the result.
/// Errors: no_rate and the like of the entries.
Checked<ProfileFindings> find(const Profiled& profile, std::span<const Kernel> entries,
                              const LaunchBinding& binding, const FindingOptions& options);

}  // namespace roofline
