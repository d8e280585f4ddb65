#include "cli/profile_outcome.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "cli/diagnosis.hpp"
#include "report/doctor_report.hpp"
#include "roofline/base/text.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::cli {
namespace {

namespace status = profile::plugin::status;

/// What a process said at its start, for people. {detail} and {result} are filled in.
struct Refusal {
  std::string_view what;
  Code code;
  std::string_view sentence, remedy;
};
constexpr Refusal kRefusals[] = {
    {status::kNotPermitted, Code::counters_not_permitted,
     "GPU counters are reserved for administrators on this host (RmProfilingAdminOnly: 1)",
     "only the host's administrator can change this: NVreg_RestrictProfilingToAdminUsers=0 for the "
     "nvidia module, then a reload; "
     "in a container the host's setting counts, or start it with CAP_SYS_ADMIN; times need no "
     "permission: roofline profile without --counters"},
    {status::kOtherClient, Code::profiler_refused,
     "another profiler holds CUPTI in the program{detail}",
     "switch off the program's own profiler (torch.profiler, a framework's trace option), or "
     "profile without it"},
    {status::kNoCupti, Code::profiler_refused, "libcupti was not found{detail}",
     "install the CUDA toolkit (cuda-cupti), or name the library: --cupti "
     "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"},
    {status::kCuptiIncomplete, Code::profiler_refused,
     "libcupti lacks a function that is needed{detail}",
     "it is older than CUDA 12: name a newer one with --cupti"},
    {status::kCuptiTooNew, Code::profiler_refused, "libcupti is newer than the driver{detail}",
     "update the driver, or name an older libcupti with --cupti: its major version must not pass "
     "the driver's"},
    {status::kVirtualGpu, Code::profiler_refused,
     "the virtual GPU does not allow profiling (CUPTI 40)",
     "the host's administrator can switch on profiling for the vGPU"},
    {status::kConfidential, Code::profiler_refused,
     "confidential computing does not allow profiling (CUPTI 41)",
     "profile in a machine without it"},
    {status::kMiningGpu, Code::profiler_refused,
     "this GPU does not allow profiling (CUPTI 42, a mining card)", ""},
    {status::kMig, Code::profiler_refused, "this MIG instance does not allow profiling (CUPTI 43)",
     "use an instance that owns its memory slice, or the whole GPU"},
    {status::kSli, Code::profiler_refused, "SLI does not allow profiling (CUPTI 44)",
     "switch SLI off"},
    {status::kWsl, Code::profiler_refused, "profiling is not allowed under WSL here (CUPTI 45)",
     "switch on GPU performance counters for all users in NVIDIA's control panel in Windows"},
    {status::kHardwareBusy, Code::profiler_refused,
     "another tool holds the GPU's counters (CUPTI 26)",
     "DCGM does so on many clusters: dcgmi profile --pause, and --resume afterwards"},
    {status::kUnknownChip, Code::profiler_refused, "no counters are known for this GPU{detail}",
     "times need none: leave --counters out"},
    {status::kLaunchTimeout, Code::profiler_refused,
     "a counted launch did not end, and the program was ended{detail}",
     "a kernel that waits for another cannot be replayed alone: leave it out (--exclude), or use "
     "--sample, which replays nothing"},
    {status::kFatalError, Code::profiler_refused, "CUPTI stopped on its own{detail}",
     "what it recorded until then is reported; a newer CUPTI may help (--cupti)"},
    {status::kNoDriver, Code::no_device, "no CUDA device: the driver did not start in the program",
     "roofline doctor says why"},
    {status::kUnknownMode, Code::internal, "the plug-in does not know what it was asked{detail}",
     "the plug-in is of another version: check ROOFLINE_PLUGIN"},
};

bool collects(const ProfiledProcess& process) {
  return process.status == status::kCollecting || process.status == status::kCounting ||
         process.status == status::kCounted;
}

Error refusal_of(const ProfiledProcess& process) {
  const auto* row = std::find_if(std::begin(kRefusals), std::end(kRefusals),
                                 [&](const auto& r) { return r.what == process.status; });
  const auto detail =
      process.status_detail.empty() ? std::string() : ": " + printable(process.status_detail);
  if (row == std::end(kRefusals))
    return {Code::profiler_refused,
            {},
            fmt::format("CUPTI refused to start ({}{}, code {})",
                        process.status.empty() ? "no reason given" : printable(process.status),
                        detail, process.status_result),
            "roofline doctor looks at driver, CUPTI and permissions",
            {}};
  if (process.status == status::kNotPermitted && process.mode != kCounterMode &&
      process.mode != kSampleMode)
    return {Code::counters_not_permitted,
            {},
            "the driver does not let this user profile at all, times included (CUPTI 35)",
            "only the host's administrator can change this: "
            "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module, then a reload; in a "
            "container start it with CAP_SYS_ADMIN",
            "the program ran all the same, unprofiled"};
  std::string sentence(row->sentence);
  if (const auto at = sentence.find("{detail}"); at != std::string::npos)
    sentence.replace(at, 8, detail);
  return {row->code,
          {},
          std::move(sentence),
          std::string(row->remedy),
          "the program ran all the same, unprofiled"};
}

bool is_set_uid(const std::string& program) {
  struct stat info = {};
  return program.find('/') != std::string::npos && ::stat(program.c_str(), &info) == 0 &&
         (info.st_mode & (S_ISUID | S_ISGID)) != 0;
}

/// The plug-in left no sign of itself.
Error never_loaded(const std::vector<std::string>& command) {
  const auto state = profile::examine_machine(profile::HostView::of_this_machine(), false);
  std::vector<Finding> findings;
  if (!diagnosis::driver(state, findings) && !findings.empty()) {
    const auto& finding = findings.front();
    return {Code::no_device,
            {},
            "no CUDA device: " + finding.text,
            finding.remedy.empty() ? "roofline doctor" : finding.remedy,
            fmt::format("{} work on this machine", kNeedNoGpu)};
  }
  if (is_set_uid(command.front()))
    return {
        Code::not_profiled,
        {},
        fmt::format("the profiler was not loaded: {} is set-uid, which drops CUDA_INJECTION64_PATH",
                    printable(command.front())),
        "run it as the user that it becomes",
        {}};
  return {Code::not_profiled,
          {},
          fmt::format("the profiler was not loaded into {}: it never used CUDA, or the environment "
                      "did not reach it",
                      printable(command.front())),
          "sudo: use sudo -E; mpirun: -x CUDA_INJECTION64_PATH and the ROOFLINE_ variables; ssh, "
          "docker, srun --export: run roofline on the inside",
          {}};
}

/// What keeps launches from being seen although there may have been some.
struct Blindness {
  std::string_view reason;  ///< of a loss
  std::string_view sentence, remedy;
};
constexpr Blindness kBlindness[] = {
    {profile::plugin::loss::kUnwritten,
     "the capture could not be written: the disk is full, or a limit of file sizes (ulimit -f) was "
     "reached",
     "make room, or keep captures elsewhere: --keep DIR, TMPDIR"},
    {profile::plugin::loss::kNoBuffers,
     "another profiler in the program took the records for itself",
     "switch off the program's own profiler (torch.profiler, a framework's trace option)"},
    {"capture_not_closed",
     "the capture ends before its first launch: the program was killed at once, or closed the "
     "files that it had not opened",
     "records are written ten times a second: let it run a little longer"},
};

std::optional<Error> blindness_of(const Profiled& profile, const std::string& program) {
  for (const auto& row : kBlindness)
    for (const auto& loss : profile.losses)
      if (loss.reason == row.reason)
        return Error{
            Code::no_kernels,
            {},
            fmt::format("no launch of {} was recorded: {}", printable(program), row.sentence),
            std::string(row.remedy),
            {}};
  return std::nullopt;
}

std::optional<Error> collection_failure(const Profiled& profile,
                                        const std::vector<std::string>& command) {
  if (profile.processes.empty()) return never_loaded(command);
  if (profile.launches() > 0) return std::nullopt;
  const auto& processes = profile.processes;
  const bool any = std::any_of(processes.begin(), processes.end(), collects);
  if (!any) return refusal_of(processes.front());
  const bool counted = std::any_of(profile.kernels.begin(), profile.kernels.end(),
                                   [](const auto& k) { return !k.counters.empty(); });
  if (counted) return std::nullopt;
  if (auto blind = blindness_of(profile, command.front())) return blind;
  return Error{Code::no_kernels,
               {},
               fmt::format("{} used CUDA but launched no kernel", printable(command.front())),
               "does it need an argument to use the GPU, or did it stop early?",
               {}};
}

}  // namespace

std::optional<Error> outcome_of(const Profiled& profile, const ProgramEnd& end,
                                const std::vector<std::string>& command) {
  const auto measured =
      profile.launches() > 0 ? std::string("what it did until then is reported; ") : std::string();
  if (end.interrupted)
    return Error{Code::interrupted,
                 {},
                 "interrupted: " + end.text(),
                 {},
                 measured.empty() ? "" : "the result is marked as incomplete"};
  if (end.timed_out)
    return Error{
        Code::program_timed_out,
        {},
        fmt::format("{} was killed: it took longer than --timeout", printable(command.front())),
        {},
        {}};
  auto failure = collection_failure(profile, command);
  if (!end.good()) {
    Error error{Code::program_failed,
                {},
                fmt::format("{} failed: {}", printable(command.front()), end.text()),
                {},
                {}};
    if (failure)
      error.note = failure->what + (failure->hint.empty() ? "" : " (" + failure->hint + ")");
    else
      error.hint = measured + "--propagate-exit returns its own status instead of 4";
    return error;
  }
  return failure;
}

std::vector<OutcomeWarning> outcome_warnings(const Profiled& profile, bool asked_counters) {
  std::vector<OutcomeWarning> warnings;
  std::set<std::string> said;
  bool counters_refused = false;
  if (profile.launches() > 0)
    for (const auto& process : profile.processes) {
      if (collects(process) || process.status.empty()) continue;
      counters_refused = counters_refused || process.mode == kCounterMode;
      auto error = refusal_of(process);
      if (!said.insert(error.what).second) continue;
      auto text = error.what;
      if (process.status == status::kFatalError)
        text += fmt::format(", in process {} on {}: what came after is missing", process.pid,
                            printable(process.host));
      else if (process.mode != kCounterMode)
        text += fmt::format(", in process {} on {}: it is in no figure", process.pid,
                            printable(process.host));
      if (process.mode == kCounterMode)
        text +=
            "; times, launches and registers are measured, DRAM bytes are not, so excess traffic "
            "is unknown";
      if (!error.hint.empty()) text += "; " + error.hint;
      warnings.push_back({code_name(error.code), std::move(text)});
    }
  const bool counted = std::any_of(profile.kernels.begin(), profile.kernels.end(),
                                   [](const auto& k) { return !k.counters.empty(); });
  if (asked_counters && !counted && !counters_refused && profile.samples.empty() &&
      profile.launches() > 0)
    warnings.push_back({"no_counters",
                        "no launch was counted: every kernel ran fewer times than are passed over "
                        "(--skip), is excluded by its name, or runs in a CUDA graph (--sample)"});
  return warnings;
}

}  // namespace roofline::cli
