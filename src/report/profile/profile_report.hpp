#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/profile_findings.hpp"
#include "roofline/kernel/kernel_kind.hpp"

namespace roofline {

/// What was run, and how it ended.
struct ProfiledProgram {
  std::string command;  ///< as it was given, for people
  std::uint64_t runs = 0;
  std::optional<int> exit_code, signal;
  bool interrupted = false, timed_out = false;
  bool by_us = false;  ///< false: captures were read, the ends are not known
};

/// The state of the machine while the program ran; absent: not known.
struct ProfileEnvironment {
  std::string driver, cuda, mig;
  std::optional<double> power_limit_w;
  std::optional<bool> ecc;
  std::optional<double> clock_min_mhz, clock_median_mhz, clock_max_mhz;  ///< of the SMs
  std::optional<double> throttled_share;                                 ///< of the samples
  std::optional<std::uint64_t> other_processes;
  bool cold = false;  ///< caches flushed between launches
};

/// Everything that `roofline profile` says. The ceilings point to the GPU, the findings to both and
/// to the profile.
struct ProfileReport {
  ProfiledProgram program;
  ProfileEnvironment environment;
  Profiled profile;
  std::string spec_file;
  std::vector<Kernel> entries;
  std::vector<OperationWork> operations;      ///< what work was made of, of imported files
  std::vector<std::string> unmatched_reason;  ///< by kernel; empty where files tell no operations
  std::unique_ptr<Gpu> gpu;  ///< nullptr: not known; then there are times and no verdicts
  std::string gpu_note;      ///< how the GPU was found, what differs
  std::unique_ptr<Ceilings> ceilings;
  ProfileFindings findings;
  std::vector<Remark> warnings;  ///< code and sentence
};

/// `report.findings` from the rest. `kinds`: the labels.
Errors complete(ProfileReport& report, const KernelKinds& kinds);

struct ProfilePageOptions {
  int verbosity = 0;  ///< -1 verdict lines only, 1 every kernel
  std::string saved;  ///< the file that the result went to; empty: none
  bool counters_asked = false;
};
void write_profile_page(Page& page, const ProfileReport& report, const ProfilePageOptions& options);

/// One roofline.result/1 document (docs/formats.md).
void write_profile_json(JsonWriter& json, const ProfileReport& report,
                        std::string_view tool_version);

/// `devices`: what ran beside what on each device of the run that the sequence is of, and where it
/// waited for launches.
void write_devices_json(JsonWriter& json, const ProfileReport& report);

/// The kernels as CSV, one row each, base units in the column names.
std::string profile_csv(const ProfileReport& report);

/// A sentence for a reason of losses: "records that CUPTI had no buffer for".
std::string loss_text(std::string_view reason);
/// The same of why a kernel's work is not known.
std::string unmatched_text(std::string_view reason);

}  // namespace roofline
