#pragma once

#include <string>
#include <vector>

#include "roofline/analysis/gate_result.hpp"

/// What the formats for services share: which rows come first, and names that fit anywhere.
namespace roofline {

/// Rows that do not pass, the worst outcome first, and of one outcome what loses most time first: a
/// service that cuts its input off cuts off what matters least.
std::vector<const AssertionResult*> worst_first(const GateResult& result);
/// Rows that pass, in the order of the gate file.
std::vector<const AssertionResult*> that_pass(const GateResult& result);

/// "rms_norm", of the gate as a whole "gate": printable, at most `width` columns, cut in its
/// middle; never empty.
std::string row_name(const AssertionResult& row, std::size_t width);
/// The machine's id, else its name, else "gpu"; of a gate without results "static".
std::string gpu_label(const GateResult& result);
/// Whether the limit compares with a baseline; else it comes from physics or the machine code.
bool is_regression(const AssertionResult& row);
/// The assertions' names, one per row of the result, each with " (2)", " (3)" ... where the same
/// entry has it again: services keep the first of those that share a name.
std::vector<std::string> unique_assertions(const GateResult& result);
/// Sentence, further sentences and hint, each printable and bounded.
std::vector<std::string> row_lines(const AssertionResult& row);

}  // namespace roofline
