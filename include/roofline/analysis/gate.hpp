#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/analysis/gate_file.hpp"
#include "roofline/analysis/gate_result.hpp"
#include "roofline/analysis/time_test.hpp"
#include "roofline/kernel/kernel.hpp"
#include "roofline/kernel/result.hpp"

namespace roofline {

/// What a description comes to on the gate's GPU.
struct GateSpec {
  std::string name;
  std::optional<Kernel> kernel;  ///< absent of a model's step
  Bytes bytes;
  Flops flops;
  std::optional<int> passes;  ///< reads and writes of whole tensors; absent of a model's step
  Seconds floor;
  Bound bound = Bound::unknown;
  bool balanced = false;
  std::optional<Intensity> intensity;
  bool dram_sets_floor = false;
};

/// One function of a compiled file.
struct GateFunction {
  std::string name, full_name;  ///< canonical; demangled
  std::optional<std::int64_t> registers, spill_bytes, local_bytes, shared_bytes;
  std::string code_hash;
};

/// What is read for one entry beside the results: its description, or the functions of its file.
struct GateSource {
  std::optional<GateSpec> spec;
  std::vector<GateFunction> functions;
};

/// The descriptions and configs that the entries name, read from files beside the gate file and
/// worked out on its GPU; one source per entry. Errors of all files together: those of the files,
/// or of a reference to what they do not hold.
Checked<std::vector<GateSource>> read_gate_sources(const GateFile& gate, const YamlDocument* places,
                                                   const Ceilings* ceilings);

/// What a baseline holds of one id on one GPU.
struct GateReference {
  std::vector<SessionTime> sessions;   ///< oldest first
  std::string code_hash, method, mig;  ///< empty: not known
  std::optional<Extent> grid, block;
  std::optional<Bytes> dram_bytes;
  std::optional<double> power_limit_w;
  std::optional<bool> ecc;
};
/// By an entry's id; nullptr: the baseline does not have it.
using ReferenceLookup = std::function<const GateReference*(std::string_view id)>;

/// Everything that an evaluation takes into account. What is absent was not given.
struct GateInputs {
  const GateFile* gate = nullptr;
  std::span<const GateSource> sources;   ///< one per entry
  const Ceilings* ceilings = nullptr;    ///< of the gate's GPU
  const ResultRecord* result = nullptr;  ///< nullptr: only descriptions and machine code are held
  const ResultRecord* against =
      nullptr;  ///< an A/B: run j of the old program was measured beside run j of `result`
  ReferenceLookup baseline, pinned;
  std::optional<BaselineSummary> baseline_summary;
  bool require_baseline = false, cross_gpu = false;
  std::string today;  ///< "2026-11-30": quarantines end by it
};

/// Holds results against a gate. Deterministic; reads nothing.
GateResult evaluate_gate(const GateInputs& inputs);

/// Results of the same program on the same GPU as one: kernels are the same by name, grid, block
/// and shared memory, and each result's runs follow those of the one before. `records`: at least
/// one.
ResultRecord merged(std::span<const ResultRecord> records);

/// Which kernel of a result goes by which id: "lm_head", or "lm_head[2]" where an entry stands for
/// several. What a baseline records. Kernels that no entry names, or several do, are not among
/// them.
struct GatedKernel {
  std::string id;
  std::size_t kernel = 0, entry = 0;
};
std::vector<GatedKernel> gated_kernels(const GateFile& gate, const ResultRecord& result);

/// The runs of a program against each other, every second one taken for the old program: nothing
/// changed, so what a regression limit says of them is noise.
struct SelfTestRow {
  std::string id;
  int rounds = 0;
  double spread = 0;            ///< between the runs, relative
  std::optional<double> limit;  ///< of the gate, relative
  bool false_alarm = false;     ///< the gate's limit would fail
  std::optional<double>
      safe_limit;  ///< the smallest whole percent that passes both ways round; relative
};
struct SelfTest {
  std::vector<SelfTestRow> rows;
  std::vector<std::string> too_few;  ///< ids with fewer than two rounds
};
SelfTest self_test(const GateFile& gate, const ResultRecord& result);

/// How one gate's limits compare with another's.
struct LimitChange {
  enum class Kind : unsigned char { loosened, tightened, added, removed, changed };
  Kind kind = Kind::changed;
  std::string id, assertion;  ///< assertion: empty where the entry as a whole is meant
  std::string before, after;  ///< as texts; empty where there is none
  GatePlace place;            ///< in the new file, else in the old one
};
std::string_view change_name(LimitChange::Kind kind);  ///< "loosened" ...
/// What a change of the gate file does to its limits, in the order of the new file. Anything that
/// lets more pass counts as loosened: a wider limit, a bound more, a selector, policy or
/// description that differs, a quarantine.
std::vector<LimitChange> compare_limits(const GateFile& before, const GateFile& after);

/// A limit in its unit: "1.25", "403 MB", "5 %", "memory or compute".
std::string limit_text(const Assertion& assertion);
/// A value in the unit of an assertion, as reports show it: "3.33", "926.1 MB", "30 %".
std::string value_text(double value, GateUnit unit);

}  // namespace roofline
