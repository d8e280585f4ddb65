#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "roofline/report/gate.hpp"

namespace roofline::cli {

/// A report beside what is printed: `--report junit=out.xml`.
struct GateReport {
  const GateFormat* format = nullptr;
  std::string path;
};

/// Where a gate's answer goes.
struct GateOutputs {
  const GateFormat* format = nullptr;
  std::string path;  ///< of `format`; empty: stdout
  std::vector<GateReport> reports;
  bool summary = false;  ///< append a table to $GITHUB_STEP_SUMMARY
  int verbosity = 0;
};

/// `--format`, `--json`, `--report`, `--summary`. Errors: bad_option, contradiction.
GateOutputs gate_outputs(const GateArgs& args, const Settings& settings, Errors& errors);

/// Writes everything and returns the gate's exit code, or that of what could not be written.
int write_gate(const GateResult& result, const GateOutputs& outputs, const Frame& frame);

}  // namespace roofline::cli
