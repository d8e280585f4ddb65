#include "report/baseline/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "report/page/phrases.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr int kSessionsThatFail = TimePolicy{}.min_sessions;

std::string name_cell(std::string_view id) { return printable(id); }
std::string time_cell(double seconds) { return format_seconds(Seconds(seconds)); }

/// Days since 1970 of "2026-11-30"; nullopt where it is no date.
std::optional<long> days_of(std::string_view date) {
  if (date.size() < 10 || date[4] != '-' || date[7] != '-') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    return std::atoi(std::string(date.substr(at, length)).c_str());
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count();
}

/// Spread of the sessions' times; of one session that of its runs. nullopt: one run.
std::optional<double> noise_of(const BaselineEntry& entry) {
  const auto times = session_times(entry);
  if (times.size() == 1)
    return times.front().runs > 1 ? std::optional(times.front().run_spread) : std::nullopt;
  double mean = 0, squares = 0;
  for (const auto& time : times) mean += time.log_time / static_cast<double>(times.size());
  for (const auto& time : times) squares += (time.log_time - mean) * (time.log_time - mean);
  return std::sqrt(squares / (static_cast<double>(times.size()) - 1));
}

std::string noise_cell(const BaselineEntry& entry) {
  const auto noise = noise_of(entry);
  return noise ? fmt::format("{:.1f} %", *noise * 100) : "-";
}

const BaselineSession& newest(const BaselineEntry& entry) { return entry.sessions.back(); }

std::vector<const BaselineEntry*> entries_of(const Baseline& baseline, std::string_view id) {
  std::vector<const BaselineEntry*> chosen;
  for (const auto& entry : baseline.entries)
    if (id.empty() || entry.id == id) chosen.push_back(&entry);
  return chosen;
}

void write_overview(Page& page, const std::vector<const BaselineEntry*>& entries,
                    std::string_view today) {
  page.begin_table({{"kernel", Align::left, 16, 0},
                    {"time", Align::right},
                    {"sessions", Align::right},
                    {"noise", Align::right},
                    {"newest", Align::right},
                    {"reason", Align::left, 12, 1}});
  for (const auto* entry : entries)
    page.row({name_cell(entry->id), time_cell(recorded_time(*entry)),
              std::to_string(entry->sessions.size()), noise_cell(*entry),
              age_text(newest(*entry).date, today), printable(entry->reason)});
  page.end_table();
}

void write_entry(Page& page, const BaselineEntry& entry, std::string_view today) {
  page.heading(name_cell(entry.id), describe(entry.machine));
  std::vector<PageFact> facts;
  facts.push_back({"time", time_cell(recorded_time(entry)),
                   fmt::format("{} session{}, noise {}", entry.sessions.size(),
                               entry.sessions.size() == 1 ? "" : "s", noise_cell(entry))});
  if (!entry.method.empty()) facts.push_back({"method", printable(entry.method), ""});
  if (!entry.driver.empty() || !entry.cuda.empty())
    facts.push_back({"driver", printable(entry.driver),
                     entry.cuda.empty() ? "" : "CUDA " + printable(entry.cuda)});
  if (!entry.name.empty()) facts.push_back({"function", printable(entry.name), ""});
  if (!entry.code_hash.empty()) facts.push_back({"code", printable(entry.code_hash), ""});
  if (entry.dram_bytes)
    facts.push_back({"DRAM bytes", format_bytes(*entry.dram_bytes), "a launch"});
  if (entry.launches) facts.push_back({"launches", format_number(*entry.launches), "a run"});
  if (!entry.reason.empty()) facts.push_back({"reason", printable(entry.reason), ""});
  page.facts(facts);
  page.begin_table({{"session", Align::left},
                    {"commit", Align::left, 0, 1},
                    {"age", Align::right},
                    {"time", Align::right},
                    {"runs", Align::right},
                    {"spread", Align::right}});
  for (const auto& session : entry.sessions)
    page.row({printable(session.date), printable(session.commit), age_text(session.date, today),
              time_cell(session.time_s), std::to_string(session.runs),
              session.runs > 1 ? fmt::format("{:.1f} %", session.spread * 100) : "-"});
  page.end_table();
  page.gap();
}

template <class Items>
std::string counts_text(const Items& items, auto word_of) {
  std::map<std::string, int, std::less<>> counts;
  std::vector<std::string> order;
  for (const auto& item : items) {
    const std::string word(word_of(item));
    if (++counts[word] == 1) order.push_back(word);
  }
  std::string text;
  for (const auto& word : order)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[word], word);
  return text;
}

std::string optional_time(std::optional<double> seconds) {
  return seconds ? time_cell(*seconds) : "-";
}

void machine_json(JsonWriter& json, const BaselineMachine& machine) {
  json.text("gpu", machine.gpu);
  if (!machine.mig.empty()) json.text("mig", machine.mig);
  if (machine.power_limit_w) json.number("power_limit_w", *machine.power_limit_w);
  if (machine.ecc) json.flag("ecc", *machine.ecc);
}

}  // namespace

std::string age_text(std::string_view date, std::string_view today) {
  const auto then = days_of(date), now = days_of(today);
  if (!then || !now) return {};
  const long days = *now - *then;
  if (days <= 0) return "today";
  if (days == 1) return "1 day";
  if (days < 28) return fmt::format("{} days", days);
  if (days < 90) return fmt::format("{} weeks", days / 7);
  return days < 730 ? fmt::format("{} months", days / 30) : fmt::format("{} years", days / 365);
}

std::string change_text(double change) {
  const double percent = std::fabs(change) < 5e-4 ? 0 : change * 100;  // no "-0.0 %"
  if (percent == 0) return "0.0 %";
  return std::fabs(percent) < 99.95 ? fmt::format("{:+.1f} %", percent)
                                    : fmt::format("{:+.0f} %", percent);
}

void write_baseline_page(Page& page, const Baseline& baseline, std::string_view id,
                         std::string_view today) {
  const auto entries = entries_of(baseline, id);
  if (!id.empty()) {
    for (const auto* entry : entries) write_entry(page, *entry, today);
    return;
  }
  std::map<std::string, std::vector<const BaselineEntry*>> by_machine;
  for (const auto* entry : entries) by_machine[describe(entry->machine)].push_back(entry);
  for (const auto& [machine, of_machine] : by_machine) {
    std::set<std::string> methods;
    for (const auto* entry : of_machine)
      if (!entry->method.empty()) methods.insert(printable(entry->method));
    page.heading(machine,
                 fmt::format("{} kernel{}{}", of_machine.size(), of_machine.size() == 1 ? "" : "s",
                             methods.empty() ? ""
                                             : ", " + joined(std::vector<std::string>(
                                                          methods.begin(), methods.end()))));
    write_overview(page, of_machine, today);
    page.gap();
  }
  const auto young = std::count_if(entries.begin(), entries.end(), [](const auto* entry) {
    return static_cast<int>(entry->sessions.size()) < kSessionsThatFail;
  });
  if (young > 0)
    page.sentence(fmt::format(
        "{} of {} kernels span fewer than {} sessions: they can pass a gate, not fail it", young,
        entries.size(), kSessionsThatFail));
}

void write_baseline_json(JsonWriter& json, const Baseline& baseline, std::string_view id) {
  json.begin_array("entries");
  for (const auto* entry : entries_of(baseline, id)) {
    json.begin_object();
    json.text("id", entry->id);
    machine_json(json, entry->machine);
    if (!entry->method.empty()) json.text("method", entry->method);
    json.number("time_s", recorded_time(*entry));
    if (const auto noise = noise_of(*entry)) json.number("noise", *noise);
    if (!entry->reason.empty()) json.text("reason", entry->reason);
    if (!entry->code_hash.empty()) json.text("code_hash", entry->code_hash);
    json.begin_array("sessions");
    for (const auto& session : entry->sessions) {
      json.begin_object();
      json.text("date", session.date);
      if (!session.commit.empty()) json.text("commit", session.commit);
      json.number("time_s", session.time_s);
      json.number("runs", session.runs);
      json.number("spread", session.spread);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_recordings_page(Page& page, std::span<const Recording> recordings) {
  page.begin_table({{"", Align::left},
                    {"kernel", Align::left, 16, 0},
                    {"change", Align::right},
                    {"", Align::left, 12, 1}});
  for (const auto& recording : recordings)
    page.row({std::string(name_of(recording.kind)), name_cell(recording.id),
              recording.change ? change_text(*recording.change) : "", recording.why});
  page.end_table();
  page.sentence(
      counts_text(recordings, [](const Recording& recording) { return name_of(recording.kind); }));
}

void write_recordings_json(JsonWriter& json, std::span<const Recording> recordings) {
  json.begin_array("recordings");
  for (const auto& recording : recordings) {
    json.begin_object();
    json.text("id", recording.id);
    machine_json(json, recording.machine);
    json.text("outcome", name_of(recording.kind));
    json.flag("recorded", recording.recorded());
    if (recording.change) json.number("change", *recording.change);
    if (!recording.why.empty()) json.text("why", recording.why);
    json.end_object();
  }
  json.end_array();
}

void write_changes_page(Page& page, std::span<const BaselineChange> changes) {
  std::map<std::string, std::vector<const BaselineChange*>> by_machine;
  for (const auto& change : changes)
    if (change.kind != BaselineChange::Kind::same)
      by_machine[describe(change.machine)].push_back(&change);
  for (const auto& [machine, of_machine] : by_machine) {
    page.heading(machine, "");
    page.begin_table({{"", Align::left},
                      {"kernel", Align::left, 16, 0},
                      {"old", Align::right},
                      {"new", Align::right},
                      {"change", Align::right},
                      {"reason", Align::left, 12, 1}});
    for (const auto* change : of_machine)
      page.row(
          {std::string(name_of(change->kind)), name_cell(change->id), optional_time(change->old_s),
           optional_time(change->new_s),
           change->old_s && change->new_s ? change_text(*change->new_s / *change->old_s - 1) : "",
           printable(change->reason)});
    page.end_table();
    page.gap();
  }
  page.sentence(changes.empty() ? "both are empty"
                                : counts_text(changes, [](const BaselineChange& change) {
                                    return name_of(change.kind);
                                  }));
}

void write_changes_json(JsonWriter& json, std::span<const BaselineChange> changes) {
  json.begin_array("changes");
  for (const auto& change : changes) {
    json.begin_object();
    json.text("id", change.id);
    machine_json(json, change.machine);
    json.text("kind", name_of(change.kind));
    if (change.old_s) json.number("old_s", *change.old_s);
    if (change.new_s) json.number("new_s", *change.new_s);
    if (!change.reason.empty()) json.text("reason", change.reason);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
