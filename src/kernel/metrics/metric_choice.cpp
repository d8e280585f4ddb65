#include "roofline/kernel/metric_choice.hpp"

#include <algorithm>

#include "roofline/kernel/machine_code.hpp"

namespace roofline {
namespace {

namespace mc = machine_code;

/// What a bit of the machine code means to the counters.
struct TypeRow {
  std::uint64_t code;
  std::uint32_t counters;
};
constexpr TypeRow kTypes[] = {
    {mc::kFp16, kTensorFp16},
    {mc::kBf16, kTensorBf16},
    {mc::kTf32, kTensorTf32},
    {mc::kFp64, kTensorFp64},
    {mc::kInt8, kTensorInt8},
    {mc::kInt4, kTensorInt4},
    {mc::kInt1, kTensorInt1},
    {mc::kFp8, kTensorFp8},
    {mc::kFp6Fp4, kTensorFp6Fp4},
    {mc::kScaledFp4, kTensorScaledFp4},
    {mc::kFp8Fp6Fp4, kTensorFp8 | kTensorFp6Fp4},
    {mc::kFp16Accumulate, kTensorFp16Acc16},
};

std::uint32_t wanted_types(std::uint64_t tensor) {
  std::uint32_t types = 0;
  for (const auto& row : kTypes)
    if (tensor & row.code) types |= row.counters;
  return types;
}

/// The one path that issues all tensor instructions of the kernel; empty when there are several.
std::string_view only_path(std::uint64_t tensor) {
  for (const auto& row : mc::kTensorPathNames)
    if ((tensor & mc::kTensorPaths) == row.bit) return row.name;
  return {};
}

/// A set that counts one path alone is cheaper where it counts everything: there it replaces the
/// set of all paths.
std::vector<const TensorMetricSet*> matching_sets(const MetricFamily& family,
                                                  std::uint64_t tensor) {
  const auto types = wanted_types(tensor);
  const auto path = only_path(tensor);
  std::vector<const TensorMetricSet*> found;
  std::uint32_t covered = 0;
  for (const auto& row : family.tensor)
    if (!row.path.empty() && row.path == path && (row.types & types)) {
      found.push_back(&row);
      covered |= row.types;
    }
  for (const auto& row : family.tensor)
    if (row.path.empty() && (row.types & types & ~covered)) found.push_back(&row);
  return found;
}

bool is_tensor_counter(std::string_view metric) {
  const auto* meaning = find_metric_meaning(metric);
  return meaning && !meaning->tensor_pipe.empty();
}

/// The first set's counters with the other sets' tensor counters beside its own.
std::vector<const char*> joined(const std::vector<const TensorMetricSet*>& sets) {
  std::vector<const char*> metrics(sets[0]->set.hw.begin(), sets[0]->set.hw.end());
  auto at = std::find_if(metrics.begin(), metrics.end(), is_tensor_counter);
  for (std::size_t i = 1; i < sets.size(); ++i)
    for (const char* metric : sets[i]->set.hw)
      if (is_tensor_counter(metric)) at = metrics.insert(at, metric);
  return metrics;
}

constexpr std::size_t kMostJoined = 3;  // beyond, the set of all types takes no more passes

MetricChoice hardware_choice(const MetricFamily& family, std::uint64_t tensor) {
  const auto whole = [](std::string_view name, const MetricSet& set) {
    return MetricChoice{name, {set.hw.begin(), set.hw.end()}, set.hw_passes};
  };
  if ((tensor & mc::kTensorTypes) == 0 || family.tensor.empty()) return whole("core", family.core);
  const auto sets = matching_sets(family, tensor);
  if ((tensor & mc::kFp16OrBf16) || sets.empty() || sets.size() > kMostJoined)
    return whole("all types", family.tensor_all);
  if (sets.size() == 1) return whole(sets[0]->name, sets[0]->set);
  return {"several types", joined(sets), 0};
}

}  // namespace

MetricChoice choose_metrics(const MetricFamily& family, std::uint64_t tensor, bool instrumented) {
  auto choice = hardware_choice(family, tensor);
  const auto add = [&](const char* metric) {
    const auto same = [&](const char* other) { return std::string_view(other) == metric; };
    if (std::none_of(choice.metrics.begin(), choice.metrics.end(), same))
      choice.metrics.push_back(metric);
  };
  for (const char* metric : family.peaks) add(metric);
  if (instrumented) {
    for (const char* metric : family.sass) add(metric);
    if (choice.expected_passes > 0) ++choice.expected_passes;
  }
  return choice;
}

}  // namespace roofline
