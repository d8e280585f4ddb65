#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "report/chart/numbering.hpp"
#include "roofline/base/text.hpp"
#include "roofline/report/chart.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostLines = 20;

/// The longest time that a row allows, in seconds; nullopt: the limit is no time.
std::optional<double> allowed_time(const AssertionResult& row) {
  if (!row.limit) return std::nullopt;
  const double limit = *row.limit;
  if (row.assertion == "max_time") return limit;
  if (row.assertion == "max_time_over_floor" && row.floor) return limit * row.floor->value();
  if (row.assertion == "min_pct_of_ceiling" && row.floor && limit > 0)
    return row.floor->value() * 100 / limit;
  // The value is the change against the baseline, so the baseline's time follows from it.
  if (row.assertion == "max_regression_pct" && row.time && row.value && *row.value > -100)
    return row.time->value() / (1 + *row.value / 100) * (1 + limit / 100);
  return std::nullopt;
}

void take_row(const AssertionResult& row, ChartKernel& kernel) {
  kernel.outcome = kernel.outcome ? std::max(*kernel.outcome, row.outcome) : row.outcome;
  if (const auto limit = allowed_time(row))
    kernel.time_limit_s = std::min(kernel.time_limit_s.value_or(*limit), *limit);
}

/// Where a kernel's rows are found: by the entry's name, else by the function that matched.
using KernelIndex = std::multimap<std::string_view, ChartKernel*>;

std::vector<std::string> lines_of(const GateResult& result) {
  std::vector<const AssertionResult*> rows;
  for (const auto& row : result.results)
    if (row.outcome >= Outcome::inconclusive) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    const auto lost = [](const AssertionResult& row) { return row.lost ? row.lost->value() : 0; };
    return a->outcome != b->outcome ? a->outcome > b->outcome : lost(*a) > lost(*b);
  });
  std::vector<std::string> lines;
  for (const auto* row : rows) {
    if (lines.size() == kMostLines) break;
    auto line = fmt::format("{}: ", outcome_name(row->outcome));
    if (!row->id.empty()) line += chart_name(row->id) + ": ";
    lines.push_back(line + chart_name(assertion_sentence(*row)));
  }
  if (rows.size() > kMostLines)
    lines.push_back(fmt::format("and {} more", rows.size() - kMostLines));
  return lines;
}

}  // namespace

void set_gate(Chart& chart, const GateResult& result) {
  chart.gate =
      ChartGate{result.status, fmt::format("{}: {}", gate_headline(result), gate_summary(result)),
                lines_of(result)};
  KernelIndex by_label, by_function;
  for (auto& kernel : chart.kernels) {
    by_label.emplace(kernel.label, &kernel);
    if (!kernel.function.empty()) by_function.emplace(kernel.function, &kernel);
  }
  for (const auto& row : result.results) {
    if (row.id.empty()) continue;  // about the gate as a whole
    auto [from, to] = by_label.equal_range(row.id);
    if (from == to && !row.kernel.empty()) std::tie(from, to) = by_function.equal_range(row.kernel);
    // A history of the entry is one of the kernel only where the entry is about one kernel.
    if (from != to && std::next(from) == to) from->second->gate_id = row.id;
    for (; from != to; ++from) take_row(row, *from->second);
  }
}

}  // namespace roofline
