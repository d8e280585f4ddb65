#include "roofline/kernel/metric_sets.hpp"

#include <algorithm>

#include "kernel/metrics/metric_tables.hpp"

namespace roofline {

std::span<const MetricFamily> metric_families() { return metric_tables::families(); }

std::string_view metric_sets_toolkit() { return metric_tables::toolkit(); }

const MetricFamily* find_metric_family(std::string_view chip) {
  for (const auto& family : metric_families())
    for (const std::string_view name : family.chips)
      if (name == chip) return &family;
  return nullptr;
}

const MetricMeaning* find_metric_meaning(std::string_view metric) {
  const auto all = metric_tables::meanings();
  const auto found = std::lower_bound(
      all.begin(), all.end(), metric,
      [](const MetricMeaning& row, std::string_view name) { return row.metric < name; });
  return found != all.end() && found->metric == metric ? &*found : nullptr;
}

}  // namespace roofline
