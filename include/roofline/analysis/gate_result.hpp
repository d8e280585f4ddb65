#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/error.hpp"
#include "roofline/kernel/result.hpp"
#include "roofline/quantities/quantity.hpp"

/// What holding results against a gate file gave: plain data, every number computed. docs/gate.md
/// says what each means.
namespace roofline {

/// In order of severity: the gate's status is the worst.
enum class Outcome : unsigned char { pass, fresh, skip, quarantined, inconclusive, fail, error };
inline constexpr std::size_t kOutcomes = 7;
std::string_view outcome_name(
    Outcome outcome);  ///< "pass", "new", "skip", "quarantined", "inconclusive", "fail", "error"

/// The unit of a value and its limit, in base units: what `value_s`, `value_bytes` ... would be.
enum class GateUnit : unsigned char {
  none,
  seconds,
  bytes,
  flops,
  intensity,
  ratio,
  percent,
  count
};
std::string_view unit_name(
    GateUnit unit);  ///< "", "s", "B", "FLOP", "FLOP/B", "ratio", "%", "count"

/// One assertion held against one kernel, range or description.
struct AssertionResult {
  std::string id;  ///< of the entry; "id[2]" where it stands for several kernels; empty: the gate
                   ///< as a whole
  std::string assertion;  ///< "max_time_over_floor", "min_utilization_pct.dram"; "match",
                          ///< "launches", "results" ...
  Outcome outcome = Outcome::pass;
  std::optional<double> value, lo, hi,
      limit;  ///< in `unit`; lo and hi: the interval of a value with noise
  GateUnit unit = GateUnit::none;
  bool at_least = false;  ///< the limit is a minimum
  std::string value_text,
      limit_text;              ///< where the value is a word: "memory" against "memory or compute"
  int runs = 0, sessions = 0;  ///< processes behind the value; sessions behind the baseline
  int more_runs = 0;           ///< fresh ones that would help to decide; 0: it is final
  bool confirmed = false;      ///< a failure that fresh runs agreed on
  std::optional<Seconds> floor, time;  ///< of the kernel
  std::optional<Seconds>
      lost;  ///< of a launch, over what the limit allows; what failures are sorted by
  std::optional<double> time_share;  ///< of the GPU time, 0 to 1
  std::optional<Code> reason;        ///< why it does not pass
  std::string text;  ///< that as a sentence without its full stop; empty: value and limit say it
  std::vector<std::string> more;         ///< further sentences: evidence, causes, near names
  std::string hint;                      ///< the next step
  std::string kernel;                    ///< canonical name of what matched; untrusted
  int line = 0, column = 0, length = 1;  ///< of the assertion in the gate file, from 1; 0: none
};

/// A kernel that no entry names.
struct UngatedKernel {
  std::string name;
  std::optional<double> time_share;
  std::optional<std::int64_t> launches;
};

/// What the regression limits were held against.
struct BaselineSummary {
  std::string file;
  int sessions = 0;             ///< the most that an entry has
  std::optional<int> age_days;  ///< of its newest session
};

struct GateResult {
  std::string file, sha256;  ///< of the gate
  std::string gpu_id, gpu_name;
  std::optional<ResultEnvironment> environment;
  std::optional<BaselineSummary> baseline;
  int runs = 0;  ///< processes measured; 0: nothing was measured
  bool simulated = false;
  std::vector<AssertionResult>
      results;  ///< in the order of the gate file; those of the whole gate first
  std::vector<UngatedKernel> ungated;  ///< the one with most time first
  std::size_t ungated_count = 0;
  std::optional<double> ungated_share;          ///< of the GPU time
  std::array<std::size_t, kOutcomes> counts{};  ///< assertions by Outcome
  Outcome status = Outcome::pass;               ///< the worst, after policy
  int exit_code = 0;
  std::vector<std::string> notes;  ///< sentences: other driver, simulated ...

  std::size_t count(Outcome outcome) const { return counts[static_cast<std::size_t>(outcome)]; }
};

}  // namespace roofline
