#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {
namespace {

/// "max_time_over_floor" -> "time over floor"; of rows that are no assertion their own name.
std::string phrase_of(const AssertionResult& row) {
  const auto dot = row.assertion.find('.');
  const std::string_view name = std::string_view(row.assertion).substr(0, dot);
  // No session stands behind it: it was measured by turns with the old program.
  const bool by_turns = row.value && row.sessions == 0;
  if (by_turns && name == describe(AssertionKind::max_regression_pct).name)
    return "against the old program";
  for (const auto& entry : assertions())
    if (entry.name == name)
      return dot == std::string::npos
                 ? std::string(entry.phrase)
                 : fmt::format("{} {}", row.assertion.substr(dot + 1), entry.phrase);
  return row.assertion;
}

bool is(const AssertionResult& row, AssertionKind kind) {
  return row.assertion == describe(kind).name;
}

/// The shortest figure that still tells a broken limit from its limit: 1.3 against 1.3 explains
/// nothing.
std::string figure(double value, GateUnit unit) {
  if (unit == GateUnit::ratio) return fmt::format("{:.2f}", value);
  if (unit == GateUnit::percent)
    return value_text(std::abs(value) < 10 ? std::round(value * 10) / 10 : std::round(value), unit);
  return value_text(value, unit);
}
struct Figures {
  std::string value, limit;
};
Figures figures(const AssertionResult& row) {
  Figures f{figure(*row.value, row.unit), row.limit ? figure(*row.limit, row.unit) : std::string()};
  if (row.limit) f.limit = value_text(*row.limit, row.unit);
  if (f.value == f.limit && *row.value != *row.limit)
    f.value = row.unit == GateUnit::ratio || row.unit == GateUnit::count
                  ? fmt::format("{:.6g}", *row.value)
              : row.unit == GateUnit::percent ? fmt::format("{:.6g} %", *row.value)
                                              : value_text(*row.value, row.unit);
  return f;
}

std::string change_text(const std::string& value, double number) {
  return number > 0 && value != "0 %" ? '+' + value : value;
}

}  // namespace

std::string assertion_phrase(const AssertionResult& row) {
  const auto phrase = phrase_of(row);
  if (!row.value_text.empty() && row.limit_text.empty())
    return fmt::format("{} {}", phrase, printable(row.value_text));
  if (is(row, AssertionKind::code_unchanged))
    return row.outcome == Outcome::pass ? "machine code unchanged" : phrase;
  if (!row.value_text.empty() && row.outcome == Outcome::pass)
    return fmt::format("{} {}", phrase, printable(row.value_text));
  if (!row.value_text.empty())
    return fmt::format("{} {} (allowed: {})", phrase, printable(row.value_text), row.limit_text);
  if (!row.value) return phrase;
  const auto f = figures(row);
  const std::string limit =
      row.limit ? fmt::format(" ({} {})", row.at_least ? "at least" : "limit", f.limit)
                : std::string();
  if (is(row, AssertionKind::max_regression_pct) || is(row, AssertionKind::max_drift_pct))
    return fmt::format("{} {}{}", change_text(f.value, *row.value), phrase, limit);
  if (is(row, AssertionKind::max_launches) || is(row, AssertionKind::min_pct_of_ceiling) ||
      row.assertion == "launches")
    return fmt::format("{} {}{}", f.value, phrase, limit);
  return fmt::format("{} {}{}", phrase, f.value, limit);
}

std::string assertion_sentence(const AssertionResult& row) {
  const auto phrase = assertion_phrase(row);
  // A row without a value is what its text says: "match: no launch matches ..." would only repeat
  // its kind.
  if (row.text.empty()) return phrase;
  if (row.outcome == Outcome::fresh) return row.text;
  const bool bare = !row.value && row.value_text.empty();
  const bool known =
      std::any_of(assertions().begin(), assertions().end(), [&](const AssertionEntry& a) {
        return std::string_view(row.assertion).substr(0, row.assertion.find('.')) == a.name;
      });
  if (bare && !known) return row.text;
  return fmt::format("{}: {}", phrase, row.text);
}

std::string_view gate_headline(const GateResult& result) {
  switch (result.status) {
    case Outcome::error: return "ERROR";
    case Outcome::fail: return "FAIL";
    case Outcome::inconclusive: return "UNDECIDED";
    default: return "PASS";
  }
}

std::string gate_summary(const GateResult& result) {
  const auto plural = [](std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  std::set<std::string_view> failing;
  std::size_t broken = 0;
  for (const auto& row : result.results)
    if (row.outcome == Outcome::fail) {
      ++broken;
      failing.insert(row.id);
    }
  std::vector<std::string> parts;
  if (const auto errors = result.count(Outcome::error))
    parts.push_back(plural(errors, "error", "errors"));
  if (broken > 0)
    parts.push_back(fmt::format("{} {} {}", plural(failing.size(), "entry", "entries"),
                                failing.size() == 1 ? "breaks" : "break",
                                plural(broken, "limit", "limits")));
  if (const auto n = result.count(Outcome::inconclusive))
    parts.push_back(fmt::format("{} undecided", n));
  if (const auto n = result.count(Outcome::pass))
    parts.push_back(broken > 0 || result.count(Outcome::error) > 0
                        ? plural(n, "holds", "hold")
                        : plural(n, "limit holds", "limits hold"));
  if (const auto n = result.count(Outcome::fresh)) parts.push_back(fmt::format("{} new", n));
  if (const auto n = result.count(Outcome::skip)) parts.push_back(fmt::format("{} skipped", n));
  if (const auto n = result.count(Outcome::quarantined))
    parts.push_back(fmt::format("{} in quarantine", n));
  if (parts.empty()) return "nothing was held";
  return joined(parts, "; ");
}

}  // namespace roofline
