#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "cli/answer.hpp"
#include "cli/checkout.hpp"
#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/style.hpp"
#include "report/history/page.hpp"
#include "report/history/text.hpp"
#include "roofline/analysis/history.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"
#include "roofline/report/gate.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultFolder = ".roofline/history";
constexpr int kMostNames = 1000;  // runs of one minute, commit and GPU
constexpr std::size_t kLastShown = 20, kLastCovered = 50;

std::string folder_of(const std::string& option) { return option.empty() ? kDefaultFolder : option; }

std::optional<std::size_t> read_size(std::string_view option, const std::string& text, std::size_t least, Errors& errors) {
  std::size_t value = 0;
  const bool digits = !text.empty() && text.size() <= 9 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) value = static_cast<std::size_t>(std::stoul(text));
  if (digits && value >= least) return value;
  errors.push_back({Code::out_of_range, {}, fmt::format("{} takes a whole number from {} on", option, least), {}, {}});
  return std::nullopt;
}

// ---------------------------------------------------------------- add

/// The worst outcome of every entry in a gate's JSON. Errors: those of reading; another schema.
Checked<std::map<std::string, Outcome>> read_outcomes(const std::string& path) {
  const auto verdicts = read_gate_result_file(path);
  if (!verdicts) return tl::unexpected(verdicts.error());
  std::map<std::string, Outcome> outcomes;
  for (const auto& row : verdicts->results) {
    const auto [at, fresh] = outcomes.emplace(row.id, row.outcome);
    if (!fresh) at->second = std::max(at->second, row.outcome);
  }
  return outcomes;
}

HistoryPoint point_of(const FreshEntry& fresh, const std::map<std::string, Outcome>& outcomes) {
  const auto& session = fresh.entry.sessions.front();
  HistoryPoint point{.id = fresh.entry.id, .time_s = session.time_s, .runs = session.runs, .spread = session.spread};
  point.floor_s = fresh.floor_s;
  point.dram_bytes = fresh.entry.dram_bytes;
  point.launches = fresh.entry.launches;
  point.code_hash = fresh.entry.code_hash;
  if (const auto outcome = outcomes.find(point.id); outcome != outcomes.end()) point.outcome = outcome_name(outcome->second);
  return point;
}

struct RunFile {
  HistoryRun run;
  std::vector<HistoryPoint> points;
};

/// One file for each machine: a run is of one machine.
std::vector<RunFile> files_of(const Session& session, const SessionLabel& label, const std::map<std::string, Outcome>& outcomes) {
  std::vector<RunFile> files;
  for (const auto& fresh : session.entries) {
    const auto& entry = fresh.entry;
    auto file = std::find_if(files.begin(), files.end(), [&](const RunFile& other) {
      return other.run.machine == entry.machine && other.run.method == entry.method;
    });
    if (file == files.end()) {
      HistoryRun run{.time = now_utc(), .commit = label.commit, .machine = entry.machine, .method = entry.method, .driver = entry.driver,
                     .cuda = entry.cuda, .disturbed = session.disturbed};
      file = files.insert(files.end(), {std::move(run), {}});
    }
    file->points.push_back(point_of(fresh, outcomes));
  }
  return files;
}

/// Takes the first name that is free: jobs that end in the same minute do not meet.
Result<std::string> write_run(const std::string& folder, const RunFile& file) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(Code::cannot_write, {folder, 0, 0, 1, {}, 0}, "cannot make the folder of the history: " + error.message());
  const auto text = history_text(file.run, file.points);
  const auto name = history_name(file.run);
  for (int number = 1; number <= kMostNames; ++number) {
    const auto path = (fs::path(folder) / (name + (number == 1 ? "" : fmt::format("-{}", number)) + ".jsonl")).string();
    const auto written = write_new(path, text);
    if (!written) return tl::unexpected(written.error());
    if (*written) return path;
  }
  return fail(Code::cannot_write, {folder, 0, 0, 1, {}, 0}, fmt::format("{} runs of this minute are there already", kMostNames));
}

Checked<std::vector<std::string>> add(const HistoryAddArgs& args) {
  if (args.inputs.empty())
    return tl::unexpected(Errors{{Code::missing_argument, {}, "no result was given", "roofline profile --runs 5 -o run.json -- ./bench   makes one", {}}});
  std::map<std::string, Outcome> outcomes;
  if (!args.verdicts.empty()) {
    auto read = read_outcomes(args.verdicts);
    if (!read) return tl::unexpected(std::move(read.error()));
    outcomes = std::move(*read);
  }
  const auto checkout = read_checkout({});
  // A history says what was measured, not what is held to: a run of changed files belongs to no commit, and is kept.
  const SessionLabel label{today(), checkout.changed.empty() ? checkout.commit : std::string()};
  const auto session = read_session(args.inputs, label, true, args.gate);
  if (!session) return tl::unexpected(session.error());
  std::vector<std::string> written;
  for (const auto& file : files_of(*session, label, outcomes)) {
    auto path = write_run(folder_of(args.folder), file);
    if (!path) return tl::unexpected(Errors{std::move(path.error())});
    written.push_back(std::move(*path));
  }
  return written;
}

// ---------------------------------------------------------------- show

struct Shown {
  std::vector<HistorySeries> series;
  std::set<std::string> ids;  ///< of the newest runs, for did-you-mean
};

/// Reads every file, one after the other; what is kept is the kernel's own points.
Checked<Shown> read_series(const std::vector<std::string>& files, const std::string& id) {
  Shown shown;
  const auto newest = files.size() - std::min(files.size(), kLastCovered);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto run = read_history_file(files[i], [&](const HistoryRun& of, std::string_view name, double, std::string_view line) {
      if (name != id) {
        if (i >= newest) shown.ids.emplace(name);
        return;
      }
      auto point = read_history_point(line);
      if (!point) return;
      const auto machine = describe(of.machine);
      auto series = std::find_if(shown.series.begin(), shown.series.end(), [&](const auto& one) { return one.machine == machine; });
      if (series == shown.series.end()) series = shown.series.insert(shown.series.end(), {machine, {}});
      series->moments.push_back({of.time, of.commit, std::move(*point)});
    });
    if (!run) return tl::unexpected(run.error());
  }
  return shown;
}

/// Every file is read, so that a damaged one is met; the kernels are those of the newest.
Checked<HistoryOverview> read_overview(const std::vector<std::string>& files, std::size_t last) {
  HistoryOverview overview{.files = files.size(), .covered = std::min(files.size(), last)};
  std::map<std::pair<std::string, std::string>, HistoryKernel> kernels;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool covered = i + overview.covered >= files.size();
    std::string machine;
    const auto run = read_history_file(files[i], [&](const HistoryRun& of, std::string_view id, double time, std::string_view) {
      if (!covered) return;
      if (machine.empty()) machine = describe(of.machine);
      auto& kernel = kernels[{machine, std::string(id)}];
      if (kernel.runs++ == 0) kernel = {std::string(id), machine, 1, time, time, time, time};
      kernel.latest_s = time;
      kernel.least_s = std::min(kernel.least_s, time);
      kernel.most_s = std::max(kernel.most_s, time);
    });
    if (!run) return tl::unexpected(run.error());
    if (i == 0) overview.first_time = run->time;
    overview.last_time = run->time;
  }
  for (auto& [key, kernel] : kernels) overview.kernels.push_back(std::move(kernel));
  return overview;
}

int show_kernel(const AnswerStyle& style, const HistoryShowArgs& args, const std::vector<std::string>& files, std::size_t last) {
  const auto shown = read_series(files, args.id);
  if (!shown) return report_errors(shown.error(), style.errors);
  if (shown->series.empty()) {
    const std::vector<std::string_view> known(shown->ids.begin(), shown->ids.end());
    return report_error({Code::unknown_name, {folder_of(args.folder), 0, 0, 1, {}, 0},
                         "no kernel \"" + shortened(printable(args.id), 60) + "\" in this history", did_you_mean(args.id, known), {}},
                        style.errors);
  }
  return write_answer(style, args,
                      {.schema = "roofline.history-show/1",
                       .page = [&](Page& page) { write_series_page(page, args.id, shown->series, last); },
                       .json = [&](JsonWriter& json) { write_series_json(json, args.id, shown->series); }});
}

// ---------------------------------------------------------------- compact

Checked<std::vector<ThinnedRun>> read_runs(const std::vector<std::string>& files) {
  std::vector<ThinnedRun> runs;
  for (const auto& file : files) {
    double sum = 0;
    std::size_t count = 0;
    const auto run = read_history_file(file, [&](const HistoryRun&, std::string_view, double time, std::string_view) {
      sum += std::log(time);
      ++count;
    });
    if (!run) return tl::unexpected(run.error());
    runs.push_back({file, run->time, describe(run->machine), count > 0 ? sum / static_cast<double>(count) : 0});
  }
  return runs;
}

Checked<Thinning> thinning_of(const HistoryCompactArgs& args) {
  constexpr std::string_view kThen[] = {"daily", "weekly"};
  Errors errors;
  Thinning thinning;
  if (!args.keep.empty())
    if (const auto keep = read_size("--keep", args.keep, 0, errors)) thinning.keep = *keep;
  if (!args.then.empty()) {
    if (auto known = check_choice("--then", args.then, kThen); !known) errors.push_back(std::move(known.error()));
    else if (args.then == "weekly") thinning.daily_days = 0;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return thinning;
}

Result<void> remove_files(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    std::error_code error;
    fs::remove(file, error);  // one that another job removed meanwhile is gone, as it should be
    if (error) return fail(Code::cannot_write, {file, 0, 0, 1, {}, 0}, "cannot remove: " + error.message());
  }
  return {};
}

}  // namespace

int run_history_add(Words words) {
  const auto args = parse<HistoryAddArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  const auto written = add(*args);
  if (!written) return report_errors(written.error(), style->errors);
  return write_answer(*style, *args,
                      {.schema = "roofline.history-add/1",
                       .page = [&](Page& page) { for (const auto& path : *written) page.sentence(printable(path)); },
                       .json =
                           [&](JsonWriter& json) {
                             json.begin_array("files");
                             for (const auto& path : *written) json.text(path);
                             json.end_array();
                           }});
}

int run_history_show(Words words) {
  const auto args = parse<HistoryShowArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  Errors errors;
  std::optional<std::size_t> last = args->id.empty() ? kLastCovered : kLastShown;
  if (!args->last.empty()) last = read_size("--last", args->last, 1, errors);
  const auto files = history_files(folder_of(args->folder));
  if (!files) errors.push_back(files.error());
  if (!errors.empty()) return report_errors(errors, style->errors);
  if (!args->id.empty()) return show_kernel(*style, *args, *files, *last);
  const auto overview = read_overview(*files, *last);
  if (!overview) return report_errors(overview.error(), style->errors);
  return write_answer(*style, *args,
                      {.schema = "roofline.history-show/1",
                       .page = [&](Page& page) { write_overview_page(page, *overview); },
                       .json = [&](JsonWriter& json) { write_overview_json(json, *overview); }});
}

int run_history_compact(Words words) {
  const auto args = parse<HistoryCompactArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  const auto thinning = thinning_of(*args);
  if (!thinning) return report_errors(thinning.error(), style->errors);
  const auto files = history_files(folder_of(args->folder));
  if (!files) return report_error(files.error(), style->errors);
  const auto runs = read_runs(*files);
  if (!runs) return report_errors(runs.error(), style->errors);
  const auto removed = runs_to_remove(*runs, *thinning);
  if (!args->dry_run)
    if (const auto done = remove_files(removed); !done) return report_error(done.error(), style->errors);
  return write_answer(*style, *args,
                      {.schema = "roofline.history-compact/1",
                       .page =
                           [&](Page& page) {
                             for (const auto& file : removed)
                               if (args->dry_run) page.sentence("would remove " + printable(file));
                             page.sentence(fmt::format("{} of {} runs {}, {} stay", removed.size(), runs->size(),
                                                       args->dry_run ? "would be removed" : "removed", runs->size() - removed.size()));
                           },
                       .json =
                           [&](JsonWriter& json) {
                             json.number("kept", static_cast<double>(runs->size() - removed.size()));
                             json.flag("written", !args->dry_run);
                             json.begin_array("removed");
                             for (const auto& file : removed) json.text(file);
                             json.end_array();
                           }});
}

}  // namespace roofline::cli
