#include <algorithm>

#include "report/profile/profile_report.hpp"
#include "roofline/kernel/kernel_kind.hpp"

namespace roofline {

Errors complete(ProfileReport& report, const KernelKinds& kinds) {
  const auto binding = bind_launches(report.entries, report.profile.kernels);
  if (!binding) return binding.error();
  FindingOptions options;
  options.kind_of = [&](const ProfiledKernel& kernel) {
    return std::string(kinds.kind_of(kernel.full_name));
  };
  options.ceilings = report.ceilings.get();
  // Entries of a description go before what the file says.
  std::vector<OperationWork> operations;
  for (const auto& work : report.operations) {
    const bool described = std::any_of(work.seen.begin(), work.seen.end(), [&](std::size_t k) {
      return binding->entry_of[k].has_value();
    });
    if (!described) operations.push_back(work);
  }
  options.operations = operations;
  if (!report.unmatched_reason.empty())
    options.unmatched_of = [&](const ProfiledKernel& kernel) {
      return report
          .unmatched_reason[static_cast<std::size_t>(&kernel - report.profile.kernels.data())];
    };
  auto findings = find(report.profile, report.entries, *binding, options);
  if (!findings) return findings.error();
  report.findings = std::move(*findings);
  // What another tool did not count was not left out by a pass of ours.
  if (report.profile.imported())
    for (auto& finding : report.findings.kernels)
      if (finding.counters)
        std::erase(finding.counters->caveats, CounterCaveat::no_instrumented_counters);
  return {};
}

}  // namespace roofline
