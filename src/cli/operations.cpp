#include "cli/operations.hpp"

#include <algorithm>
#include <map>

#include "roofline/ingest/mapping.hpp"

namespace roofline::cli {
namespace {

/// Operations that are no framework's operators say what a kernel worked on, not what it is called.
bool is_named_by_kernel(const Operation& operation) {
  return operation.name.find("::") == std::string::npos &&
         std::none_of(operation.operands.begin(), operation.operands.end(),
                      [](const Operand& operand) { return operand.tensor; });
}

/// Whether each kernel of a group carried out executions of its own: then they are alternatives,
/// and each is judged by itself.
bool are_alternatives(const std::vector<ProfiledKernel>& kernels,
                      const std::vector<std::size_t>& group) {
  return std::all_of(group.begin(), group.end(), [&](std::size_t k) {
    return kernels[k].operation_starts == kernels[k].launches;
  });
}

/// cuBLAS's second kernel of a product: it sums what the first has made of slices. By itself it is
/// that of a trace which holds only some of the kernels.
bool is_without_its_product(const std::vector<ProfiledKernel>& kernels,
                            const std::vector<std::size_t>& group) {
  return std::all_of(group.begin(), group.end(), [&](std::size_t k) {
    return kernels[k].full_name.find("splitKreduce_kernel") != std::string::npos;
  });
}

/// Kernels by the operation that they were launched for, operations in the order of their kernels'
/// times.
std::vector<std::vector<std::size_t>> by_operation(const std::vector<ProfiledKernel>& kernels) {
  std::vector<std::vector<std::size_t>> groups;
  std::multimap<std::string_view, std::size_t> known;  // groups by the operation's name
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (!kernels[k].operation) continue;
    const auto& operation = *kernels[k].operation;
    auto [at, end] = known.equal_range(operation.name);
    while (at != end && *kernels[groups[at->second].front()].operation != operation) ++at;
    if (at == end) {
      known.emplace(operation.name, groups.size());
      groups.push_back({k});
    } else {
      groups[at->second].push_back(k);
    }
  }
  std::vector<std::vector<std::size_t>> split;
  for (auto& group : groups) {
    if (are_alternatives(kernels, group))
      for (const auto k : group) split.push_back({k});
    else
      split.push_back(std::move(group));
  }
  return split;
}

}  // namespace

void map_operations(ProfileReport& report) {
  if (!report.profile.imported()) return;
  const auto& kernels = report.profile.kernels;
  const MappingContext context{report.gpu && report.gpu->switch_sums()};
  report.unmatched_reason.assign(kernels.size(), {});
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (!kernels[k].operation)
      report.unmatched_reason[k] = kernels[k].in_graphs > 0 ? "in_a_graph" : "no_operation";
  for (auto& group : by_operation(kernels)) {
    const auto& operation = *kernels[group.front()].operation;
    std::uint64_t executions = 0;
    for (const auto k : group) executions += kernels[k].operation_starts;
    auto kernel = map_operation(operation, kernels[group.front()].full_name, context);
    if (kernel && is_named_by_kernel(operation)) kernel->name = kernels[group.front()].name;
    if (kernel && executions > 0 && !is_without_its_product(kernels, group)) {
      report.operations.push_back({std::move(*kernel), std::move(group), executions});
      continue;
    }
    for (const auto k : group)
      report.unmatched_reason[k] =
          kernel ? std::string("operation_cut") : std::string(kernel.error());
  }
}

}  // namespace roofline::cli
