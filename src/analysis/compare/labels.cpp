#include <fmt/format.h>

#include <map>

#include "roofline/analysis/compare.hpp"
#include "roofline/kernel/function_name.hpp"

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
  for (const auto& kernel : record.kernels) {
    const bool plain = kernel.id == kernel.name && !kernel.full_name.empty();
    labels.push_back(plain ? instance_name(kernel.full_name) : kernel.id);
  }
  auto counts = counts_of(labels);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (counts[labels[i]] > 1) labels[i] += grid_text(record.kernels[i]);
  counts = counts_of(labels);
  std::map<std::string, int> seen;
  for (auto& label : labels)
    if (const auto plain = label; counts[plain] > 1) label += fmt::format("[{}]", ++seen[plain]);
  return labels;
}

}  // namespace roofline
