#include "report/audit/summary.hpp"

#include <algorithm>

namespace roofline::audit_rows {
namespace {

void add_to(AuditGroup& group, const AuditedRow& row) {
  const auto& measured = *row.verdict->measured;
  ++group.rows;
  if (row.flagged()) ++group.flagged;
  ++group.by_status[static_cast<std::size_t>(measured.status)];
  ++group.by_bound[static_cast<std::size_t>(row.verdict->bound)];
  if (row.rates_only) return;  // its second says nothing of how long anything took
  group.time += measured.time;
  group.floor += row.verdict->floor.time;
}

AuditGroup& group_of(std::map<std::string, AuditGroup, std::less<>>& groups, std::string_view name) {
  if (const auto known = groups.find(name); known != groups.end()) return known->second;
  return groups[groups.size() < kMostGroups ? std::string(name) : std::string("other")];
}

NotableRow notable_of(const AuditedRow& row, std::string shape) {
  const auto& verdict = *row.verdict;
  return {.row = row.row,
          .line = row.line,
          .name = std::string(row.name),
          .op = std::string(row.op),
          .gpu = row.gpu->id,
          .shape = std::move(shape),
          .time = verdict.measured->time,
          .floor = verdict.floor.time,
          .attainable = verdict.attainable,
          .bound = verdict.bound,
          .status = verdict.measured->status,
          .causes = verdict.measured->causes};
}

/// Times over floors: the row furthest below its floor first. A row without a floor (an empty problem) comes last.
double below_floor(const NotableRow& row) { return row.floor > Seconds(0) ? row.time / row.floor : 1e300; }
double above_floor(const NotableRow& row) { return (row.time - row.floor).value(); }

/// Keeps the first `most` rows in the order of `less`, ties in row order.
template <class Less>
void keep_in(std::vector<NotableRow>& list, NotableRow row, std::size_t most, Less less) {
  list.insert(std::upper_bound(list.begin(), list.end(), row, less), std::move(row));
  if (list.size() > most) list.pop_back();
}

}  // namespace

void Summing::add(const AuditedRow& row, const std::function<std::string()>& shape) {
  ++summary_.rows;
  if (!row.judged()) {
    auto& skipped = summary_.skipped[static_cast<std::size_t>(row.reason)];
    if (skipped.count++ == 0) skipped.first_line = row.line, skipped.detail = row.detail;
    return;
  }
  add_judged(row);
  keep(row, shape);
}

void Summing::add_judged(const AuditedRow& row) {
  add_to(summary_.all, row);
  add_to(group_of(summary_.by_gpu, row.gpu->id), row);
  add_to(group_of(summary_.by_op, row.op), row);
  if (row.counts_differ) ++summary_.counts_differ;
  if (row.timing_unknown) ++summary_.timing_unknown;
  if (row.flagged()) ++summary_.by_cause[row.verdict->measured->causes.front().code];
}

void Summing::keep(const AuditedRow& row, const std::function<std::string()>& shape) {
  if (notable_ == 0) return;
  const auto& verdict = *row.verdict;
  if (row.flagged()) {
    const double ratio = verdict.floor.time > Seconds(0) ? verdict.measured->time / verdict.floor.time : 1e300;
    const auto less = [](const NotableRow& a, const NotableRow& b) { return below_floor(a) < below_floor(b); };
    if (summary_.flagged.size() < notable_ || ratio < below_floor(summary_.flagged.back()))
      keep_in(summary_.flagged, notable_of(row, shape()), notable_, less);
    return;
  }
  if (row.rates_only) return;
  const double lost = (verdict.measured->time - verdict.floor.time).value();
  const auto less = [](const NotableRow& a, const NotableRow& b) { return above_floor(a) > above_floor(b); };
  if (summary_.slowest.size() < notable_ || lost > above_floor(summary_.slowest.back()))
    keep_in(summary_.slowest, notable_of(row, shape()), notable_, less);
}

}  // namespace roofline::audit_rows
