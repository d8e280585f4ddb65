#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/gate/matching.hpp"
#include "analysis/gate/subject.hpp"

namespace roofline {
namespace {

constexpr int kMostPercent = 100;

TimePolicy policy_of(const GateFile& gate, int rounds) {
  TimePolicy policy;
  policy.min_rounds = std::min(policy.min_rounds, rounds);
  policy.fail_rounds = std::min(policy.fail_rounds, rounds);
  policy.max_noise = gate.policy.max_noise;
  policy.min_delta_s = gate.policy.min_delta.value();
  return policy;
}

double spread_of(const std::vector<double>& medians) {
  double sum = 0, squares = 0;
  for (const double value : medians) sum += std::log(value);
  const double mean = sum / static_cast<double>(medians.size());
  for (const double value : medians) squares += std::pow(std::log(value) - mean, 2);
  return std::sqrt(squares / static_cast<double>(medians.size() - 1));
}

std::optional<double> regression_limit(const GateEntry& entry) {
  for (const auto& assertion : entry.assertions)
    if (assertion.kind == AssertionKind::max_regression_pct) return assertion.limit / 100;
  return std::nullopt;
}

/// Both ways round: which half is called the old program is an accident.
bool passes(const std::vector<double>& a, const std::vector<double>& b, double limit,
            const TimePolicy& policy) {
  return paired_regression(a, b, limit, policy).outcome == TimeOutcome::pass &&
         paired_regression(b, a, limit, policy).outcome == TimeOutcome::pass;
}

SelfTestRow row_for(const GateFile& gate, const GateEntry& entry, std::string id,
                    const std::vector<double>& medians) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i + 1 < medians.size(); i += 2) {
    a.push_back(medians[i]);
    b.push_back(medians[i + 1]);
  }
  const auto policy = policy_of(gate, static_cast<int>(a.size()));
  SelfTestRow row{.id = std::move(id),
                  .rounds = static_cast<int>(a.size()),
                  .spread = spread_of(medians),
                  .limit = regression_limit(entry)};
  if (row.limit)
    row.false_alarm = paired_regression(a, b, *row.limit, policy).outcome == TimeOutcome::fail ||
                      paired_regression(b, a, *row.limit, policy).outcome == TimeOutcome::fail;
  for (int percent = 1; percent <= kMostPercent && !row.safe_limit; ++percent)
    if (passes(a, b, percent / 100.0, policy) &&
        row.spread <= gate.policy.max_noise * percent / 100.0)
      row.safe_limit = percent / 100.0;
  return row;
}

}  // namespace

std::vector<GatedKernel> gated_kernels(const GateFile& gate, const ResultRecord& result) {
  const auto matching = match_kernels(gate, result);
  std::vector<GatedKernel> gated;
  for (std::size_t e = 0; e < gate.entries.size(); ++e) {
    const auto& found = matching.kernels[e];
    for (std::size_t k = 0; k < found.size(); ++k)
      if (matching.entries[found[k]].size() == 1)
        gated.push_back({subject_id(gate.entries[e], k, found.size()), found[k], e});
  }
  return gated;
}

SelfTest self_test(const GateFile& gate, const ResultRecord& result) {
  SelfTest test;
  for (const auto& gated : gated_kernels(gate, result)) {
    const auto& entry = gate.entries[gated.entry];
    Subject subject{.entry = &entry, .id = gated.id, .kernel = &result.kernels[gated.kernel]};
    work_out(subject, {.gate = &gate, .result = &result});
    if (subject.medians.size() < 4 || subject.time_state == TimeState::impossible)
      test.too_few.push_back(gated.id);
    else
      test.rows.push_back(row_for(gate, entry, gated.id, subject.medians));
  }
  return test;
}

}  // namespace roofline
