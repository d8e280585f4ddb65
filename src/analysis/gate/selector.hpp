#pragma once

#include "kernel/reading.hpp"
#include "roofline/analysis/gate_file.hpp"

namespace roofline {

/// `match:` of an entry: a name, `all`, or a map.
Selector read_selector(Reading& reading, const YamlNode& node, GateSection section);

/// Whether a kernel is one that the selector stands for; its ordinal and `one_of` are the caller's
/// to count.
bool matches(const Selector& selector, const ResultKernel& kernel);

}  // namespace roofline
