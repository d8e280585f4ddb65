#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "roofline/analysis/baseline.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

constexpr double kSlower = 0.05, kFaster = -0.02;
constexpr double kBelowFloor = 0.98;     // a time below this share of its floor is wrong, not good
constexpr double kMostThrottled = 0.05;  // of the samples
constexpr double kMostClockSpread = 0.03;  // of the SM clock

/// Four significant digits: what the file holds, so that a figure read again is the one that was
/// recorded.
double four_digits(double value) {
  return std::strtod(fmt::format("{:.3e}", value).c_str(), nullptr);
}

/// Run medians in seconds; the kernel's time where single runs are not told apart.
std::vector<double> run_times(const ResultKernel& kernel) {
  std::vector<double> times;
  if (!kernel.measured) return times;
  for (const auto& run : kernel.measured->runs)
    if (run.median) times.push_back(run.median->value());
  if (times.empty() && kernel.measured->time) times.push_back(kernel.measured->time->value());
  return times;
}

/// Launches of every run where they agree.
std::optional<double> launches_per_run(const ResultKernel& kernel) {
  if (!kernel.measured || kernel.measured->runs.empty()) return std::nullopt;
  const auto first = kernel.measured->runs.front().launches;
  for (const auto& run : kernel.measured->runs)
    if (run.launches != first) return std::nullopt;
  return first ? std::optional(static_cast<double>(*first)) : std::nullopt;
}

Error not_recordable(const ResultKernel& kernel, const std::string& file, std::string what,
                     std::string hint = {}) {
  return {
      Code::not_recordable, {file, kernel.line, 0, 1, {}, 0}, std::move(what), std::move(hint), {}};
}

bool has_session(const BaselineEntry& entry, const BaselineSession& session) {
  return std::any_of(entry.sessions.begin(), entry.sessions.end(),
                     [&](const BaselineSession& known) {
                       return known.date == session.date && known.commit == session.commit &&
                              known.time_s == session.time_s && known.runs == session.runs &&
                              known.spread == session.spread;
                     });
}

bool same_code(const BaselineEntry& old, const BaselineEntry& fresh) {
  return !old.code_hash.empty() && old.code_hash == fresh.code_hash && old.grid == fresh.grid &&
         old.block == fresh.block;
}

/// The line takes everything of the fresh one but its sessions and its reason.
void take_facts(BaselineEntry& entry, const BaselineEntry& fresh) {
  auto sessions = std::move(entry.sessions);
  auto reason = std::move(entry.reason);
  entry = fresh;
  entry.sessions = std::move(sessions);
  entry.reason = std::move(reason);
  entry.text.clear();
}

void append_session(BaselineEntry& entry, const BaselineEntry& fresh) {
  take_facts(entry, fresh);
  entry.sessions.push_back(fresh.sessions.front());
  if (entry.sessions.size() > kMostSessions)
    entry.sessions.erase(entry.sessions.begin(),
                         entry.sessions.end() - static_cast<std::ptrdiff_t>(kMostSessions));
}

BaselineEntry* line_of(Baseline& baseline, const BaselineEntry& fresh) {
  const auto found = std::find_if(baseline.entries.begin(), baseline.entries.end(),
                                  [&](const BaselineEntry& entry) {
                                    return entry.id == fresh.id && entry.machine == fresh.machine;
                                  });
  return found == baseline.entries.end() ? nullptr : &*found;
}

void insert(Baseline& baseline, const BaselineEntry& fresh) {
  const auto key = [](const BaselineEntry& entry) {
    return std::tuple(std::string_view(entry.id), describe(entry.machine));
  };
  const auto place =
      std::upper_bound(baseline.entries.begin(), baseline.entries.end(), fresh,
                       [&](const auto& a, const auto& b) { return key(a) < key(b); });
  baseline.entries.insert(place, fresh);
}

/// A line that may not be rewritten; empty: it may.
std::string locked(const BaselineEntry& entry) {
  if (entry.unknown.empty()) return {};
  return "its line has keys that this roofline does not know (" + joined(entry.unknown) +
         "): record with the newer one";
}

/// On what and how it was measured.
void take_circumstances(BaselineEntry& entry, const ResultRecord& record, std::string_view id) {
  entry.id = id;
  entry.machine = machine_of(record);
  entry.method = method_of(record);
  if (!record.environment) return;
  entry.driver = record.environment->driver;
  entry.cuda = record.environment->cuda;
}

Recording record_one(Baseline& baseline, const FreshEntry& fresh) {
  using enum Recording::Kind;
  Recording outcome{
      .kind = added, .id = fresh.entry.id, .machine = fresh.entry.machine, .change = {}, .why = {}};
  auto* entry = line_of(baseline, fresh.entry);
  if (!entry) {
    insert(baseline, fresh.entry);
    return outcome;
  }
  const auto refuse = [&](Recording::Kind kind, std::string why) {
    outcome.kind = kind;
    outcome.why = std::move(why);
    return outcome;
  };
  if (auto why = locked(*entry); !why.empty()) return refuse(refused, std::move(why));
  if (entry->method != fresh.entry.method)
    return refuse(
        refused,
        fmt::format("recorded with {}, measured with {}: times of two methods are never mixed",
                    entry->method.empty() ? "no method" : entry->method,
                    fresh.entry.method.empty() ? "no method" : fresh.entry.method));
  if (has_session(*entry, fresh.entry.sessions.front()))
    return refuse(repeated, "this session is recorded already");
  const auto test = recorded_regression(session_times(*entry), fresh.run_times, kSlower);
  outcome.change = test.estimate;
  if (same_code(*entry, fresh.entry)) {
    append_session(*entry, fresh.entry);
    outcome.kind = appended;
  } else if (test.estimate > kSlower && test.lo > 0) {
    const bool known = !entry->code_hash.empty() && !fresh.entry.code_hash.empty();
    return refuse(slower, known
                              ? "slower than its baseline, and its code changed"
                              : "slower than its baseline; whether its code changed is not known");
  } else if (test.estimate < kFaster && test.hi < 0) {
    take_facts(*entry, fresh.entry);
    entry->sessions = fresh.entry.sessions;
    outcome.kind = restarted;
  } else {
    append_session(*entry, fresh.entry);
    outcome.kind = appended;
  }
  return outcome;
}

Recording replace_one(Baseline& baseline, const FreshEntry& fresh, std::string_view reason) {
  Recording outcome{.kind = Recording::Kind::added,
                    .id = fresh.entry.id,
                    .machine = fresh.entry.machine,
                    .change = {},
                    .why = {}};
  auto replacement = fresh.entry;
  replacement.reason = reason;
  auto* entry = line_of(baseline, fresh.entry);
  if (!entry) {
    insert(baseline, replacement);
    return outcome;
  }
  if (auto why = locked(*entry); !why.empty()) {
    outcome.kind = Recording::Kind::refused;
    outcome.why = std::move(why);
    return outcome;
  }
  outcome.kind = Recording::Kind::restarted;
  if (entry->method == fresh.entry.method)
    outcome.change = recorded_time(fresh.entry) / recorded_time(*entry) - 1;
  *entry = std::move(replacement);
  return outcome;
}

std::string clock_refusal(const ResultEnvironment& environment) {
  const auto& [low, middle, high] =
      std::tie(environment.clock_min_mhz, environment.clock_median_mhz, environment.clock_max_mhz);
  if (!low || !high || !middle || *middle <= 0 || (*high - *low) / *middle <= kMostClockSpread)
    return {};
  return fmt::format("the SM clock went from {:.0f} to {:.0f} MHz while it was measured", *low,
                     *high);
}

std::string disturbance_of(const ResultEnvironment& environment) {
  if (environment.throttled_share.value_or(0) > kMostThrottled)
    return fmt::format("the GPU was throttled in {:.0f} % of the samples",
                       *environment.throttled_share * 100);
  if (const auto others = environment.other_processes.value_or(0); others > 0)
    return fmt::format("{} other process{} used the GPU", others, others == 1 ? "" : "es");
  return clock_refusal(environment);
}

}  // namespace

std::string_view name_of(Recording::Kind kind) {
  constexpr std::string_view kNames[] = {"new",    "appended", "restarted",
                                         "slower", "repeated", "refused"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string refusal_of(const ResultRecord& record, bool allow_disturbed) {
  if (record.simulated) return "it was made without a GPU (simulated)";
  if (record.kernels.empty()) return "it holds no kernel";
  if (!record.complete) return "its trace was cut off, or records were lost";
  if (record.program) {
    if (const auto signal = record.program->signal)
      return fmt::format("the program was ended by signal {}", *signal);
    if (const auto code = record.program->exit_code.value_or(0); code != 0)
      return fmt::format("the program failed: exit {}", code);
  }
  if (record.gpu.id.empty() && record.gpu.name.empty())
    return "it does not say on which GPU it was measured";
  return !allow_disturbed && record.environment ? disturbance_of(*record.environment)
                                                : std::string();
}

void set_session(FreshEntry& fresh, const SessionTime& session) {
  auto& recorded = fresh.entry.sessions.front();
  recorded.time_s = four_digits(std::exp(session.log_time));
  recorded.runs = session.runs;
  recorded.spread = four_digits(session.run_spread);
}

Result<FreshEntry> fresh_entry(const ResultRecord& record, const ResultKernel& kernel,
                               std::string_view id, const SessionLabel& label) {
  FreshEntry fresh;
  fresh.run_times = run_times(kernel);
  const auto session = session_time(fresh.run_times);
  const auto name = shortened(printable(id), 60);
  if (!session)
    return tl::unexpected(not_recordable(
        kernel, record.file, "\"" + name + "\" has no measured time that could be recorded"));
  const double time = std::exp(session->log_time);
  if (kernel.time_floor && time < kBelowFloor * kernel.time_floor->value())
    return tl::unexpected(not_recordable(
        kernel, record.file,
        fmt::format("\"{}\" took {:.4g} us, but its floor is {:.4g} us: faster than physics allows",
                    name, time * 1e6, kernel.time_floor->value() * 1e6),
        "data still in L2 from the launch before, a wrong description, or a kernel that did not do "
        "its work"));
  if (kernel.time_floor) fresh.floor_s = four_digits(kernel.time_floor->value());
  auto& entry = fresh.entry;
  take_circumstances(entry, record, id);
  entry.name = kernel.name;
  entry.code_hash = kernel.code_hash;
  entry.grid = kernel.grid;
  entry.block = kernel.block;
  if (kernel.registers) entry.registers = static_cast<double>(*kernel.registers);
  entry.launches = launches_per_run(kernel);
  if (kernel.measured && kernel.measured->dram_bytes)
    entry.dram_bytes = four_digits(kernel.measured->dram_bytes->value());
  entry.sessions.push_back({.date = label.date, .commit = label.commit});
  set_session(fresh, *session);
  return fresh;
}

Result<FreshEntry> fresh_range(const ResultRecord& record, const ResultRange& range,
                               std::string_view id, const SessionLabel& label) {
  FreshEntry fresh;
  std::optional<std::int64_t> launches;
  bool agree = !range.runs.empty();
  for (const auto& run : range.runs) {
    fresh.run_times.push_back(run.time ? run.time->value() : 0);
    launches = range.runs.front().launches;
    agree = agree && run.launches == launches;
  }
  const auto session = session_time(fresh.run_times);
  if (!session)
    return fail(Code::not_recordable, {record.file, 0, 0, 1, {}, 0},
                "the range \"" + shortened(printable(id), 60) +
                    "\" has no time of each run that could be recorded");
  auto& entry = fresh.entry;
  take_circumstances(entry, record, id);
  entry.name = range.name;
  if (agree && launches) entry.launches = static_cast<double>(*launches);
  entry.sessions.push_back({.date = label.date, .commit = label.commit});
  set_session(fresh, *session);
  return fresh;
}

std::vector<Recording> record_session(Baseline& baseline, std::span<const FreshEntry> fresh) {
  std::vector<Recording> outcomes;
  for (const auto& entry : fresh) outcomes.push_back(record_one(baseline, entry));
  return outcomes;
}

std::vector<Recording> replace_entries(Baseline& baseline, std::span<const FreshEntry> fresh,
                                       std::string_view reason) {
  std::vector<Recording> outcomes;
  for (const auto& entry : fresh) outcomes.push_back(replace_one(baseline, entry, reason));
  return outcomes;
}

}  // namespace roofline
