#pragma once

#include <span>
#include <string>

#include "roofline/analysis/history.hpp"

namespace roofline {

/// The whole file of a run: its first line, then one per kernel. `run.kernels` is taken from `points`.
std::string history_text(const HistoryRun& run, std::span<const HistoryPoint> points);

}  // namespace roofline
