#include "analysis/gate/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/gate/selector.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

std::string quoted_name(std::string_view name) {
  return '"' + shortened(printable(name.substr(0, 1000)), 80) + '"';
}

/// An ordinal picks one of those that match, in the order of the result.
void keep_ordinal(const Selector& selector, std::vector<std::size_t>& kernels) {
  if (!selector.ordinal) return;
  const auto n = static_cast<std::size_t>(*selector.ordinal);
  if (n > kernels.size())
    kernels.clear();
  else
    kernels = {kernels[n - 1]};
}

std::optional<std::int64_t> launches_of(const ResultKernel& kernel) {
  if (kernel.launches) return kernel.launches;
  if (!kernel.measured) return std::nullopt;
  std::int64_t sum = 0;
  for (const auto& run : kernel.measured->runs) {
    if (!run.launches) return std::nullopt;
    sum += *run.launches;
  }
  return kernel.measured->runs.empty() ? std::nullopt : std::optional(sum);
}

std::string launches_text(const ResultKernel& kernel) {
  const auto launches = launches_of(kernel);
  return launches ? fmt::format(" ({} launch{})", *launches, *launches == 1 ? "" : "es")
                  : std::string();
}

AssertionResult entry_row(const GateEntry& entry, std::string_view what) {
  AssertionResult row = row_of({.entry = &entry, .id = entry.id}, what);
  row.line = entry.match_place.line, row.column = entry.match_place.column,
  row.length = entry.match_place.length;
  return row;
}

/// A kernel that no entry names and whose machine code is the baseline's of this entry.
const ResultKernel* renamed(const GateInputs& inputs, const GateEntry& entry,
                            const Matching& matching) {
  if (!inputs.baseline) return nullptr;
  const auto* reference = inputs.baseline(entry.id);
  if (!reference || reference->code_hash.empty()) return nullptr;
  const auto& kernels = inputs.result->kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (matching.entries[i].empty() && kernels[i].code_hash == reference->code_hash)
      return &kernels[i];
  return nullptr;
}

void add_near_names(const GateInputs& inputs, const GateEntry& entry, const Matching& matching,
                    AssertionResult& row) {
  const auto& kernels = inputs.result->kernels;
  if (const auto* same = renamed(inputs, entry, matching)) {
    row.more.push_back(
        fmt::format("nearest: {}{}, and its machine code equals the baseline's: renamed?",
                    quoted_name(same->name), launches_text(*same)));
    row.hint = fmt::format("match: {{name: {}}}", shortened(printable(same->name), 80));
    return;
  }
  if (entry.match.name.empty()) return;
  std::vector<std::string_view> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  const auto near = near_names(entry.match.name, names);
  if (near.empty()) return;
  const auto at = std::find_if(kernels.begin(), kernels.end(),
                               [&](const ResultKernel& k) { return k.name == near.front(); });
  row.more.push_back("nearest: " + quoted_name(near.front()) +
                     (at != kernels.end() ? launches_text(*at) : std::string()));
}

/// Launches of each run, over all kernels of the entry. Empty: not known.
std::vector<std::int64_t> launches_by_run(const ResultRecord& result,
                                          const std::vector<std::size_t>& kernels) {
  std::vector<std::int64_t> sums;
  for (const auto index : kernels) {
    const auto& kernel = result.kernels[index];
    const bool has_runs = kernel.measured && !kernel.measured->runs.empty();
    if (!has_runs && !kernel.launches) return {};
    if (!has_runs) {
      sums.resize(std::max<std::size_t>(1, sums.size()));
      sums.front() += *kernel.launches;
      continue;
    }
    const auto& runs = kernel.measured->runs;
    sums.resize(std::max(runs.size(), sums.size()));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].launches) return {};
      sums[i] += *runs[i].launches;
    }
  }
  return sums;
}

}  // namespace

Matching match_kernels(const GateFile& gate, const ResultRecord& result) {
  Matching matching;
  matching.kernels.resize(gate.entries.size());
  matching.entries.resize(result.kernels.size());
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < result.kernels.size(); ++i)
    by_name[result.kernels[i].name].push_back(i);
  for (std::size_t e = 0; e < gate.entries.size(); ++e) {
    const auto& entry = gate.entries[e];
    if (entry.section != GateSection::kernel) continue;
    auto& found = matching.kernels[e];
    if (!entry.match.name.empty()) {
      if (const auto at = by_name.find(entry.match.name); at != by_name.end())
        for (const auto i : at->second)
          if (matches(entry.match, result.kernels[i])) found.push_back(i);
    } else {
      for (std::size_t i = 0; i < result.kernels.size(); ++i)
        if (matches(entry.match, result.kernels[i])) found.push_back(i);
    }
    keep_ordinal(entry.match, found);
    for (const auto i : found) matching.entries[i].push_back(e);
  }
  return matching;
}

void report_overlaps(const GateFile& gate, const ResultRecord& result, const Matching& matching,
                     std::vector<AssertionResult>& rows) {
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>>
      pairs;  // -> first kernel, count
  for (std::size_t i = 0; i < matching.entries.size(); ++i)
    for (std::size_t k = 1; k < matching.entries[i].size(); ++k) {
      const auto [at, is_new] =
          pairs.emplace(std::pair(matching.entries[i][0], matching.entries[i][k]), std::pair(i, 0));
      ++at->second.second;
    }
  for (const auto& [entries, seen] : pairs) {
    const auto &first = gate.entries[entries.first], &second = gate.entries[entries.second];
    auto row = entry_row(second, "match");
    row.kernel = result.kernels[seen.first].name;
    refuse(row, Outcome::error, Code::ambiguous_match,
           fmt::format(
               "both {} and {} match {}{}", first.id, second.id, quoted_name(row.kernel),
               seen.second > 1 ? fmt::format(" and {} more", seen.second - 1) : std::string()));
    row.hint = "make one of the two selectors narrower; the order of the file never decides";
    rows.push_back(std::move(row));
  }
}

AssertionResult missing_row(const GateInputs& inputs, const GateEntry& entry,
                            const Matching& matching, bool search) {
  auto row = entry_row(entry, "match");
  const bool skip = inputs.gate->policy.missing == MissingPolicy::skip;
  const auto& result = *inputs.result;
  if (entry.section == GateSection::range) {
    refuse(row, skip ? Outcome::skip : Outcome::fail, Code::missing_kernel,
           entry.match.everything ? std::string("the results hold no totals of the whole program")
                                  : "no range is named " + quoted_name(entry.match.nvtx));
    std::vector<std::string_view> names;
    for (const auto& range : result.ranges) names.push_back(range.name);
    row.hint = did_you_mean(entry.match.nvtx, names);
    return row;
  }
  const auto seen = result.kernels.size();
  refuse(row, skip ? Outcome::skip : Outcome::fail, Code::missing_kernel,
         fmt::format("no launch matches {} ({} kernel{} seen)", entry.match.text, seen,
                     seen == 1 ? "" : "s"));
  if (search) add_near_names(inputs, entry, matching, row);
  return row;
}

std::optional<AssertionResult> launch_count_row(const GateEntry& entry, const ResultRecord& result,
                                                const std::vector<std::size_t>& kernels) {
  if (!entry.match.one_of.empty()) {
    std::vector<std::string> ran;
    for (const auto& alternative : entry.match.one_of)
      if (std::any_of(kernels.begin(), kernels.end(),
                      [&](std::size_t i) { return matches(alternative, result.kernels[i]); }))
        ran.push_back(alternative.text);
    if (ran.size() != 1) {
      auto row = entry_row(entry, "one_of");
      row.value = static_cast<double>(ran.size()), row.limit = 1, row.unit = GateUnit::count;
      refuse(row, Outcome::fail, Code::launch_count,
             fmt::format("{} of the alternatives ran: {}", ran.size(), joined(ran)));
      return row;
    }
  }
  if (!entry.launches) return std::nullopt;
  auto row = entry_row(entry, "launches");
  row.limit = static_cast<double>(*entry.launches), row.unit = GateUnit::count;
  const auto counts = launches_by_run(result, kernels);
  if (counts.empty()) {
    refuse(row, Outcome::error, Code::value_absent, "the results hold no number of launches");
    return row;
  }
  row.runs = static_cast<int>(counts.size());
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*least != *most) {
    refuse(row, Outcome::error, Code::launches_vary,
           fmt::format("launches vary between runs: {}..{}", *least, *most));
    return row;
  }
  row.value = static_cast<double>(*least);
  if (*least != *entry.launches)
    refuse(row, Outcome::fail, Code::launch_count,
           fmt::format("{} launches a run of {} kernel{}, {} expected", *least, kernels.size(),
                       kernels.size() == 1 ? "" : "s", *entry.launches));
  return row;
}

std::vector<double> time_shares(const ResultRecord& result) {
  std::vector<double> shares;
  shares.reserve(result.kernels.size());
  const bool given = std::all_of(result.kernels.begin(), result.kernels.end(),
                                 [](const ResultKernel& k) { return k.time_share.has_value(); });
  double total = 0;
  for (const auto& kernel : result.kernels) {
    if (given) {
      shares.push_back(*kernel.time_share);
      continue;
    }
    const auto launches = launches_of(kernel);
    auto medians = medians_of(kernel);
    if (!launches || medians.empty()) return {};
    shares.push_back(static_cast<double>(*launches) * median_of(std::move(medians)));
    total += shares.back();
  }
  if (given) return shares;
  if (!(total > 0)) return {};
  for (auto& share : shares) share /= total;
  return shares;
}

}  // namespace roofline
