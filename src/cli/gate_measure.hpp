#pragma once

#include <functional>
#include <string>

#include "cli/args.hpp"
#include "cli/job.hpp"
#include "roofline/analysis/gate.hpp"

namespace roofline::cli {

/// Holds a result against the gate; `against`: the old program's, run by run, or nullptr.
using GateCheck =
    std::function<Checked<GateResult>(const ResultRecord& result, const ResultRecord* against)>;

/// Measures the program and checks it, with more runs (interleaved rounds, where `--against` names
/// an old program) while something is undecided or a failure is not confirmed. Counters are taken
/// once, where the gate asks for them. Errors: those of measuring; a program that failed is part of
/// the answer.
Checked<GateResult> measure_and_check(const GateArgs& args, const GateFile& gate,
                                      const std::string& gpu, Words command,
                                      const GateCheck& check);

/// `--self-test`: the program against itself, or the runs of a result in two halves. Prints how
/// small a limit each kernel's runs could decide, and how often the gate's own would have failed
/// without a change.
int run_self_test(const GateArgs& args, Words command, const Frame& frame);

}  // namespace roofline::cli
