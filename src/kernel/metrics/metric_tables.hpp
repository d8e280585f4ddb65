#pragma once

#include "roofline/kernel/metric_sets.hpp"

/// Definitions are generated from specs/cupti/metrics.yaml when the program is built.
namespace roofline::metric_tables {

std::span<const MetricFamily> families();
std::span<const MetricMeaning> meanings();  ///< sorted by metric
std::string_view toolkit();

}  // namespace roofline::metric_tables
