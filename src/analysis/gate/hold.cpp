#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/gate/subject.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

/// One assertion being held: what it is about, and the row that comes of it.
struct Case {
  const GateInputs& inputs;
  const Subject& subject;
  const Assertion& assertion;
  const AssertionEntry& entry;
  AssertionResult row;

  void absent(std::string text) {
    refuse(row, Outcome::error, Code::value_absent, std::move(text));
  }
  void impossible(std::string text) {
    refuse(row, Outcome::error, Code::impossible_value, std::move(text));
  }

  /// A value without noise against its limit.
  void compare(double value) {
    row.value = value;
    if (!std::isfinite(value) || value < 0)
      return impossible(fmt::format("{} is {}", entry.phrase, value));
    const bool holds = entry.at_least ? value >= assertion.limit : value <= assertion.limit;
    if (!holds) refuse(row, Outcome::fail, Code::limit_broken, {});
  }
  template <class Number>
  void compare_or_absent(const std::optional<Number>& value, std::string_view what) {
    if (!value) return absent(fmt::format("the results hold no {}", what));
    if constexpr (requires { value->value(); })
      compare(value->value());
    else
      compare(static_cast<double>(*value));
  }
};

// ---------------------------------------------------------------- of the description

std::string bounds_text(const std::vector<Bound>& bounds) {
  std::vector<std::string> names;
  for (const auto bound : bounds) names.emplace_back(bound_name(bound));
  return joined(names, names.size() == 2 ? " or " : ", ");
}

/// A balanced kernel counts as either side.
bool allows(const std::vector<Bound>& bounds, std::string_view bound, bool balanced) {
  const auto has = [&](std::string_view name) {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](Bound b) { return bound_name(b) == name; });
  };
  return has(bound) || (balanced && (has("memory") || has("compute")));
}

void hold_bound(Case& c) {
  const auto* kernel = c.subject.kernel;
  const std::string bound = c.subject.spec ? std::string(bound_name(c.subject.spec->bound))
                            : kernel       ? kernel->bound
                                           : "";
  const bool balanced = c.subject.spec ? c.subject.spec->balanced : kernel && kernel->balanced;
  c.row.limit_text = bounds_text(c.assertion.bounds);
  if (bound.empty())
    return c.absent("no description is bound to this kernel, so what limits it is not known");
  c.row.value_text = balanced ? bound + " (balanced)" : bound;
  if (!allows(c.assertion.bounds, bound, balanced))
    refuse(c.row, Outcome::fail, Code::limit_broken, {});
}

constexpr std::string_view kNoDescription =
    "figure of a description: the entry has no `spec:` and the results bind none";

void hold_bytes(Case& c) {
  if (c.subject.spec) return c.compare(c.subject.spec->bytes.value());
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->bytes : std::nullopt, kNoDescription);
}
void hold_flops(Case& c) {
  if (c.subject.spec) return c.compare(c.subject.spec->flops.value());
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->flops : std::nullopt, kNoDescription);
}
void hold_passes(Case& c) {
  c.compare_or_absent(c.subject.spec ? c.subject.spec->passes : std::nullopt,
                      "number of passes: it takes a `spec:` of a kernel");
}
void hold_floor(Case& c) { c.compare_or_absent(c.subject.floor, kNoDescription); }
void hold_intensity(Case& c) {
  if (c.subject.spec)
    return c.compare_or_absent(c.subject.spec->intensity, "intensity: no byte moves");
  c.compare_or_absent(c.subject.kernel ? c.subject.kernel->intensity : std::nullopt,
                      kNoDescription);
}

// ---------------------------------------------------------------- of the code

template <class Value>
std::optional<Value> code_figure(const Subject& subject,
                                 std::optional<Value> ResultKernel::*measured,
                                 std::optional<Value> GateFunction::*compiled) {
  if (subject.function) return subject.function->*compiled;
  return subject.kernel ? subject.kernel->*measured : std::nullopt;
}

void hold_registers(Case& c) {
  c.compare_or_absent(code_figure(c.subject, &ResultKernel::registers, &GateFunction::registers),
                      "number of registers");
}
void hold_spills(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::spill_bytes, &GateFunction::spill_bytes),
      "spilled bytes");
}
void hold_local(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::local_bytes, &GateFunction::local_bytes),
      "bytes of local memory");
}
void hold_smem(Case& c) {
  c.compare_or_absent(
      code_figure(c.subject, &ResultKernel::shared_bytes, &GateFunction::shared_bytes),
      "bytes of shared memory");
}

// ---------------------------------------------------------------- of the baseline

/// By the entry's id, else by one that it had before. Of several kernels of one entry each has its
/// own line.
const GateReference* reference_of(const Subject& subject, const ReferenceLookup& lookup) {
  if (!lookup) return nullptr;
  if (const auto* found = lookup(subject.id)) return found;
  const std::string suffix = subject.id.substr(subject.entry->id.size());
  for (const auto& former : subject.entry->former_ids)
    if (const auto* found = lookup(former + suffix)) return found;
  return nullptr;
}

/// The reference that an assertion is held against; without one the row says why.
const GateReference* need_reference(Case& c) {
  const bool pinned = c.entry.needs == GateNeeds::pinned;
  const auto& lookup = pinned ? c.inputs.pinned : c.inputs.baseline;
  if (const auto* reference = reference_of(c.subject, lookup)) return reference;
  refuse(c.row, c.inputs.require_baseline ? Outcome::error : Outcome::fresh, Code::no_baseline,
         pinned ? "no pinned baseline yet" : "no baseline yet");
  if (c.inputs.require_baseline) c.row.hint = "roofline baseline record --gate GATE run.json";
  return nullptr;
}

const std::string& hash_of(const Subject& subject) {
  static const std::string kNone;
  if (subject.function) return subject.function->code_hash;
  return subject.kernel ? subject.kernel->code_hash : kNone;
}

void hold_code_unchanged(Case& c) {
  const auto* reference = need_reference(c);
  if (!reference) return;
  const auto& hash = hash_of(c.subject);
  if (hash.empty() || reference->code_hash.empty())
    return c.absent(fmt::format("{} no hash of the machine code",
                                hash.empty() ? "the results hold" : "the baseline holds"));
  c.row.value_text = hash;
  c.row.limit_text = reference->code_hash;
  if (hash != reference->code_hash)
    refuse(c.row, Outcome::fail, Code::code_changed, "the machine code changed");
}

// ---------------------------------------------------------------- of counters

void no_counters(Case& c, std::string_view what) {
  const bool skip = c.inputs.gate->policy.no_counters == SkipPolicy::skip;
  refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::counters_absent,
         fmt::format("{} was not measured", what));
  if (!skip)
    c.row.hint =
        "roofline profile --counters measures it; roofline doctor says whether this machine "
        "permits that";
}

const ResultMeasurement* measured(const Case& c) {
  return c.subject.kernel && c.subject.kernel->measured ? &*c.subject.kernel->measured : nullptr;
}

std::optional<Bytes> compulsory(const Case& c) {
  if (c.subject.spec) return c.subject.spec->bytes;
  return c.subject.kernel ? c.subject.kernel->bytes : std::nullopt;
}

void hold_excess_traffic(Case& c) {
  const auto* m = measured(c);
  if (!m || (!m->dram_bytes && !m->excess_traffic)) return no_counters(c, "DRAM traffic");
  const auto bytes = compulsory(c);
  if (m->dram_bytes && bytes && *bytes > Bytes(0))
    c.compare(*m->dram_bytes / *bytes);
  else
    c.compare_or_absent(m->excess_traffic, kNoDescription);
  if (c.row.outcome == Outcome::fail && m->dram_bytes && bytes)
    c.row.text = fmt::format("{} instead of {}", format_bytes(m->dram_bytes->value()),
                             format_bytes(bytes->value()));
}

void hold_dram_bytes(Case& c) {
  const auto* m = measured(c);
  if (!m || !m->dram_bytes) return no_counters(c, "DRAM traffic");
  c.compare(m->dram_bytes->value());
}

// ---------------------------------------------------------------- of times

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

/// Whether there is a time to work with; otherwise the row says why not.
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

/// What kept the machine from measuring well; empty: nothing.
std::string disturbance(const GateInputs& inputs) {
  constexpr double kThrottled = 0.05, kClockSpread = 0.03;
  if (!inputs.result || !inputs.result->environment) return {};
  const auto& e = *inputs.result->environment;
  if (e.throttled_share.value_or(0) > kThrottled)
    return fmt::format("the GPU was throttled in {} % of the samples",
                       format_number(*e.throttled_share * 100));
  if (e.other_processes.value_or(0) > 0)
    return fmt::format("{} other process{} used the GPU", *e.other_processes,
                       *e.other_processes == 1 ? "" : "es");
  if (!e.clock_min_mhz || !e.clock_max_mhz) return {};
  const double middle = e.clock_median_mhz.value_or((*e.clock_min_mhz + *e.clock_max_mhz) / 2);
  if (middle <= 0 || (*e.clock_max_mhz - *e.clock_min_mhz) / middle <= kClockSpread) return {};
  return fmt::format("the SM clock moved between {} and {} MHz", format_number(*e.clock_min_mhz),
                     format_number(*e.clock_max_mhz));
}

/// A failure that the state of the machine may explain is none.
void excuse_disturbed(Case& c) {
  if (c.row.outcome != Outcome::fail) return;
  if (auto why = disturbance(c.inputs); !why.empty())
    refuse(c.row, Outcome::inconclusive, Code::machine_disturbed, std::move(why));
}

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

/// The test's decision as a row; values in the unit of the assertion, `scale` times the test's.
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

/// Per run `value(time)`, monotonic, against the limit. With fewer runs than the policy's least:
/// the launches' quartiles.
template <class Value>
void hold_absolute(Case& c, Value value) {
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

/// What a launch moves through or computes on a resource, and the resource's rate.
struct Use {
  std::optional<double> amount, per_second;
};
Use use_of(const Case& c) {
  const auto* m = measured(c);
  const auto& resource = c.assertion.resource;
  Use use;
  if (m && resource == "dram" && m->dram_bytes) use.amount = m->dram_bytes->value();
  if (m && resource == "l2" && m->l2_bytes) use.amount = m->l2_bytes->value();
  if (m && resource == "sfu") use.amount = m->sfu_ops;
  if (m && resource == "int") use.amount = m->int_ops;
  if (m && !use.amount)
    for (const auto& [pipe, flops] : m->flops_by_pipe)
      if (pipe == resource) use.amount = flops;
  if (c.inputs.ceilings) {
    const auto& gpu = c.inputs.ceilings->gpu();
    if (resource == "l2" && gpu.l2_bandwidth) use.per_second = gpu.l2_bandwidth->value.value();
    for (const auto& ceiling : c.inputs.ceilings->all())
      if (!use.per_second && resource_name(ceiling.resource) == resource)
        use.per_second = ceiling.per_second;
  }
  return use;
}

void hold_utilization(Case& c) {
  const auto use = use_of(c);
  if (!use.amount) return no_counters(c, fmt::format("work on {}", c.assertion.resource));
  if (!use.per_second)
    return c.absent(fmt::format("no rate of {} is known for this GPU", c.assertion.resource));
  if (!has_time(c)) return;
  if (*use.amount <= 0) {
    c.row.value = 0;
    return refuse(c.row, Outcome::fail, Code::limit_broken, "nothing was counted");
  }
  hold_absolute(c, [&](double time) { return *use.amount / time / *use.per_second * 100; });
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

// ---------------------------------------------------------------- of changes

bool near(double a, double b) {
  return std::abs(a - b) <= 0.02 * std::max(std::abs(a), std::abs(b));
}

/// Another setting of the machine than the baseline's: times do not compare. Empty: none that is
/// known.
std::string other_setting(const GateReference& reference, const ResultEnvironment& now) {
  const auto watts = [](double w) { return fmt::format("{} W", format_number(w)); };
  if (reference.power_limit_w && now.power_limit_w &&
      !near(*reference.power_limit_w, *now.power_limit_w))
    return fmt::format("the baseline was measured at {}, this run at {}",
                       watts(*reference.power_limit_w), watts(*now.power_limit_w));
  if (reference.ecc && now.ecc && *reference.ecc != *now.ecc)
    return fmt::format("the baseline was measured with ECC {}, this run with ECC {}",
                       *reference.ecc ? "on" : "off", *now.ecc ? "on" : "off");
  if (reference.mig != now.mig)
    return fmt::format("the baseline was measured on {}, this run on {}",
                       reference.mig.empty() ? "the whole GPU" : "MIG " + printable(reference.mig),
                       now.mig.empty() ? "the whole GPU" : "MIG " + printable(now.mig));
  return {};
}

bool comparable(Case& c, const GateReference& reference) {
  if (!c.inputs.result->environment) return true;
  const auto& now = *c.inputs.result->environment;
  if (auto why = other_setting(reference, now); !why.empty()) {
    const bool skip = c.inputs.gate->policy.other_gpu == SkipPolicy::skip;
    refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::measured_elsewhere, std::move(why));
    return false;
  }
  if (reference.method.empty() || now.method.empty() || reference.method == now.method) return true;
  refuse(c.row, Outcome::error, Code::baseline_unusable,
         fmt::format("the baseline was measured by {}, this run by {}", printable(reference.method),
                     printable(now.method)));
  c.row.hint = "record a new baseline: roofline baseline record";
  return false;
}

/// What is known of the program between baseline and now.
struct Change {
  bool known = false;      ///< both hashes are there
  bool same_code = false;  ///< and launch geometry
  bool more_traffic = false, same_traffic = true;
};
Change change_of(const Case& c, const std::string& hash, const std::optional<Extent>& grid,
                 const std::optional<Extent>& block, const std::optional<Bytes>& dram_bytes) {
  Change change;
  const auto* kernel = c.subject.kernel;
  if (!kernel) return change;
  change.known = !kernel->code_hash.empty() && !hash.empty();
  const auto same = [](const auto& a, const auto& b) { return !a || !b || *a == *b; };
  change.same_code = change.known && kernel->code_hash == hash && same(kernel->grid, grid) &&
                     same(kernel->block, block);
  const auto now = kernel->measured ? kernel->measured->dram_bytes : std::nullopt;
  if (!now || !dram_bytes) return change;
  change.same_traffic = near(now->value(), dram_bytes->value());
  change.more_traffic = !change.same_traffic && *now > *dram_bytes;
  return change;
}

void say_change(Case& c, const Change& change, double old_time) {
  auto& row = c.row;
  if (row.outcome != Outcome::fail) return;
  if (change.same_code && change.same_traffic)
    return refuse(row, Outcome::inconclusive, Code::environment_changed,
                  "same machine code: the environment changed");
  row.lost = Seconds(c.subject.time->value() - old_time);
  std::vector<std::string> parts;
  if (change.known) parts.emplace_back(change.same_code ? "code is the same" : "code changed");
  if (change.more_traffic) parts.emplace_back("DRAM traffic grew");
  if (row.confirmed) parts.push_back(fmt::format("confirmed on {} runs", row.runs));
  row.text = joined(parts, "; ");
}

const std::vector<double>* usable_times(Case& c) {
  // A kernel below its floor has no time that a baseline could be compared with.
  return has_time(c) ? &c.subject.medians : nullptr;
}

void hold_against_old(Case& c) {
  const auto* times = usable_times(c);
  if (!times) return;
  Subject old{
      .entry = c.subject.entry, .kernel = c.subject.old_kernel, .range = c.subject.old_range};
  if (old.kernel || old.range) work_out(old, {.gate = c.inputs.gate, .result = c.inputs.against});
  if (old.medians.empty())
    return refuse(c.row, Outcome::fresh, Code::no_baseline, "the old program does not have it");
  const auto rounds = std::min(times->size(), old.medians.size());
  const std::span<const double> before(old.medians.data(), rounds), after(times->data(), rounds);
  auto test = paired_regression(before, after, c.assertion.limit / 100, time_policy(c));
  take_test(c, test, 100, Code::slower_than_baseline);
  const auto* kernel = c.subject.old_kernel;
  say_change(c,
             kernel ? change_of(c, kernel->code_hash, kernel->grid, kernel->block,
                                kernel->measured ? kernel->measured->dram_bytes : std::nullopt)
                    : Change{},
             median_of(old.medians));
}

void hold_regression(Case& c) {
  if (c.inputs.against && c.entry.needs == GateNeeds::baseline) return hold_against_old(c);
  const auto* reference = need_reference(c);
  if (!reference || !comparable(c, *reference)) return;
  const auto* times = usable_times(c);
  if (!times) return;
  if (reference->sessions.empty()) return c.absent("the baseline holds no session of it");
  const auto test =
      recorded_regression(reference->sessions, *times, c.assertion.limit / 100, time_policy(c));
  take_test(c, test, 100, Code::slower_than_baseline);
  double sum = 0;
  for (const auto& session : reference->sessions) sum += session.log_time;
  const auto change =
      change_of(c, reference->code_hash, reference->grid, reference->block, reference->dram_bytes);
  say_change(c, change, std::exp(sum / static_cast<double>(reference->sessions.size())));
  // Better by more than the noise: it would pass unnoticed back to where it was.
  if (c.row.outcome == Outcome::pass && c.row.hi && *c.row.hi < 0)
    c.row.text = "faster: record it as the new baseline";
}

void hold_noise(Case& c) {
  const auto* times = usable_times(c);
  if (!times) return;
  if (times->size() < 3)
    return refuse(c.row, Outcome::inconclusive, Code::too_few_runs,
                  fmt::format("needs 3 runs, has {}", times->size()));
  double sum = 0, squares = 0;
  for (const double time : *times) sum += std::log(time);
  const double mean = sum / static_cast<double>(times->size());
  for (const double time : *times) squares += std::pow(std::log(time) - mean, 2);
  c.compare(100 * std::sqrt(squares / static_cast<double>(times->size() - 1)));
}

// ---------------------------------------------------------------- of launches

void hold_launches(Case& c) {
  std::vector<std::int64_t> counts;
  if (c.subject.range)
    for (const auto& run : c.subject.range->runs)
      if (run.launches) counts.push_back(*run.launches);
  if (c.subject.kernel && c.subject.kernel->measured)
    for (const auto& run : c.subject.kernel->measured->runs)
      if (run.launches) counts.push_back(*run.launches);
  if (counts.empty() && c.subject.kernel && c.subject.kernel->launches)
    counts.push_back(*c.subject.kernel->launches);
  if (counts.empty()) return c.absent("the results hold no number of launches");
  c.row.runs = static_cast<int>(counts.size());
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*least != *most)
    return refuse(c.row, Outcome::error, Code::launches_vary,
                  fmt::format("launches vary between runs: {}..{}", *least, *most));
  c.compare(static_cast<double>(*least));
}

/// In the order of AssertionKind.
constexpr std::array<void (*)(Case&), kAssertionKinds> kHold = {
    &hold_bound,          &hold_bytes,      &hold_flops,       &hold_passes,
    &hold_floor,          &hold_intensity,  &hold_launches,    &hold_registers,
    &hold_spills,         &hold_local,      &hold_smem,        &hold_code_unchanged,
    &hold_excess_traffic, &hold_dram_bytes, &hold_utilization, &hold_of_ceiling,
    &hold_over_floor,     &hold_time,       &hold_idle,        &hold_regression,
    &hold_regression,     &hold_noise,
};

/// What depends on the GPU that measured. Descriptions are worked out on the gate's own.
bool depends_on_gpu(GateNeeds needs) {
  return needs != GateNeeds::description && needs != GateNeeds::launches;
}

bool measured_elsewhere(const GateInputs& inputs) {
  return inputs.result && inputs.ceilings && inputs.result->gpu.id != inputs.ceilings->gpu().id;
}

void refuse_elsewhere(Case& c) {
  const auto& gpu = c.inputs.result->gpu;
  const bool skip = c.inputs.gate->policy.other_gpu == SkipPolicy::skip;
  const std::string name =
      gpu.id.empty() ? gpu.name.empty() ? "a GPU that is not named" : printable(gpu.name) : gpu.id;
  refuse(c.row, skip ? Outcome::skip : Outcome::error, Code::measured_elsewhere,
         fmt::format("measured on {}, the limits are for {}", name, c.inputs.ceilings->gpu().id));
}

}  // namespace

AssertionResult hold(const GateInputs& inputs, const Subject& subject, const Assertion& assertion) {
  const auto& entry = describe(assertion.kind);
  Case c{inputs, subject, assertion, entry, row_of(subject, entry.name)};
  auto& row = c.row;
  if (!assertion.resource.empty()) row.assertion += '.' + assertion.resource;
  row.unit = entry.unit;
  row.at_least = entry.at_least;
  if (entry.unit != GateUnit::none) row.limit = assertion.limit;
  row.line = assertion.place.line, row.column = assertion.place.column,
  row.length = assertion.place.length;
  const bool elsewhere =
      subject.function == nullptr && depends_on_gpu(entry.needs) && measured_elsewhere(inputs);
  if (elsewhere && !inputs.cross_gpu) {
    refuse_elsewhere(c);
    return row;
  }
  kHold[static_cast<std::size_t>(assertion.kind)](c);
  if (entry.noisy) excuse_disturbed(c);
  if (elsewhere) {
    refuse_elsewhere(c);
    row.outcome = Outcome::skip;
    row.text += "; for information only";
  }
  return row;
}

}  // namespace roofline
