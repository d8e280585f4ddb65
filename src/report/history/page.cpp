#include "report/history/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/baseline/page.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr std::size_t kUndecidedWindow = 5, kUndecidedMany = 4;

std::string time_cell(double seconds) { return format_seconds(Seconds(seconds)); }

/// "2026-11-30 18:48" of "2026-11-30T18:48:12Z".
std::string when(const std::string& time) {
  auto text = printable(time.substr(0, 16));
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::vector<double> times_of(const HistorySeries& series) {
  std::vector<double> times;
  for (const auto& moment : series.moments) times.push_back(moment.point.time_s);
  return times;
}

/// "changed" where the machine code differs from that of the run before.
std::string code_cell(const HistorySeries& series, std::size_t at) {
  const auto& hash = series.moments[at].point.code_hash;
  if (at == 0 || hash.empty()) return "";
  const auto& before = series.moments[at - 1].point.code_hash;
  return before.empty() || before == hash ? "" : "changed";
}

void write_steps(Page& page, const HistorySeries& series) {
  const auto steps = history_steps(times_of(series));
  for (const auto& step : steps) {
    const auto& moment = series.moments[step.at];
    page.remark("step", fmt::format("{} from {}{}: {} to {}{}", change_text(step.after_s / step.before_s - 1), when(moment.time),
                                    moment.commit.empty() ? "" : ", " + printable(moment.commit), time_cell(step.before_s),
                                    time_cell(step.after_s), code_cell(series, step.at).empty() ? "" : ", code changed"),
                step.after_s > step.before_s ? Tone::bad : Tone::good, 0);
  }
}

void write_moments(Page& page, const HistorySeries& series, std::size_t last) {
  const auto first = series.moments.size() - std::min(last, series.moments.size());
  bool outcomes = false, codes = false;
  for (std::size_t at = first; at < series.moments.size(); ++at) {
    outcomes = outcomes || !series.moments[at].point.outcome.empty();
    codes = codes || !code_cell(series, at).empty();
  }
  std::vector<Column> columns = {{"run", Align::left}, {"commit", Align::left, 0, 1}, {"time", Align::right}, {"change", Align::right},
                                 {"runs", Align::right, 0, 3}, {"spread", Align::right, 0, 2}};
  if (codes) columns.push_back({"code", Align::left});
  if (outcomes) columns.push_back({"gate", Align::left});
  page.begin_table(columns);
  for (std::size_t at = first; at < series.moments.size(); ++at) {
    const auto& moment = series.moments[at];
    const auto& point = moment.point;
    std::vector<std::string> row = {when(moment.time), printable(moment.commit), time_cell(point.time_s),
                                    at == 0 ? "" : change_text(point.time_s / series.moments[at - 1].point.time_s - 1),
                                    std::to_string(point.runs), point.runs > 1 ? fmt::format("{:.1f} %", point.spread * 100) : "-"};
    if (codes) row.push_back(code_cell(series, at));
    if (outcomes) row.push_back(printable(point.outcome));
    page.row(std::move(row));
  }
  page.end_table();
  if (first > 0) page.sentence(fmt::format("{} earlier runs: --last N", first));
}

void point_json(JsonWriter& json, const HistoryMoment& moment) {
  json.begin_object();
  json.text("time", moment.time);
  if (!moment.commit.empty()) json.text("commit", moment.commit);
  json.number("time_s", moment.point.time_s);
  json.number("runs", moment.point.runs);
  if (moment.point.runs > 1) json.number("spread", moment.point.spread);
  if (!moment.point.code_hash.empty()) json.text("code_hash", moment.point.code_hash);
  if (!moment.point.outcome.empty()) json.text("outcome", moment.point.outcome);
  json.end_object();
}

}  // namespace

std::string undecided_text(std::span<const HistoryMoment> moments) {
  std::size_t seen = 0, undecided = 0;
  for (auto moment = moments.rbegin(); moment != moments.rend() && seen < kUndecidedWindow; ++moment) {
    if (moment->point.outcome.empty()) continue;
    ++seen;
    undecided += moment->point.outcome == "inconclusive" ? 1 : 0;
  }
  if (seen < kUndecidedWindow || undecided < kUndecidedMany) return {};
  return fmt::format("undecided in {} of the last {} runs: this limit protects nothing", undecided, seen);
}

void write_series_page(Page& page, const std::string& id, std::span<const HistorySeries> series, std::size_t last) {
  for (const auto& one : series) {
    page.heading(printable(id), fmt::format("{}, {} run{}", one.machine, one.moments.size(), one.moments.size() == 1 ? "" : "s"));
    write_moments(page, one, last);
    write_steps(page, one);
    if (const auto warning = undecided_text(one.moments); !warning.empty()) page.remark("note", warning, Tone::overhead, 0);
    page.gap();
  }
}

void write_series_json(JsonWriter& json, const std::string& id, std::span<const HistorySeries> series) {
  json.text("id", id);
  json.begin_array("series");
  for (const auto& one : series) {
    json.begin_object();
    json.text("machine", one.machine);
    json.begin_array("points");
    for (const auto& moment : one.moments) point_json(json, moment);
    json.end_array();
    json.begin_array("steps");
    for (const auto& step : history_steps(times_of(one))) {
      json.begin_object();
      json.text("time", one.moments[step.at].time);
      json.number("before_s", step.before_s);
      json.number("after_s", step.after_s);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_overview_page(Page& page, const HistoryOverview& overview) {
  if (overview.files == 0) {
    page.sentence("no run yet");
    return;
  }
  page.sentence(fmt::format("{} run{} from {} to {}{}", overview.files, overview.files == 1 ? "" : "s", when(overview.first_time),
                            when(overview.last_time),
                            overview.covered < overview.files ? fmt::format("; below, the last {}", overview.covered) : ""));
  std::set<std::string> machines;
  for (const auto& kernel : overview.kernels) machines.insert(kernel.machine);
  for (const auto& machine : machines) {
    page.heading(machine, "");
    page.begin_table({{"kernel", Align::left, 16, 0}, {"runs", Align::right}, {"latest", Align::right}, {"change", Align::right},
                      {"least", Align::right, 0, 1}, {"most", Align::right, 0, 1}});
    for (const auto& kernel : overview.kernels)
      if (kernel.machine == machine)
        page.row({printable(kernel.id), std::to_string(kernel.runs), time_cell(kernel.latest_s),
                  kernel.runs > 1 ? change_text(kernel.latest_s / kernel.first_s - 1) : "", time_cell(kernel.least_s),
                  time_cell(kernel.most_s)});
    page.end_table();
    page.gap();
  }
}

void write_overview_json(JsonWriter& json, const HistoryOverview& overview) {
  json.number("runs", static_cast<double>(overview.files));
  json.number("covered", static_cast<double>(overview.covered));
  json.begin_array("kernels");
  for (const auto& kernel : overview.kernels) {
    json.begin_object();
    json.text("id", kernel.id);
    json.text("machine", kernel.machine);
    json.number("runs", static_cast<double>(kernel.runs));
    json.number("first_s", kernel.first_s);
    json.number("latest_s", kernel.latest_s);
    json.number("least_s", kernel.least_s);
    json.number("most_s", kernel.most_s);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
