#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/kernel.hpp"
#include "roofline/quantities/quantity.hpp"

/// What a roofline.result/1 file says (docs/formats.md), as plain data. A figure that the file does
/// not have is absent.
namespace roofline {

using Extent = std::array<std::int64_t, 3>;  ///< of a grid or a block: x, y, z

/// Launches of one kernel in one run (one process).
struct RunTimes {
  std::optional<std::int64_t> launches;
  std::optional<Seconds> median;
  std::optional<Seconds> min, q1, q3, max;
};

/// A cause or a note: `code` is stable, `text` is for people.
struct ResultRemark {
  std::string code, text;
};

using NamedFigures = std::vector<std::pair<std::string, double>>;

/// What was measured of a kernel: medians over the runs.
struct ResultMeasurement {
  std::optional<Seconds> time;  ///< median of the runs' medians
  Timing timing = Timing::unknown;
  std::optional<std::int64_t> samples;
  std::vector<RunTimes> runs;
  std::optional<Bytes> dram_bytes, dram_read, dram_written, l2_bytes, l1_bytes, shared_bytes_moved;
  std::optional<double> excess_traffic, dram_busy, fraction_of_ceiling;
  std::optional<double> coalescing, bank_conflicts, occupancy, issue_active, l2_hit;
  std::optional<double> sfu_ops, int_ops;
  NamedFigures flops_by_pipe;  ///< "tensor:bf16" -> FLOP
  NamedFigures counters;       ///< metric -> value
  std::string status;
  std::vector<ResultRemark> causes;
};

/// One kernel: described, measured, or both.
struct ResultKernel {
  std::string id;         ///< the description's name where one is bound, else the canonical name
  std::string name;       ///< canonical function name; of a description its own name
  std::string full_name;  ///< demangled; empty: not known
  std::string operation;  ///< what an imported file says that it was launched for; empty: not told
  std::string kind;       ///< label of the kernel's family ("gemm"); empty: none
  std::optional<Extent> grid, block;
  std::optional<std::int64_t> shared_bytes, registers, spill_bytes, local_bytes;
  std::string code_hash;  ///< of the machine code; empty: not known
  std::optional<double> time_share;
  std::optional<bool> matched;         ///< a description is bound to it
  std::vector<std::string> in_ranges;  ///< NVTX ranges that its launches lie in
  std::string spec_file;
  std::int64_t spec_line = 0;            ///< 0: not known
  std::optional<std::int64_t> launches;  ///< over all runs
  // Of the description.
  std::optional<Seconds> time_floor;
  std::optional<Bytes> bytes;
  std::optional<Flops> flops;
  std::optional<Intensity> intensity;
  std::string bound, limiter, confidence, balanced_with;  ///< empty: not known
  bool balanced = false;
  NamedFigures resource_times;  ///< "dram" -> seconds
  std::string pipe;             ///< of the headline work: "tensor:bf16"; empty: not known
  std::optional<Seconds> attainable;
  NamedFigures point;  ///< of a sweep: variable -> value
  std::vector<ResultRemark> levers, notes;

  std::optional<ResultMeasurement> measured;
  int line = 0;  ///< in the result file, from 1
};

struct RangeRun {
  std::optional<std::int64_t> launches;
  std::optional<Seconds> time, idle;
};
/// An NVTX range, or the whole program under the name "".
struct ResultRange {
  std::string name;
  std::vector<RangeRun> runs;
};

/// How the program that was measured ended.
struct ResultProgram {
  std::string command;
  std::optional<std::int64_t> runs, exit_code, signal;
};

/// The state of the machine while it measured.
struct ResultEnvironment {
  std::string driver, cuda, mig,
      method;  ///< mig: profile, empty without one; method: "cupti-trace/1"
  std::optional<double> power_limit_w;
  std::optional<bool> ecc;
  std::optional<double> clock_min_mhz, clock_median_mhz, clock_max_mhz;
  std::optional<double> throttled_share;  ///< of the samples
  std::optional<std::int64_t> other_processes;
  bool cold = false;  ///< caches flushed between launches
};

struct ResultCeiling {
  std::string resource, kind, unit;  ///< "dram", "datasheet", "B/s"
  double per_second = 0;
  bool sparse = false, mma_sync = false;
};
/// Where its calibrated ceilings come from.
struct ResultCalibration {
  std::string source, date, device, driver;  ///< source: empty where roofline calibrate measured
  bool sustained = true;
};
struct ResultGpu {
  std::string id, name;  ///< id: empty where the GPU is not in the table
  std::vector<ResultCeiling> ceilings;
  std::optional<ResultCalibration> calibration;
};

/// Records that were not kept, by reason.
struct ResultLoss {
  std::string reason;
  std::int64_t count = 0;
};

/// One result: what was described or measured on one GPU.
struct ResultRecord {
  std::string file;  ///< where it was read
  std::string tool_version;
  ResultGpu gpu;
  std::optional<ResultProgram> program;
  std::optional<ResultEnvironment> environment;
  std::vector<ResultRange> ranges;
  std::vector<ResultKernel> kernels;
  std::vector<ResultLoss> lost;
  std::optional<Seconds> kernel_time;  ///< of all launches of all runs; the kernels share in it
  bool complete = true;                ///< false: the trace was cut off, or records were dropped
  bool simulated = false;              ///< made without a GPU, for a test of the program

  const ResultRange* find_range(std::string_view name) const;
};

inline constexpr std::size_t kMostResultBytes = std::size_t{64} << 20;
inline constexpr int kMostResultDepth = 32;
inline constexpr std::size_t kMostResultRecords = 1'000'000;  ///< kernels, runs and ranges together

/// The limits of a result file: it may come from a stranger.
YamlLimits result_limits();

/// A roofline.result/1 document: one result, or several under `results`. Keys that are not known
/// are passed over (keys are only ever added). Errors, with their place: another schema, values of
/// another kind, negative or infinite figures, more records than the limit.
Checked<std::vector<ResultRecord>> read_results(const YamlDocument& document);

/// The same of a file; "-" is stdin.
Checked<std::vector<ResultRecord>> read_result_file(const std::string& path);

}  // namespace roofline
