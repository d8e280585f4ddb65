#include "report/gate/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/gate/untrusted.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLineWidth = 1000, kMostLines = 12;

double lost_of(const AssertionResult& row) {
  const double lost = row.lost ? row.lost->value() : 0;
  return std::isfinite(lost) ? lost : 0;
}

}  // namespace

std::vector<const AssertionResult*> worst_first(const GateResult& result) {
  std::vector<const AssertionResult*> rows;
  for (const auto& row : result.results)
    if (row.outcome != Outcome::pass) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    if (a->outcome != b->outcome) return a->outcome > b->outcome;
    return lost_of(*a) > lost_of(*b);
  });
  return rows;
}

std::vector<const AssertionResult*> that_pass(const GateResult& result) {
  std::vector<const AssertionResult*> rows;
  for (const auto& row : result.results)
    if (row.outcome == Outcome::pass) rows.push_back(&row);
  return rows;
}

std::string row_name(const AssertionResult& row, std::size_t width) {
  return row.id.empty() ? "gate" : fitted_middle(row.id, width);
}

std::string gpu_label(const GateResult& result) {
  if (!result.gpu_id.empty()) return fitted(result.gpu_id, 100);
  if (!result.gpu_name.empty()) return fitted(result.gpu_name, 100);
  return result.runs > 0 ? "gpu" : "static";
}

std::vector<std::string> unique_assertions(const GateResult& result) {
  constexpr std::size_t kWidth = 300;
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  std::vector<std::string> names;
  names.reserve(result.results.size());
  for (const auto& row : result.results) {
    const int times = ++seen[{row.id, row.assertion}];
    names.push_back(fitted(row.assertion, kWidth) +
                    (times > 1 ? fmt::format(" ({})", times) : std::string()));
  }
  return names;
}

bool is_regression(const AssertionResult& row) {
  return row.assertion == "max_regression_pct" || row.assertion == "max_drift_pct";
}

std::vector<std::string> row_lines(const AssertionResult& row) {
  std::vector<std::string> lines = {fitted(assertion_sentence(row), kLineWidth)};
  for (const auto& more : row.more) {
    if (lines.size() >= kMostLines) break;
    lines.push_back(fitted(more, kLineWidth));
  }
  if (!row.hint.empty()) lines.push_back("help: " + fitted(row.hint, kLineWidth));
  return lines;
}

}  // namespace roofline
