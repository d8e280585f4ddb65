#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis/gate.hpp"
#include "roofline/analysis/gate_result.hpp"
#include "roofline/base/yaml.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// How a gate's answer is written.
struct GateWriteOptions {
  std::size_t width = 100;  ///< columns of a table
  bool colour = false;
  int verbosity = 0;  ///< -1: verdict lines only; 1: what passes in full, and what is not gated
  std::size_t max_bytes = 60'000;  ///< of formats that a service cuts off
  std::string tool_version, tool_commit;
};

/// One row of the table of formats that `--format` and `--report` take.
struct GateFormat {
  std::string_view name, extension, doc;
  void (*write)(const GateResult& result, const GateWriteOptions& options, const TextSink& sink);
};
std::span<const GateFormat> gate_formats();
const GateFormat* find_gate_format(std::string_view name);

// What every format for people says in the same words. Names in results are untrusted: these make
// them printable, not safe for a markup.
/// "time over floor 3.33 (limit 1.25)"
std::string assertion_phrase(const AssertionResult& row);
/// The same with what follows: "time over floor 3.33 (limit 1.25): lost 279.8 us a launch"
std::string assertion_sentence(const AssertionResult& row);
/// "FAIL  2 kernels break 4 limits; 1 undecided; 7 hold", without the first word
std::string gate_summary(const GateResult& result);
/// "PASS", "FAIL", "ERROR", "UNDECIDED"
std::string_view gate_headline(const GateResult& result);

/// A roofline.gate-result/1 document, as gate_formats()' "json" writes it. What only a table of a
/// running gate shows (reasons, ungated kernels, the baseline) is not read. Errors: another schema,
/// values that are not what they must be, each with its place; of the file: cannot_read too.
Checked<GateResult> read_gate_result(const YamlDocument& document);
Checked<GateResult> read_gate_result_file(const std::string& path);

/// `gate --diff-limits`: one line per change, then a count.
void write_limit_changes(std::span<const LimitChange> changes, const TextSink& sink);
bool loosens(std::span<const LimitChange> changes);

/// `gate --self-test`: one line per kernel, then how many false alarms.
void write_self_test(const SelfTest& test, const TextSink& sink);

/// A first gate file from what a result holds: one entry per kernel with limits `margin` above what
/// was measured, the largest share of time first, at most `most` kernels. YAML.
struct GateDraftOptions {
  std::string source;  ///< name of the result, for the comment
  double margin = 0.1;
  std::size_t most = 20;
};
std::string draft_gate(const ResultRecord& result, const GateDraftOptions& options);

}  // namespace roofline
