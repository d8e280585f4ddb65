#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/args.hpp"
#include "roofline/analysis/gate.hpp"

namespace roofline::cli {

/// What the baseline files hold of the entries of a gate.
struct GateReferences {
  std::map<std::string, GateReference, std::less<>> recorded, pinned;
  std::optional<BaselineSummary> summary;
};

/// Reads the baseline beside the gate (or the one that the options name) and the pinned one, for
/// the machine that measured `result`. A file that is not there is no baseline yet, unless an
/// option names it. Errors: those of the files.
Errors read_references(const GateArgs& args, const GateFile& gate, const ResultRecord& result,
                       const std::string& today, GateReferences& references);

/// Puts them into the inputs of an evaluation; `references` must outlive it.
void refer(const GateReferences& references, GateInputs& inputs);

}  // namespace roofline::cli
