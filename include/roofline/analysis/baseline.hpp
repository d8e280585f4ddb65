#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/time_test.hpp"
#include "roofline/base/result.hpp"
#include "roofline/kernel/result.hpp"

/// Recorded times that later results are compared with: roofline.baseline/1 (docs/formats.md).
namespace roofline {

inline constexpr std::size_t kMostSessions = 10;  ///< kept of a kernel: the newest

/// One job on one machine: what its runs took.
struct BaselineSession {
  std::string date;    ///< "2026-11-30"
  std::string commit;  ///< empty: not known
  double time_s = 0;   ///< geometric mean of the run medians
  int runs = 0;
  double spread = 0;  ///< standard deviation of the logs of the run medians; 0 with one run
};

/// What has to agree before two times may be compared.
struct BaselineMachine {
  std::string gpu;  ///< id of the table, else the driver's name
  std::string mig;  ///< profile; empty: none
  std::optional<double> power_limit_w;
  std::optional<bool> ecc;

  bool operator==(const BaselineMachine&) const = default;
};
/// "h100-sxm5-80gb, 700 W, ECC on"
std::string describe(const BaselineMachine& machine);

/// One line of the file: a kernel on a machine.
struct BaselineEntry {
  std::string id;
  BaselineMachine machine;
  std::string method;  ///< how times were taken: "cupti-trace/1"; other methods give other times
  std::string driver, cuda;  ///< of the newest session; not compared
  std::string name;          ///< function
  std::string code_hash;     ///< of its machine code; empty: not known
  std::optional<Extent> grid, block;
  std::optional<double> dram_bytes, registers, launches;  ///< launches: per run
  std::string reason;                                     ///< of the last `baseline update`
  std::vector<BaselineSession> sessions;                  ///< oldest first

  std::string text;  ///< the line as read; empty once something was changed
  std::vector<std::string>
      unknown;  ///< keys that a newer roofline wrote: such a line is compared, never rewritten
  int line = 0;
};

struct Baseline {
  std::string file;
  std::vector<BaselineEntry> entries;  ///< by id, then machine
};

/// Reads a whole file. Errors, with their place: another or newer schema, a line that is cut off or
/// damaged, two lines of one kernel and machine, figures that no measurement gives, the marks of an
/// unresolved merge, no line at all.
Checked<Baseline> read_baseline(const std::string& text, const std::string& file);
/// The same of a file. Errors: cannot_read too.
Checked<Baseline> read_baseline_file(const std::string& path);

/// The sessions as the time test takes them.
std::vector<SessionTime> session_times(const BaselineEntry& entry);
/// Geometric mean of the sessions in seconds.
double recorded_time(const BaselineEntry& entry);

/// What a file holds for a kernel on a machine.
struct BaselineMatch {
  enum class Kind : std::uint8_t {
    found,
    none,           ///< nothing of this id on this GPU: the kernel is new here
    other_machine,  ///< same GPU at another power limit, ECC or MIG mode
    other_method,
  };
  Kind kind = Kind::none;
  const BaselineEntry* entry =
      nullptr;  ///< what was found, or the nearest line that may not be compared
};
BaselineMatch find_in_baseline(const Baseline& baseline, std::string_view id,
                               const BaselineMachine& machine, std::string_view method);

BaselineMachine machine_of(const ResultRecord& record);
std::string_view method_of(const ResultRecord& record);

/// A kernel of this session, ready to be recorded.
struct FreshEntry {
  BaselineEntry entry;            ///< with one session
  std::vector<double> run_times;  ///< run medians in seconds
  std::optional<double> floor_s;  ///< of its description
};

/// The entry's one session takes these figures, to the digits that the file holds.
void set_session(FreshEntry& fresh, const SessionTime& session);

struct SessionLabel {
  std::string date, commit;
};

/// Why a result must not become what others are held to; empty: it may. Cut off, failed, simulated;
/// throttled or disturbed unless `allow_disturbed`.
std::string refusal_of(const ResultRecord& record, bool allow_disturbed);

/// The kernel as a line under the name `id`, its sessions the one of this result. Errors:
/// not_recordable where it has no usable times, or beats its floor by more than 2 %.
Result<FreshEntry> fresh_entry(const ResultRecord& record, const ResultKernel& kernel,
                               std::string_view id, const SessionLabel& label);

/// The same of a range: its time from the first kernel to the last, without machine code. Errors: not_recordable where
/// a run has no time.
Result<FreshEntry> fresh_range(const ResultRecord& record, const ResultRange& range,
                               std::string_view id, const SessionLabel& label);

/// What became of one kernel.
struct Recording {
  enum class Kind : std::uint8_t {
    added,  ///< the first session of this kernel on this machine
    appended,
    restarted,  ///< faster, with other machine code: the sessions of the old code are dropped
    slower,     ///< not recorded: a baseline does not get slower unseen
    repeated,   ///< not recorded: the file has this session
    refused,    ///< not recorded: `why`
  };
  Kind kind = Kind::added;
  std::string id;
  BaselineMachine machine;
  std::optional<double> change;  ///< against the sessions before, relative
  std::string why;
  bool recorded() const { return kind <= Kind::restarted; }
};
std::string_view name_of(Recording::Kind kind);

/// Appends the session to the lines of its kernels. Without other machine code a kernel is appended
/// whatever it took: that is how machines differ from day to day. With other code, more than 5 %
/// slower is not recorded and more than 2 % faster starts the line anew.
std::vector<Recording> record_session(Baseline& baseline, std::span<const FreshEntry> fresh);

/// Starts the lines of these kernels anew from this session, slower or not.
std::vector<Recording> replace_entries(Baseline& baseline, std::span<const FreshEntry> fresh,
                                       std::string_view reason);

/// One difference between two files.
struct BaselineChange {
  enum class Kind : std::uint8_t { loosened, tightened, added, gone, same };
  Kind kind = Kind::same;
  std::string id, reason;  ///< the newer line's
  BaselineMachine machine;
  std::optional<double> old_s, new_s;
};
std::string_view name_of(BaselineChange::Kind kind);

/// Line by line; a mean that moves by less than half a percent is the same. A line that is gone
/// loosens the gate too.
std::vector<BaselineChange> compare_baselines(const Baseline& old, const Baseline& fresh);

}  // namespace roofline
