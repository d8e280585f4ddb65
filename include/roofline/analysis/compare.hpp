#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/baseline.hpp"
#include "roofline/analysis/time_test.hpp"
#include "roofline/base/result.hpp"
#include "roofline/kernel/result.hpp"

/// Two programs, or two versions of one, kernel by kernel.
namespace roofline {

/// A name for each kernel of a result that no other has: its id, of a function its instance_name(); with the grid where
/// several share it, and with a number where that does not tell them apart either.
std::vector<std::string> kernel_labels(const ResultRecord& record);

enum class ChangeVerdict : std::uint8_t {
  slower,
  gone,        ///< only in the old one
  undecided,
  not_slower,  ///< whether it is faster or the same is not sure
  bit_slower,  ///< surely, by less than the limit
  same,
  bit_faster,
  faster,
  added,       ///< only in the new one
  other_gpu,   ///< two machines: no verdict
};
std::string_view name_of(ChangeVerdict verdict);

enum class CodeChange : std::uint8_t { unknown, same, changed };

struct KernelChange {
  std::string id;
  ChangeVerdict verdict = ChangeVerdict::undecided;
  CodeChange code = CodeChange::unknown;
  std::optional<double> old_s, new_s;            ///< of a launch: median over runs
  std::optional<double> old_launches, new_launches;  ///< a run, their mean
  std::optional<double> old_dram_bytes, new_dram_bytes;
  std::optional<TimeTest> test;
  std::string why;  ///< it is undecided
  double old_total_s() const { return old_s ? *old_s * old_launches.value_or(1) : 0; }
  double new_total_s() const { return new_s ? *new_s * new_launches.value_or(1) : 0; }
  /// Of a run, over all its launches: positive is slower. A kernel that is new costs all of its time. Where a test took
  /// the drift out, its estimate counts.
  double lost_s() const;
};

struct Comparison {
  bool interleaved = false;
  int rounds = 0;      ///< of an A/B
  double drift = 0;    ///< of an A/B: of all GPU time, first process to last, relative; cancelled in the changes
  double limit = 0.05;
  std::string old_name, new_name;
  BaselineMachine old_machine, new_machine;
  bool simulated = false;
  std::vector<std::string> notes;      ///< sentences: throttled, other processes, other drivers
  std::vector<KernelChange> kernels;   ///< what lost most time first, what gained most last
  std::optional<double> total_change;  ///< of the GPU time of a run; absent between machines

  std::size_t count(ChangeVerdict verdict) const;
  bool is_worse() const { return count(ChangeVerdict::slower) + count(ChangeVerdict::gone) > 0; }
};

struct CompareOptions {
  double limit = 0.05;  ///< relative change below which two times are the same
  bool cross_gpu = false;
  TimePolicy policy;
};

/// Two results, each a session of its own: what drifted between them counts as change. With equal machine code a slower
/// kernel is undecided, since then something else changed. Errors: not_comparable (other GPU or setting without
/// `cross_gpu`, other method), wrong_type (a result without a kernel, of a failed program, or cut off).
Checked<Comparison> compare_results(const ResultRecord& old, const ResultRecord& fresh, const CompareOptions& options);

/// An A/B: round j is `old[j]` against `fresh[j]`, each a process of its own, old first in even rounds. Errors as above.
Checked<Comparison> compare_rounds(std::span<const ResultRecord> old, std::span<const ResultRecord> fresh,
                                   const CompareOptions& options);

/// Rounds that some kernel still asks for; 0: nothing would change.
int more_rounds(const Comparison& comparison);

}  // namespace roofline
