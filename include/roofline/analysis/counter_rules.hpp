#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/measured_counters.hpp"

namespace roofline {

/// What is known of a kernel's launches besides its counters.
struct LaunchFacts {
  std::optional<Seconds>
      time;  ///< of the trace; counters are taken under replay, which distorts time
  std::optional<double> blocks;       ///< of the grid
  std::optional<double> spill_bytes;  ///< per thread, of the machine code
  std::uint64_t tensor_code = 0;      ///< bits of machine_code::Tensor; 0: none, or not known
};

/// Facts that rules compare, by the names that specs/rules.yaml uses. Absent where something that
/// they need is.
class CounterFacts {
 public:
  /// `kernel` and `verdict` are of the description that the launches are bound to; null where there
  /// is none. `gpu` null: unknown GPU. Errors: none.
  CounterFacts(const MeasuredCounters& counters, const LaunchFacts& launch, const Gpu* gpu,
               const Kernel* kernel, const Verdict* verdict);

  std::optional<double> find(std::string_view name) const;
  /// The fact as a report writes it: "37 %", "2.3x", "1.6 GB". Empty: not known.
  std::string text(std::string_view name) const;
  /// All that are known, in the order of the table.
  std::vector<std::pair<std::string_view, double>> all() const;

  static constexpr std::size_t kCount = 25;
  /// Names of the facts, for did-you-mean and documents.
  static std::array<std::string_view, kCount> names();

 private:
  std::array<std::optional<double>, kCount> values_;
};

struct RuleCondition {
  enum class Comparison { below, at_most, above, at_least };
  std::string fact;
  Comparison comparison = Comparison::below;
  double threshold = 0;
  bool holds(double value) const;
};

/// A row of specs/rules.yaml.
struct CounterRule {
  std::string code, text, reason;
  bool note = false;  ///< says something without accusing
  std::vector<RuleCondition> when, unless;
  std::string lever_code, lever_text;  ///< empty for a note
  bool saves_traffic =
      false;  ///< what it can buy: the time of the bytes beyond the compulsory ones
};

/// A rule whose conditions hold, its text filled in.
struct FiredRule {
  Remark cause;
  std::optional<Lever> lever;
  bool note = false;
};

/// Errors: another schema, unknown facts and keys, conditions that are none, codes that come twice.
Checked<std::vector<CounterRule>> read_counter_rules(const YamlDocument& document);

/// The rules of the program, read once. Empty only if the program was built with broken ones, which
/// a test prevents.
const std::vector<CounterRule>& counter_rules();

/// The rules that fire, in the order of the file: causes of a kernel under its roof, and notes. A
/// kernel at its ceiling has no cause to look for; the caller decides. `time` is the measured one,
/// for what a lever can save.
std::vector<FiredRule> fired_rules(const CounterFacts& facts, const std::vector<CounterRule>& rules,
                                   std::optional<Seconds> time);

/// A device's own peak held against the table's.
struct PeakMismatch {
  std::string resource;
  double measured = 0, table = 0;  ///< per second, the table's at the clock of the run
  std::string text;                ///< for a report
};

/// Peaks out of a counter run (units per cycle times the clock of the run) against the spec table
/// at that same clock. More than 3 % apart is a mismatch: another product, a MIG slice, or a wrong
/// table. Resources that only one side has are left out. Source of the tolerance: clocks are
/// sampled over the kernel, and wander by a percent or two.
std::vector<PeakMismatch> peak_mismatches(const MeasuredCounters& counters, const Gpu& gpu);

}  // namespace roofline
