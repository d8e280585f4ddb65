#include <fmt/format.h>

#include <map>

#include "roofline/analysis/compare.hpp"

namespace roofline {
namespace {

std::map<std::string, int> counts_of(const std::vector<std::string>& labels) {
  std::map<std::string, int> counts;
  for (const auto& label : labels) ++counts[label];
  return counts;
}

std::string grid_text(const ResultKernel& kernel) {
  if (!kernel.grid) return {};
  const auto& grid = *kernel.grid;
  return fmt::format(" {}x{}x{}", grid[0], grid[1], grid[2]);
}

}  // namespace

std::vector<std::string> kernel_labels(const ResultRecord& record) {
  std::vector<std::string> labels;
  for (const auto& kernel : record.kernels) labels.push_back(kernel.id);
  auto counts = counts_of(labels);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (counts[record.kernels[i].id] > 1) labels[i] += grid_text(record.kernels[i]);
  counts = counts_of(labels);
  std::map<std::string, int> seen;
  for (auto& label : labels)
    if (const auto plain = label; counts[plain] > 1) label += fmt::format("[{}]", ++seen[plain]);
  return labels;
}

}  // namespace roofline
