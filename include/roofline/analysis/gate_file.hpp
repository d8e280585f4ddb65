#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/analysis/gate_result.hpp"
#include "roofline/analysis/verdict.hpp"
#include "roofline/base/pattern.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/kernel/result.hpp"

/// The gate file, roofline.gate/1 (docs/gate.md): what must hold of which kernels.
namespace roofline {

enum class AssertionKind : unsigned char {
  bound,
  max_bytes,
  max_flops,
  max_passes,
  max_floor,
  min_intensity,
  max_launches,
  max_registers,
  max_spill_bytes,
  max_local_bytes,
  max_smem,
  code_unchanged,
  max_excess_traffic,
  max_dram_bytes,
  min_utilization_pct,
  min_pct_of_ceiling,
  max_time_over_floor,
  max_time,
  max_gpu_idle_pct,
  max_regression_pct,
  max_drift_pct,
  max_noise_pct,
};
inline constexpr std::size_t kAssertionKinds = 22;

/// Where an assertion may stand. Descriptions are of `specs:`, of one kernel, of a model's step, of
/// machine code.
enum class GateSection : unsigned char { spec, model, code, kernel, range };
inline constexpr std::size_t kGateSections = 5;
std::string_view section_name(GateSection section);  ///< "a description", "a range" ...

/// What the value of an assertion is taken from, beside the gate's GPU.
enum class GateNeeds : unsigned char {
  description,
  launches,
  code,
  counters,
  time,
  trace,
  baseline,
  pinned,
  runs
};

/// How a limit is written.
enum class LimitForm : unsigned char {
  bounds,
  bytes,
  whole_bytes,
  flops,
  intensity,
  count,
  time,
  factor,
  percent,
  percents,
  flag
};

/// One row of the table of assertions: loading, evaluating, messages and docs walk it.
struct AssertionEntry {
  AssertionKind kind;
  std::string_view name;    ///< the key
  std::string_view phrase;  ///< in reports: "time over floor"
  LimitForm form;
  GateUnit unit;
  GateNeeds needs;
  bool at_least, noisy;      ///< the limit is a minimum; the value varies from run to run
  unsigned sections;         ///< bit per GateSection
  std::string_view example;  ///< a limit as it is written
  std::string_view doc;      ///< one line
};
std::span<const AssertionEntry> assertions();  ///< in the order of AssertionKind
const AssertionEntry& describe(AssertionKind kind);

/// Where something stands in the gate file, from 1.
struct GatePlace {
  int line = 0, column = 0, length = 1;
};

struct Assertion {
  AssertionKind kind = AssertionKind::bound;
  double limit = 0;           ///< base units; percent as written (85 for 85 %)
  std::vector<Bound> bounds;  ///< allowed ones
  std::string resource;       ///< of a utilization: "dram"
  GatePlace place;            ///< of its key
};

/// Which launches an entry stands for. Everything that is given must hold.
struct Selector {
  std::string name;                    ///< exactly the canonical function name
  std::optional<Pattern> glob, regex;  ///< of the full demangled name
  std::string operation;               ///< exactly what the file said that it was launched for
  std::string text;                    ///< the selector as messages show it
  std::optional<Extent> grid, block;
  std::optional<std::int64_t> shared_bytes;
  std::string nvtx;                     ///< the range that the launches lie in
  std::optional<std::int64_t> ordinal;  ///< of the kernels that fit, the n-th of the result, from 1
  std::vector<Selector> one_of;         ///< exactly one of them matches
  bool everything = false;              ///< `match: all`
};

/// A description that an entry is held to: "specs/block.yaml#fused".
struct SpecReference {
  std::string file, name;  ///< name: after #, may be empty
  GatePlace place;
};

/// A step of a model: `{model: config.json, phase: decode, batch: 8}`.
struct ModelReference {
  std::string file;
  std::string phase = "decode";
  std::int64_t batch = 1, context = 0, tokens = 0;  ///< 0: not given
  std::int64_t tensor_parallel = 1, expert_parallel = 1, pipeline_parallel = 1;
  GatePlace place;
};

/// Evaluated and printed, but cannot fail until the day is over.
struct Quarantine {
  std::string until, why;  ///< "2026-12-01"
  GatePlace place;
};

/// One thing that limits are set for.
struct GateEntry {
  GateSection section = GateSection::kernel;
  std::string id;
  std::vector<std::string> former_ids;  ///< `aka`: baselines and history know it by these too
  Selector match;
  std::optional<SpecReference> spec;
  std::optional<ModelReference> model;
  std::string code_file;                 ///< `code`: a cubin, object, library or program
  std::optional<std::int64_t> launches;  ///< per run
  std::vector<Assertion> assertions;
  std::optional<Quarantine> quarantine;
  bool cold = false;  ///< the program flushes the caches between launches
  GatePlace place;    ///< of its id
  GatePlace match_place;
};

enum class MissingPolicy : unsigned char { fail, skip };
enum class ExtraPolicy : unsigned char { list, ignore, fail };
enum class SkipPolicy : unsigned char { error, skip };
enum class UndecidedPolicy : unsigned char { warn, fail };

/// What becomes of what is not a plain pass or failure; the defaults of docs/gate.md.
struct GatePolicy {
  MissingPolicy missing = MissingPolicy::fail;
  ExtraPolicy extra = ExtraPolicy::list;
  SkipPolicy other_gpu = SkipPolicy::error, no_counters = SkipPolicy::error;
  UndecidedPolicy inconclusive = UndecidedPolicy::warn;
  int min_runs = 3, max_runs = 9;
  double max_noise = 0.6;
  Seconds min_delta{2e-7};
  int min_sessions = 5;
};

struct GateFile {
  std::string file, sha256, gpu;
  GatePlace gpu_place;
  GatePolicy policy;
  std::vector<GateEntry> entries;  ///< specs, then kernels, then ranges, each in file order
};

/// Every mistake of the file is reported together, with its place: unknown and duplicate keys, ids
/// that are used twice, limits without a unit, negative, infinite or impossible ones, two spellings
/// of one limit, entries that assert nothing.
Checked<GateFile> read_gate(const YamlDocument& document);

/// The same of a file; "-" is stdin.
Checked<GateFile> read_gate_file(const std::string& path);

}  // namespace roofline
