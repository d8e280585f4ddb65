#include <algorithm>

#include "analysis/gate/hold.hpp"

namespace roofline {
namespace {

std::string noisy_text(const Case& c, const TimeTest& test) {
  auto text =
      fmt::format("runs spread {} %, limit {}: cannot decide",
                  format_number(std::round(test.spread * 1000) / 10), limit_text(c.assertion));
  if (test.workable_limit)
    text += fmt::format("; a limit of {} % could",
                        format_number(std::round(*test.workable_limit * 1000) / 10));
  return text;
}

struct ReasonEntry {
  TimeReason reason;
  Outcome outcome;
  Code code;
  std::string (*text)(const Case&, const TimeTest&);
};

constexpr ReasonEntry kReasons[] = {
    {TimeReason::none, Outcome::inconclusive, Code::too_near_the_limit,
     [](const Case&, const TimeTest& t) { return fmt::format("undecided after {} runs", t.runs); }},
    {TimeReason::bad_value, Outcome::error, Code::impossible_value,
     [](const Case&, const TimeTest&) {
       return std::string("a time is zero, negative or not finite");
     }},
    {TimeReason::few_runs, Outcome::inconclusive, Code::too_few_runs,
     [](const Case& c, const TimeTest& t) {
       return fmt::format("needs {} runs, has {}", c.inputs.gate->policy.min_runs, t.runs);
     }},
    {TimeReason::few_rounds, Outcome::inconclusive, Code::too_few_runs,
     [](const Case&, const TimeTest& t) {
       return fmt::format("slower in {} rounds: a failure takes more", t.runs);
     }},
    {TimeReason::few_sessions, Outcome::inconclusive, Code::too_few_sessions,
     [](const Case&, const TimeTest& t) {
       return fmt::format("the baseline is {}: drift between sessions was not seen",
                          t.sessions == 1 ? "one session" : fmt::format("{} sessions", t.sessions));
     }},
    {TimeReason::noisy, Outcome::inconclusive, Code::runs_too_noisy, &noisy_text},
    {TimeReason::near_limit, Outcome::inconclusive, Code::too_near_the_limit,
     [](const Case&, const TimeTest& t) {
       return fmt::format("the limit lies inside the interval: undecided after {} {}", t.runs,
                          t.runs == 1 ? "run" : "runs");
     }},
    {TimeReason::weak, Outcome::inconclusive, Code::too_near_the_limit,
     [](const Case&, const TimeTest& t) {
       return fmt::format("over the limit, but not surely slower at all: undecided after {} runs",
                          t.runs);
     }},
};

/// First and third quartile over the launches of few runs: the widest of them.
std::optional<std::pair<double, double>> quartiles(const Case& c) {
  const auto* m = measured(c);
  std::optional<std::pair<double, double>> all;
  if (!m) return all;
  for (const auto& run : m->runs) {
    if (!run.q1 || !run.q3) return std::nullopt;
    if (!all) all.emplace(run.q1->value(), run.q3->value());
    all->first = std::min(all->first, run.q1->value());
    all->second = std::max(all->second, run.q3->value());
  }
  return all;
}

void lose(Case& c, Seconds allowed) {
  if (c.row.outcome != Outcome::fail || !c.subject.time) return;
  c.row.lost = *c.subject.time - allowed;
  c.row.text = fmt::format("lost {} a launch", format_seconds(*c.row.lost));
}

/// The floor that a time is held to; otherwise the row says why there is none.
bool has_floor(Case& c) {
  if (!c.subject.floor) {
    c.absent("no description is bound to this kernel, so it has no floor");
    return false;
  }
  if (*c.subject.floor <= Seconds(0)) {
    c.absent("the description needs nothing: its floor is zero");
    return false;
  }
  if (!c.subject.in_l2) return true;
  refuse(c.row, Outcome::skip, Code::held_in_l2,
         "L2-resident: its working set fits the L2 and did not cross DRAM");
  c.row.value.reset();
  return false;
}

}  // namespace

TimePolicy time_policy(const Case& c) {
  const auto& policy = c.inputs.gate->policy;
  TimePolicy time;
  time.min_runs = policy.min_runs;
  time.max_runs = policy.max_runs;
  time.min_sessions = policy.min_sessions;
  time.max_noise = policy.max_noise;
  time.min_delta_s = policy.min_delta.value();
  return time;
}

bool has_time(Case& c) {
  switch (c.subject.time_state) {
    case TimeState::usable: return true;
    case TimeState::absent: c.absent("no time was measured"); return false;
    case TimeState::impossible:
      c.impossible("a time is zero, negative or not finite");
      return false;
    case TimeState::below_floor: break;
  }
  refuse(c.row, Outcome::error, Code::below_floor,
         fmt::format("{}, but its floor is {}: faster than the {} allows",
                     format_seconds(*c.subject.time), format_seconds(*c.subject.floor),
                     c.subject.spec && !c.subject.spec->dram_sets_floor ? "roof" : "DRAM roof"));
  c.row.more = c.subject.causes;
  c.row.more.emplace_back("this result cannot be recorded as a baseline");
  c.row.hint =
      "check the description, the GPU and that the kernel writes its output; cold: true where "
      "caches are flushed";
  return false;
}

void take_test(Case& c, const TimeTest& test, double scale, Code failure) {
  auto& row = c.row;
  row.value = test.estimate * scale;
  row.lo = test.lo * scale;
  row.hi = test.hi * scale;
  row.runs = test.runs;
  row.sessions = test.sessions;
  row.more_runs = test.more_runs;
  row.confirmed = test.confirmed;
  if (test.clusters)
    row.more.push_back(fmt::format("bimodal: {} runs near {}, {} near {}", test.clusters->low_runs,
                                   format_seconds(Seconds(test.clusters->low_s)),
                                   test.clusters->high_runs,
                                   format_seconds(Seconds(test.clusters->high_s))));
  if (test.outcome == TimeOutcome::pass) return;
  if (test.outcome == TimeOutcome::fail) return refuse(row, Outcome::fail, failure, {});
  for (const auto& entry : kReasons)
    if (entry.reason == test.reason) refuse(row, entry.outcome, entry.code, entry.text(c, test));
}

/// Per run `value(time)`, monotonic, against the limit. With fewer runs than the policy's least:
/// the launches' quartiles.
void hold_absolute(Case& c, const std::function<double(double)>& value) {
  const auto& times = c.subject.medians;
  const auto kind = c.entry.at_least ? LimitKind::at_least : LimitKind::at_most;
  constexpr std::size_t kFewest = 3;
  TimeTest test;
  if (times.size() < kFewest) {
    const auto q = quartiles(c);
    const double low = q ? q->first : *std::min_element(times.begin(), times.end());
    const double high = q ? q->second : *std::max_element(times.begin(), times.end());
    const auto [least, most] = std::minmax({value(low), value(high)});
    test = quartile_test(value(median_of(times)), least, most, c.assertion.limit, kind);
    test.runs = static_cast<int>(times.size());
    test.more_runs = test.outcome == TimeOutcome::pass
                         ? 0
                         : std::max(0, c.inputs.gate->policy.min_runs - test.runs);
  } else {
    std::vector<double> values;
    values.reserve(times.size());
    for (const double time : times) values.push_back(value(time));
    test = absolute_test(values, c.assertion.limit, kind, time_policy(c));
  }
  take_test(c, test, 1, Code::limit_broken);
}

void hold_over_floor(Case& c) {
  if (!has_floor(c) || !has_time(c)) return;
  const double floor = c.subject.floor->value();
  hold_absolute(c, [&](double time) { return time / floor; });
  lose(c, *c.subject.floor);
}

void hold_of_ceiling(Case& c) {
  if (!has_floor(c) || !has_time(c)) return;
  const double floor = c.subject.floor->value();
  hold_absolute(c, [&](double time) { return floor / time * 100; });
  lose(c, *c.subject.floor);
}

void hold_time(Case& c) {
  if (!has_time(c)) return;
  hold_absolute(c, [](double time) { return time; });
  if (c.subject.kernel) return lose(c, Seconds(c.assertion.limit));
  if (c.row.outcome == Outcome::fail) c.row.lost = *c.subject.time - Seconds(c.assertion.limit);
}

/// Idle as busy: a share of idle time may be zero, and the test works on logs.
void hold_idle(Case& c) {
  std::vector<double> busy;
  for (const auto& run : c.subject.range->runs) {
    if (!run.idle || !run.time) continue;
    if (*run.time <= Seconds(0) || *run.idle > *run.time)
      return c.impossible("a range is shorter than its idle time");
    busy.push_back(std::max(1e-9, 100 - *run.idle / *run.time * 100));
  }
  if (busy.empty()) return c.absent("the results hold no idle time of this range");
  const double least = 100 - c.assertion.limit;
  TimeTest test =
      busy.size() < 3
          ? quartile_test(median_of(busy), *std::min_element(busy.begin(), busy.end()),
                          *std::max_element(busy.begin(), busy.end()), least, LimitKind::at_least)
          : absolute_test(busy, least, LimitKind::at_least, time_policy(c));
  test.runs = static_cast<int>(busy.size());
  take_test(c, test, 1, Code::limit_broken);
  c.row.value = 100 - test.estimate;
  c.row.lo = 100 - std::min(100.0, test.hi);
  c.row.hi = 100 - test.lo;
}

void hold_noise(Case& c) {
  if (!has_time(c)) return;
  const auto& times = c.subject.medians;
  if (times.size() < 3)
    return refuse(c.row, Outcome::inconclusive, Code::too_few_runs,
                  fmt::format("needs 3 runs, has {}", times.size()));
  double sum = 0, squares = 0;
  for (const double time : times) sum += std::log(time);
  const double mean = sum / static_cast<double>(times.size());
  for (const double time : times) squares += std::pow(std::log(time) - mean, 2);
  c.compare(100 * std::sqrt(squares / static_cast<double>(times.size() - 1)));
}

}  // namespace roofline
