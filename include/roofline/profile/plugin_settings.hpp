#pragma once

#include <string_view>

/// What the command line tells the plug-in. It travels in the environment, because the profiled
/// program is somebody else's, and its children inherit it. Standard library only: the plug-in
/// includes this header too.
namespace roofline::profile::plugin {

/// The driver loads the library of this name at cuInit.
inline constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";
/// NVTX loads the library of this name at its first call; libcupti is one.
inline constexpr const char* kNvtxInjectionVariable = "NVTX_INJECTION64_PATH";

inline constexpr const char* kOut = "ROOFLINE_PLUGIN_OUT";  ///< folder of the captures; required
inline constexpr const char* kMode =
    "ROOFLINE_PLUGIN_MODE";  ///< trace (default), counters, sample, count
inline constexpr const char* kCupti = "ROOFLINE_PLUGIN_CUPTI";  ///< path of libcupti; empty: search
inline constexpr const char* kFlushMs =
    "ROOFLINE_PLUGIN_FLUSH_MS";  ///< time between flushes; 0: at the end only
inline constexpr const char* kGraphs = "ROOFLINE_PLUGIN_GRAPHS";  ///< node (default) or graph
inline constexpr const char* kSkipLaunches =
    "ROOFLINE_PLUGIN_SKIP_LAUNCHES";  ///< of each shape, not counted
inline constexpr const char* kLaunches = "ROOFLINE_PLUGIN_LAUNCHES";  ///< of each shape, counted
inline constexpr const char* kNoSass = "ROOFLINE_PLUGIN_NO_SASS";     ///< 1: no instrumented pass
inline constexpr const char* kExclude =
    "ROOFLINE_PLUGIN_EXCLUDE";  ///< parts of kernel names, comma-separated
inline constexpr const char* kTimeoutS = "ROOFLINE_PLUGIN_TIMEOUT_S";  ///< of one counted launch
inline constexpr const char* kSignals = "ROOFLINE_PLUGIN_SIGNALS";     ///< 0: no signal handlers
inline constexpr const char* kPoolLimit =
    "ROOFLINE_PLUGIN_POOL_LIMIT";  ///< of CUPTI's device buffers; 0: its own
/// The program launches one described kernel over and over: so many launches of it come before
/// those that count. It stands in the capture's header, for whoever reads it.
inline constexpr const char* kWarmups = "ROOFLINE_PLUGIN_WARMUPS";
inline constexpr const char* kRun = "ROOFLINE_PLUGIN_RUN";  ///< number of the run, from 0

inline constexpr long kDefaultFlushMs = 100;
inline constexpr long kDefaultSkipLaunches = 2;
inline constexpr long kDefaultLaunches = 3;
inline constexpr long kDefaultTimeoutS = 10;
/// Kernels that wait for others must not be replayed alone.
inline constexpr std::string_view kDefaultExclude = "nccl,nvshmem,mscclpp";

/// File of a capture: `<out>/<host>.<pid>.rlf`; a second image in the same process (exec) or a pid
/// that comes back takes `<host>.<pid>.2.rlf`, and so on.
inline constexpr std::string_view kCaptureExtension = ".rlf";

/// Codes of capture::Status::what. `collecting` and `counting` are good news; all others mean that
/// the program ran unprofiled.
namespace status {
inline constexpr std::string_view kCollecting = "collecting";
inline constexpr std::string_view kCounting = "counting";  ///< mode count, at the start
inline constexpr std::string_view kCounted =
    "counted";  ///< mode count, at the end; detail: launches
inline constexpr std::string_view kUnknownMode = "unknown_mode";  ///< detail: the mode asked for
inline constexpr std::string_view kNoDriver =
    "no_driver";  ///< loaded by something else than the driver
inline constexpr std::string_view kNoCupti = "no_cupti";  ///< detail: what was tried last
inline constexpr std::string_view kCuptiIncomplete =
    "cupti_incomplete";  ///< detail: the symbol it lacks
inline constexpr std::string_view kCuptiTooNew = "cupti_newer_than_driver";
inline constexpr std::string_view kOtherClient =
    "other_client";  ///< CUPTI 39; detail: its name if known
inline constexpr std::string_view kNotPermitted = "not_permitted";           ///< CUPTI 35
inline constexpr std::string_view kVirtualGpu = "virtual_gpu";               ///< CUPTI 40
inline constexpr std::string_view kConfidential = "confidential_computing";  ///< CUPTI 41
inline constexpr std::string_view kMiningGpu = "mining_gpu";                 ///< CUPTI 42
inline constexpr std::string_view kMig = "mig";                              ///< CUPTI 43
inline constexpr std::string_view kSli = "sli";                              ///< CUPTI 44
inline constexpr std::string_view kWsl = "wsl";                              ///< CUPTI 45
inline constexpr std::string_view kRefused = "cupti_refused";  ///< any other code; detail: the call
inline constexpr std::string_view kFatalError =
    "cupti_fatal_error";  ///< later, on its own; detail: its message
inline constexpr std::string_view kHardwareBusy =
    "counters_taken";  ///< CUPTI 26: another tool has them
inline constexpr std::string_view kUnknownChip = "unknown_chip";  ///< no counters; detail: its name
inline constexpr std::string_view kLaunchTimeout =
    "launch_timeout";  ///< a counted launch never ended, and we ended the program; detail: the
                       ///< kernel
}  // namespace status

/// Reasons of capture::Loss.
namespace loss {
inline constexpr std::string_view kDropped = "records_dropped";  ///< CUPTI had no buffer for them
inline constexpr std::string_view kUnwritten = "records_unwritten";  ///< the disk took no more
inline constexpr std::string_view kUnknown =
    "records_unknown";  ///< kinds that this version cannot read
inline constexpr std::string_view kUnreadable =
    "buffers_unreadable";  ///< rest of a buffer that CUPTI could not walk
inline constexpr std::string_view kOutOfMemory =
    "buffers_out_of_memory";  ///< no memory for a buffer
inline constexpr std::string_view kNoBuffers =
    "no_buffers";  ///< another client registered for them after us
inline constexpr std::string_view kKindRefused =
    "kinds_refused";  ///< secondary activity kinds that CUPTI refused
inline constexpr std::string_view kRangesOpen = "ranges_open";  ///< NVTX ranges without an end
inline constexpr std::string_view kRangesForgotten =
    "ranges_forgotten";  ///< more open at once than we keep
inline constexpr std::string_view kCodesForgotten =
    "codes_forgotten";  ///< kernels of loaded modules beyond those we keep
inline constexpr std::string_view kLaunchesNotCounted =
    "launches_not_counted";  ///< a call of CUPTI's failed
inline constexpr std::string_view kRangesUnexpected =
    "ranges_unexpected";  ///< counted launches whose values were not of them alone, thrown away
inline constexpr std::string_view kLaunchesExcluded =
    "launches_excluded";  ///< by their name: not to be replayed
inline constexpr std::string_view kLaunchesUnknown =
    "launches_unknown";  ///< through calls that cannot be counted (several devices at once)
inline constexpr std::string_view kLaunchesForgotten =
    "launches_forgotten";  ///< of more distinct shapes than we keep
inline constexpr std::string_view kGraphLaunches =
    "graph_launches_not_counted";  ///< their kernels are not replayed
inline constexpr std::string_view kKernelsTooSeldom =
    "kernels_launched_too_seldom";  ///< shapes that never came past the skipped launches
inline constexpr std::string_view kMetricsUnknown =
    "metrics_unknown";  ///< names that this CUPTI does not have
inline constexpr std::string_view kSamplesOverflowed =
    "samples_overflowed";  ///< times that the device's buffer ran over
inline constexpr std::string_view kPassesDiffer =
    "passes_differ";  ///< counter sets that this CUPTI gives other replay passes than the table
}  // namespace loss

}  // namespace roofline::profile::plugin
