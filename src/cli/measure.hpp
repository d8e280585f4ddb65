#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/capture_folder.hpp"
#include "cli/launch_inputs.hpp"
#include "cli/profile_gpu.hpp"
#include "report/profile/profile_report.hpp"
#include "roofline/base/result.hpp"
#include "roofline/profile/launcher.hpp"

namespace roofline::cli {

/// What of a program is measured, and how.
struct MeasureRequest {
  std::vector<std::string> command;  ///< the words after --
  std::string label;                 ///< what reports call it; empty: the command
  std::uint64_t runs = 1;            ///< of the program, for times
  bool times = true;                 ///< false: counters alone
  bool counters = false;             ///< one more run of the program, under counters
  bool sample = false;               ///< that run samples instead of replaying
  bool no_sass = false;
  std::string graphs;  ///< "node" or "graph"; empty: as the plug-in likes
  std::optional<std::uint64_t> launches,
      skip;  ///< of each kernel: how many are counted, after how many
  std::optional<std::uint64_t>
      warmups;          ///< the program launches one described kernel, after so many to warm up
  std::string exclude;  ///< parts of kernel names that are not replayed; empty: the plug-in's own
  std::string cupti;    ///< path of libcupti; empty: it is searched
  std::string keep;     ///< folder for the captures; empty: one that goes away
  std::optional<std::chrono::seconds> timeout;  ///< of each run

  std::string spec;    ///< "FILE" or "FILE#entry"; empty: none
  std::string gpu;     ///< a name or a file; empty: told from the device
  MeantGpu meant_gpu;  ///< of a setting; one that the description names goes before it
  std::string range;   ///< of ranges: a glob; only what was launched in them; empty: all
  std::string filter;  ///< of kernels: a glob, or /regex/; empty: all
  CeilingOptions ceilings;
  ForeignOptions foreign;   ///< how files of other tools are read
  bool calibrated = false;  ///< attainable times from what `roofline calibrate` kept

  std::function<void(const std::string&)>
      progress;  ///< a line at the start of each run; may be empty
  std::function<void()> on_interrupt;
};

/// What came of it. `report` holds whatever could be measured, also where something failed.
struct Measurement {
  ProfileReport report;
  std::optional<ProgramEnd> end;  ///< of the run that went worst; absent where captures were read
  std::optional<Error>
      failure;  ///< why the answer is not whole: decides the exit code, after the report
  std::shared_ptr<CaptureFolder> captures;  ///< that it was read from; nullptr: none of a run
  /// The report as a roofline.result/1 document.
  std::string json() const;
};

/// Runs the program under the profiler, `runs` times, and once more under counters if asked; reads
/// what it left, joins it with the description and the GPU. The description and the GPU are read
/// first: their errors come before anything runs. Errors: of the description, the GPU and the
/// options; plugin_missing, injection_taken, program_not_found, cannot_write.
Checked<Measurement> measure(const MeasureRequest& request);

/// The same for what was measured already: captures, folders of them, files of other tools.
Checked<Measurement> read_launches(const std::vector<std::string>& paths,
                                   const MeasureRequest& request);

}  // namespace roofline::cli
