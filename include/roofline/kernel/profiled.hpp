#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/kernel/capture.hpp"
#include "roofline/kernel/device_samples.hpp"
#include "roofline/kernel/operation.hpp"
#include "roofline/kernel/time_samples.hpp"

namespace roofline {

/// A program as it was seen to run under the profiler, once or several times, in one process or
/// many. Plain data; what it means on a GPU is decided elsewhere (analysis/).
struct ProfiledDevice {
  capture::Device facts;  ///< 0: not told
  std::string name, uuid;
  bool simulated = false;  ///< no such GPU exists
  bool used = false;       ///< kernels ran on it, as far as files tell on which they ran
};

/// What was on one stream of a device.
struct StreamActivity {
  std::uint64_t stream = 0, kernels = 0, copies = 0;  ///< sets count as copies
  Seconds busy;                                       ///< with a kernel or a copy on it
  Seconds alone;                                      ///< of that with nothing on another stream
};

/// A stretch in which the device idled for launches a quarter of the time and more.
struct LaunchBoundStretch {
  Seconds at;                 ///< from the first kernel or copy of the device
  Seconds span, idle;         ///< idle: while the host was launching
  std::uint64_t kernels = 0;  ///< that were started in it
  std::string range;          ///< the shortest range that it begins in; empty: none
};

/// What one device did in one process. Times of the profiler's clock; nothing of it is a sum over
/// streams.
struct DeviceActivity {
  std::size_t process = 0;   ///< index into Profiled::processes
  std::uint64_t device = 0;  ///< ordinal in the process
  Seconds span;              ///< from the first start to the last end
  Seconds busy;              ///< of it with a kernel or a copy on some stream
  Seconds kernels;           ///< of it with a kernel
  Seconds idle_launching;  ///< idle, while a host thread was enqueueing; without what the profiler
                           ///< itself took
  Seconds idle_profiler;   ///< idle, while the profiler or the driver took time for itself
  Seconds overlapped;      ///< two streams and more at work
  Seconds copying, copying_exposed;  ///< with a copy or set; exposed: no kernel that computes
  Seconds communicating, communicating_exposed;  ///< with a kernel that waits for other processes
  std::uint64_t launches = 0, copies = 0;
  std::vector<StreamActivity> streams;        ///< the busiest first
  std::vector<LaunchBoundStretch> stretches;  ///< those that cost most first
  Seconds idle() const { return span - busy; }
};

/// One process, one capture file.
struct ProfiledProcess {
  std::string file, host, command, mode;
  long long pid = 0, parent = 0, run = 0;
  std::optional<long long> rank, world_size;
  std::string
      status;  ///< "collecting", or the short code of why not; empty: the plug-in never said
  std::string status_detail;
  std::uint64_t status_result = 0, cupti_version = 0, driver_version = 0;
  std::string cupti_path;
  /// Of a program that only launches one described kernel: the first so many launches of each
  /// kernel are in no figure, nor are kernels of our own between them, nor what lies between
  /// launches.
  std::optional<std::uint64_t> warmups;
  bool simulated = false;
  bool ended = false;  ///< the file was closed, not cut
  std::string end_reason;
  std::string format;          ///< of an imported file: the importer's name
  std::string imported_from;   ///< the tool whose file this was; empty: a capture of ours
  std::string cut;             ///< of an imported file that ends too early: where
  std::uint64_t launches = 0;  ///< kernels, those of graphs included
  std::uint64_t launch_calls = 0, graph_launches = 0;  ///< calls that enqueued a kernel, or a graph
  Seconds launching;                                   ///< sum of those calls on their threads
  Seconds kernel_time;                                 ///< sum over kernels, whatever the stream
};

/// The values of one profiled launch, by metric name.
struct CounterSample {
  std::uint64_t occurrence = 0, replay_passes = 0;
  std::map<std::string, double, std::less<>> values;
};

/// What is known of the machine code of a kernel.
struct ProfiledCode {
  std::uint64_t sm = 0, tensor_types = 0, hash = 0, registers = 0, local_bytes = 0, spill_bytes = 0,
                static_shared_bytes = 0;
};

/// Sums over launches, from a file that holds no single ones.
struct SummedTimes {
  std::uint64_t launches = 0;
  Seconds total;
  std::optional<Seconds> median, least, most, q1, q3;
  Seconds mean() const {
    return launches == 0 ? Seconds(0) : total / static_cast<double>(launches);
  }
  Seconds typical() const { return median.value_or(mean()); }
};

/// All launches of one function with one grid and block, for one operation where a file tells it.
struct ProfiledKernel {
  std::string symbol, name, full_name;  ///< as the driver gives it; canonical; demangled
  std::array<std::uint64_t, 3> grid{}, block{}, cluster{};
  std::uint64_t static_shared_bytes = 0, dynamic_shared_bytes = 0, registers = 0,
                local_bytes_per_thread = 0;
  std::optional<ProfiledCode> code;
  std::vector<TimeSamples> runs;             ///< durations, by run
  std::vector<std::uint64_t> rank_launches;  ///< by process
  std::vector<Seconds> rank_time;            ///< by process
  std::uint64_t launches = 0;                ///< with a valid time
  std::uint64_t invalid_times = 0;  ///< the profiler gave no time for these; they are in no figure
  std::uint64_t in_graphs = 0;      ///< of `launches`: as nodes of a graph
  TimeSamples
      launch_cost;  ///< of the call that enqueued it; nodes of a graph have none of their own
  std::vector<SummedTimes> sums;  ///< of files without single launches
  std::optional<Operation> operation;
  std::uint64_t operation_starts = 0;  ///< of `launches`: those that were the first of an execution
  std::vector<CounterSample> counters;
  std::vector<std::string> ranges;  ///< NVTX ranges that some of its launches lie in, sorted

  /// False: the file does not tell them. No launch has a grid of 0 blocks, no function 0 registers.
  bool grid_known() const { return grid[0] != 0; }
  bool resources_known() const { return registers != 0 || code; }

  Seconds time() const;          ///< sum of durations over all runs and processes
  Seconds typical_time() const;  ///< median over runs of the runs' medians; 0 without a time
};

/// An NVTX range by its name, or the whole program (name empty), in one run.
struct ProfiledRange {
  std::string name;
  struct InRun {
    std::uint64_t instances = 0, launches = 0;
    Seconds time;  ///< from the first kernel to the end of the last, summed over instances
    Seconds idle;  ///< of it without a kernel or a copy
  };
  std::vector<InRun> runs;
};

/// The mode of captures whose kernels were replayed for counters: their times are in no figure.
inline constexpr std::string_view kCounterMode = "counters";
/// The mode of captures that hold samples of whole devices, and no launch.
inline constexpr std::string_view kSampleMode = "sample";
/// What a capture made out of a result of ours was imported from: this, and a version.
inline constexpr std::string_view kOwnTool = "roofline ";
/// The mode of captures made out of another tool's file.
inline constexpr std::string_view kImportMode = "import";
/// The same, of tools that replay each kernel alone: a time for each launch, and nothing between
/// them.
inline constexpr std::string_view kReplayMode = "replay";

struct ProfiledLoss {
  std::string reason;
  std::uint64_t count = 0;
};

struct Profiled {
  std::vector<ProfiledProcess> processes;
  std::vector<ProfiledDevice> devices;  ///< each distinct one once, those that were used first
  std::vector<DeviceActivity> activity;
  std::vector<DeviceSamples> samples;   ///< of runs in sample mode
  std::vector<ProfiledKernel> kernels;  ///< the most time first, then by name, grid and block
  std::vector<ProfiledRange> ranges;    ///< the whole program first
  std::vector<ProfiledLoss> losses;     ///< by reason
  std::uint64_t runs = 0;
  bool complete = true;  ///< nothing was lost and no file of a process with kernels was cut
  bool simulated = false;

  std::uint64_t launches() const;
  Seconds kernel_time() const;
  std::optional<double> sm_count(std::uint64_t device) const;  ///< of a device, by its ordinal
  bool imported() const { return !processes.empty() && !processes.front().format.empty(); }
  bool empty() const { return kernels.empty(); }
};

}  // namespace roofline
