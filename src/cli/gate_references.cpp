#include "cli/gate_references.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "roofline/analysis/baseline.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kRecorded = "roofline.baseline.json",
                           kPinned = "roofline.baseline.release.json";

std::string beside(const GateFile& gate, std::string_view name) {
  return (std::filesystem::path(gate.file).parent_path() / name).string();
}

GateReference reference_of(const BaselineEntry& entry) {
  GateReference reference;
  reference.sessions = session_times(entry);
  reference.code_hash = entry.code_hash;
  reference.method = entry.method;
  reference.mig = entry.machine.mig;
  reference.grid = entry.grid;
  reference.block = entry.block;
  if (entry.dram_bytes) reference.dram_bytes = Bytes(*entry.dram_bytes);
  reference.power_limit_w = entry.machine.power_limit_w;
  reference.ecc = entry.machine.ecc;
  return reference;
}

/// Days of the civil calendar since 1970-01-01. `date` is "2026-11-30".
std::optional<long> day_number(const std::string& date) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(date.c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3) return std::nullopt;
  const std::chrono::year_month_day civil{std::chrono::year(year), std::chrono::month(month),
                                          std::chrono::day(day)};
  if (!civil.ok()) return std::nullopt;
  return std::chrono::sys_days(civil).time_since_epoch().count();
}

/// Every line of the machine, also those that may not be compared with this run: the gate says why.
void take(const Baseline& baseline, const ResultRecord& result,
          std::map<std::string, GateReference, std::less<>>& references) {
  const auto machine = machine_of(result);
  const auto method = method_of(result);
  for (const auto& entry : baseline.entries) {
    if (references.count(entry.id) != 0) continue;
    const auto match = find_in_baseline(baseline, entry.id, machine, method);
    if (match.entry) references.emplace(entry.id, reference_of(*match.entry));
  }
}

BaselineSummary summary_of(const Baseline& baseline,
                           const std::map<std::string, GateReference, std::less<>>& references,
                           const std::string& today) {
  BaselineSummary summary{.file = baseline.file};
  std::string newest;
  for (const auto& entry : baseline.entries) {
    if (references.count(entry.id) == 0 || entry.sessions.empty()) continue;
    summary.sessions = std::max(summary.sessions, static_cast<int>(entry.sessions.size()));
    newest = std::max(newest, entry.sessions.back().date);
  }
  const auto now = day_number(today), then = day_number(newest);
  if (now && then) summary.age_days = static_cast<int>(std::max(0L, *now - *then));
  return summary;
}

/// nullopt: there is none.
std::optional<Baseline> read_one(const std::string& named, const std::string& usual,
                                 Errors& errors) {
  std::error_code error;
  if (named.empty() && !std::filesystem::exists(usual, error)) return std::nullopt;
  auto baseline = read_baseline_file(named.empty() ? usual : named);
  if (baseline) return std::move(*baseline);
  std::move(baseline.error().begin(), baseline.error().end(), std::back_inserter(errors));
  return std::nullopt;
}

}  // namespace

Errors read_references(const GateArgs& args, const GateFile& gate, const ResultRecord& result,
                       const std::string& today, GateReferences& references) {
  Errors errors;
  references = {};
  if (const auto baseline = read_one(args.baseline, beside(gate, kRecorded), errors)) {
    take(*baseline, result, references.recorded);
    references.summary = summary_of(*baseline, references.recorded, today);
  }
  if (const auto baseline = read_one(args.pinned, beside(gate, kPinned), errors))
    take(*baseline, result, references.pinned);
  return errors;
}

void refer(const GateReferences& references, GateInputs& inputs) {
  const auto lookup = [](const std::map<std::string, GateReference, std::less<>>& lines) {
    return [&lines](std::string_view id) -> const GateReference* {
      const auto at = lines.find(id);
      return at == lines.end() ? nullptr : &at->second;
    };
  };
  if (!references.recorded.empty()) inputs.baseline = lookup(references.recorded);
  if (!references.pinned.empty()) inputs.pinned = lookup(references.pinned);
  inputs.baseline_summary = references.summary;
}

}  // namespace roofline::cli
