#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/baseline.hpp"
#include "roofline/base/result.hpp"

/// What every run took, one immutable file for each: roofline.history/1 (docs/formats.md).
namespace roofline {

/// The first line of a file: one job on one machine.
struct HistoryRun {
  std::string file;    ///< as it was read
  std::string time;    ///< "2026-11-30T18:48:12Z"
  std::string commit;  ///< empty: not known
  BaselineMachine machine;
  std::string method, driver, cuda;
  std::string disturbed;    ///< "the GPU was throttled in 31 % of the samples"; empty: it was not
  std::size_t kernels = 0;  ///< lines that follow
};

/// One kernel of a run.
struct HistoryPoint {
  std::string id;
  double time_s = 0;
  int runs = 0;
  double spread = 0;
  std::optional<double> floor_s, dram_bytes, launches;
  std::string code_hash;
  std::string outcome;  ///< the worst of its assertions in the gate of that run: "pass", "inconclusive" ...
};

/// "2026-11-30T18-48Z-1f2e3d4-h100-sxm5-80gb": the name of a run's file without its ending. Names sort by time.
std::string history_name(const HistoryRun& run);

/// Every file of a history, the oldest first. Errors: cannot_read.
Result<std::vector<std::string>> history_files(const std::string& folder);

/// One line as it is met: its kernel, its time, and the text for read_history_point().
using HistoryVisitor = std::function<void(const HistoryRun& run, std::string_view id, double time_s, std::string_view line)>;

/// Reads one file, each line's shape checked, and shows every kernel to `visit`. In memory is one file at a time. Errors:
/// cannot_read; another or newer schema; a file that is cut off or damaged, with the line.
Checked<HistoryRun> read_history_file(const std::string& path, const HistoryVisitor& visit);

/// All of one line. nullopt: it is damaged.
std::optional<HistoryPoint> read_history_point(std::string_view line);

/// A lasting change in a series of times, oldest first.
struct HistoryStep {
  std::size_t at = 0;  ///< index of the first point behind it
  double before_s = 0, after_s = 0;  ///< geometric means between this step and its neighbours
};

/// Where the level of the times changes for at least five points, by binary segmentation of their logs. For reading a
/// history, not for a gate: a step is seen only when five points lie behind it.
/// A cut is taken when it lowers the sum of squares by more than 12 log(n) times the noise, which is estimated from the
/// differences of neighbours, at least 0.5 %. Source: Fryzlewicz, Annals of Statistics 42(6), 2014, for the method.
std::vector<HistoryStep> history_steps(std::span<const double> times_s);

/// A run as thinning sees it.
struct ThinnedRun {
  std::string file, time, machine;
  double mean_log_time = 0;  ///< over its kernels
};

/// How far back what is kept.
struct Thinning {
  std::size_t keep = 200;  ///< newest runs that all stay
  int daily_days = 365;    ///< before the oldest of those: one run a day, the median one, for so many days; then one a week
};

/// The files that thinning removes. `runs`: the oldest first.
std::vector<std::string> runs_to_remove(std::span<const ThinnedRun> runs, const Thinning& thinning);

}  // namespace roofline
