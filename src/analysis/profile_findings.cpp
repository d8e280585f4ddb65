#include "roofline/analysis/profile_findings.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/counter_findings.hpp"
#include "roofline/kernel/kernel_kind.hpp"

namespace roofline {
namespace {

Seconds median_of(std::vector<Seconds> values) {
  if (values.empty()) return Seconds(0);
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<Seconds> medians_of(const std::vector<TimeSummary>& runs) {
  std::vector<Seconds> medians;
  for (const auto& run : runs)
    if (run.count > 0) medians.push_back(run.median);
  return medians;
}

/// A run of which only sums are known. nullopt: it has no quartiles.
std::optional<TimeSummary> summary_of(const SummedTimes& run) {
  if (!run.q1 || !run.q3 || !run.median || run.launches == 0) return std::nullopt;
  return TimeSummary{.count = run.launches,
                     .min = run.least.value_or(*run.q1),
                     .q1 = *run.q1,
                     .median = *run.median,
                     .q3 = *run.q3,
                     .max = run.most.value_or(*run.q3),
                     .sum = run.total};
}

KernelFinding times_of(const ProfiledKernel& seen, Seconds all) {
  KernelFinding finding;
  finding.seen = &seen;
  finding.id = seen.name;
  for (const auto& run : seen.runs) finding.runs.push_back(run.summary());
  auto medians = medians_of(finding.runs);
  if (medians.empty() && !seen.sums.empty()) {
    finding.runs.clear();
    for (const auto& run : seen.sums) {
      if (run.launches > 0) medians.push_back(run.typical());
      if (const auto summary = summary_of(run)) finding.runs.push_back(*summary);
    }
  }
  finding.time = median_of(medians);
  if (all > Seconds(0)) finding.time_share = seen.time() / all;
  if (medians.size() > 1 && finding.time > Seconds(0)) {
    const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
    finding.run_spread = (*most - *least) / finding.time;
  }
  return finding;
}

/// The entry with the time that was measured, judged.
Errors judge_bound(KernelFinding& finding, const Kernel& entry, const Ceilings& ceilings) {
  finding.id = entry.name;
  finding.kernel = entry;
  auto& kernel = *finding.kernel;
  kernel.time.reset();
  if (finding.time > Seconds(0)) kernel.time = finding.time;
  kernel.samples = Count(finding.seen->launches);
  kernel.timing = Timing::kernel;
  auto verdict = judge(kernel, ceilings);
  if (!verdict) return {std::move(verdict.error())};
  finding.verdict = std::move(*verdict);
  finding.levers = levers(kernel, *finding.verdict, ceilings);
  finding.notes = notes(kernel, *finding.verdict, ceilings);
  return {};
}

/// What one execution of an operation took: its kernels one after the other.
Seconds time_of(const OperationWork& work, const Profiled& profile) {
  Seconds sum;
  for (const auto index : work.seen) {
    const auto& seen = profile.kernels[index];
    sum += seen.typical_time() *
           (static_cast<double>(seen.launches) / static_cast<double>(work.executions));
  }
  return sum;
}

/// Puts the verdict on an operation at the kernel that took most of its time. A pipe that the GPU
/// has no figure for leaves the kernel without a verdict.
void judge_operation(ProfileFindings& findings, const OperationWork& work, const Profiled& profile,
                     const FindingOptions& options) {
  auto& main = findings.kernels[work.seen.front()];
  main.id = work.kernel.name;
  auto kernel = work.kernel;
  const auto time = time_of(work, profile);
  kernel.time.reset();
  if (time > Seconds(0)) kernel.time = time;
  kernel.samples = Count(work.executions);
  kernel.timing = Timing::kernel;
  if (options.ceilings) {
    auto verdict = judge(kernel, *options.ceilings);
    if (!verdict) {
      main.unmatched = "no_rate_of_this_gpu";
      return;
    }
    main.verdict = std::move(*verdict);
    main.levers = levers(kernel, *main.verdict, *options.ceilings);
    main.notes = notes(kernel, *main.verdict, *options.ceilings);
  }
  main.kernel = std::move(kernel);
  for (const auto index : work.seen) {
    auto& part = findings.kernels[index];
    ++findings.matched;
    findings.time_share_matched += part.time_share;
    part.unmatched.clear();
    if (&part != &main) part.part_of = work.seen.front();
  }
}

std::vector<ProfileFindings::Unmatched> unmatched_by_reason(const ProfileFindings& findings) {
  std::map<std::string, ProfileFindings::Unmatched> by_reason;
  for (const auto& finding : findings.kernels) {
    if (finding.matched() || finding.unmatched.empty()) continue;
    auto& row = by_reason[finding.unmatched];
    row.reason = finding.unmatched;
    row.launches += finding.seen->launches + finding.seen->invalid_times;
    row.time_share += finding.time_share;
  }
  std::vector<ProfileFindings::Unmatched> rows;
  for (auto& [reason, row] : by_reason) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.time_share > b.time_share; });
  return rows;
}

// ---------------------------------------------------------------- the run as a whole

const DeviceActivity* longest(const Profiled& profile, long long run) {
  const DeviceActivity* found = nullptr;
  for (const auto& activity : profile.activity) {
    const auto& process = profile.processes[activity.process];
    if (process.run != run || process.mode == kCounterMode) continue;
    if (!found || activity.span > found->span) found = &activity;
  }
  return found;
}

std::vector<long long> timed_runs(const Profiled& profile) {
  std::vector<long long> runs;
  for (const auto& process : profile.processes)
    if (process.mode != kCounterMode && process.launches > 0) runs.push_back(process.run);
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

Bound bound_of(const SequenceFinding& s, const std::vector<KernelFinding>& kernels) {
  if (s.waits_for_launches()) return Bound::overhead;
  std::array<Seconds, 5> by_bound{};
  Seconds judged, all;
  for (const auto& finding : kernels) {
    const auto time = finding.seen->time();
    all += time;
    if (!finding.verdict) continue;
    judged += time;
    by_bound[static_cast<std::size_t>(finding.verdict->bound)] += time;
  }
  if (judged <= 0.5 * all) return Bound::unknown;
  return static_cast<Bound>(std::max_element(by_bound.begin(), by_bound.end()) - by_bound.begin());
}

std::optional<SequenceFinding> sequence_of(const Profiled& profile,
                                           const std::vector<KernelFinding>& kernels) {
  std::vector<std::pair<Seconds, const DeviceActivity*>> runs;
  for (const auto run : timed_runs(profile))
    if (const auto* activity = longest(profile, run)) runs.emplace_back(activity->span, activity);
  if (runs.empty()) return std::nullopt;
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto& activity = *runs[(runs.size() - 1) / 2].second;
  const auto& process = profile.processes[activity.process];
  SequenceFinding s;
  s.process = activity.process;
  s.activity = static_cast<std::size_t>(&activity - profile.activity.data());
  s.span = activity.span;
  s.busy = activity.busy;
  s.idle = activity.idle();
  s.idle_launching = activity.idle_launching;
  s.idle_profiler = activity.idle_profiler;
  s.launches = activity.launches;
  s.launch_calls = process.launch_calls;
  s.graph_launches = process.graph_launches;
  s.launching = process.launching;
  const auto calls = s.launch_calls + s.graph_launches;
  if (calls > 0) s.launch_cost = s.launching / static_cast<double>(calls);
  s.as_graph =
      s.span - s.idle_launching + (s.idle_launching > Seconds(0) ? s.launch_cost : Seconds(0));
  s.bound = bound_of(s, kernels);
  return s;
}

// ---------------------------------------------------------------- ranks

std::optional<RankSummary> ranks_of(const Profiled& profile,
                                    const std::vector<KernelFinding>& kernels) {
  const auto runs = timed_runs(profile);
  if (runs.empty()) return std::nullopt;
  std::map<long long, RankFinding> by_rank;
  for (std::size_t p = 0; p < profile.processes.size(); ++p) {
    const auto& process = profile.processes[p];
    if (!process.rank || process.run != runs.front() || process.launches == 0) continue;
    auto& rank = by_rank[*process.rank];
    rank.rank = *process.rank;
    rank.host = process.host;
    for (const auto& finding : kernels)
      (finding.kind == kCommunicationKind ? rank.communication : rank.own) +=
          finding.seen->rank_time[p];
    for (const auto& activity : profile.activity) {
      if (activity.process != p) continue;
      rank.span = std::max(rank.span, activity.span);
      rank.busy += activity.busy;
    }
  }
  if (by_rank.size() < 2) return std::nullopt;
  RankSummary summary;
  std::vector<Seconds> own;
  for (auto& [number, rank] : by_rank) {
    own.push_back(rank.own);
    summary.ranks.push_back(std::move(rank));
  }
  summary.straggler =
      static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
  summary.least = *std::min_element(own.begin(), own.end());
  summary.most = own[summary.straggler];
  summary.median = median_of(own);
  if (summary.median > Seconds(0)) summary.imbalance = summary.most / summary.median;
  return summary;
}

}  // namespace

Checked<ProfileFindings> find(const Profiled& profile, std::span<const Kernel> entries,
                              const LaunchBinding& binding, const FindingOptions& options) {
  ProfileFindings findings;
  Errors errors;
  const auto all = profile.kernel_time();
  for (std::size_t k = 0; k < profile.kernels.size(); ++k) {
    auto finding = times_of(profile.kernels[k], all);
    if (options.kind_of) finding.kind = options.kind_of(profile.kernels[k]);
    if (const auto entry = binding.entry_of[k]) {
      ++findings.matched;
      findings.time_share_matched += finding.time_share;
      finding.id = entries[*entry].name;
      if (options.ceilings) {
        auto failed = judge_bound(finding, entries[*entry], *options.ceilings);
        errors.insert(errors.end(), failed.begin(), failed.end());
      }
    }
    if (!finding.kernel && options.unmatched_of)
      finding.unmatched = options.unmatched_of(profile.kernels[k]);
    findings.kernels.push_back(std::move(finding));
  }
  for (const auto& work : options.operations) judge_operation(findings, work, profile, options);
  for (auto& finding : findings.kernels) {
    add_counters(finding, options.ceilings);
    if (findings.peak_mismatches.empty() && finding.counters && options.ceilings)
      findings.peak_mismatches = peak_mismatches(*finding.counters, options.ceilings->gpu());
  }
  findings.unmatched = unmatched_by_reason(findings);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (binding.seen_by[e].empty()) findings.unbound_entries.push_back(e);
  findings.sequence = sequence_of(profile, findings.kernels);
  findings.ranks = ranks_of(profile, findings.kernels);
  return findings;
}

}  // namespace roofline
