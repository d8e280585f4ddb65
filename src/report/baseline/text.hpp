#pragma once

#include <string>

#include "roofline/analysis/baseline.hpp"

namespace roofline {

/// The whole file: a header line, then a line per kernel and machine. A line that was not changed
/// is written byte for byte as it was read.
std::string baseline_text(const Baseline& baseline);

/// One session's kernel as a line of a history: the same keys, without the reason.
std::string entry_line(const BaselineEntry& entry);

}  // namespace roofline
