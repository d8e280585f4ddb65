#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/answer.hpp"
#include "cli/checkout.hpp"
#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/style.hpp"
#include "cli/terminal.hpp"
#include "report/baseline/page.hpp"
#include "report/baseline/text.hpp"
#include "roofline/analysis/baseline.hpp"
#include "roofline/base/input.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultFile = "roofline.baseline.json";

void append(Errors& all, Errors&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string file_of(const std::string& option) { return option.empty() ? kDefaultFile : option; }

/// The file, or an empty baseline where there is none yet. Whatever exists and cannot be read is an
/// error.
Checked<Baseline> baseline_or_new(const std::string& path) {
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return Baseline{.file = path, .entries = {}};
  return read_baseline_file(path);
}

/// "roofline.baseline.json" pinned as "release": "roofline.baseline.release.json".
std::string pinned_name(const std::string& path, const std::string& name) {
  const fs::path file(path);
  return (file.parent_path() / (file.stem().string() + "." + name + file.extension().string()))
      .string();
}

Result<void> check_pin(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
  if (plain && name != "." && name != "..") return {};
  return fail(Code::bad_option, {},
              "--pin " + shortened(printable(name), 60) + " is no part of a file's name",
              "letters, digits, -, _ and .");
}

// ---------------------------------------------------------------- what is recorded

Result<SessionLabel> label_of(const BaselineRecordArgs& args, const std::string& file) {
  const auto checkout = read_checkout({file});
  if (checkout.changed.empty()) return SessionLabel{today(), checkout.commit};
  if (args.allow_dirty) return SessionLabel{today(), {}};
  return fail(Code::dirty_tree, {},
              fmt::format("{} differ{} from the last commit{}", printable(checkout.changed.front()),
                          checkout.changed.size() == 1 ? "s" : "",
                          checkout.changed.size() == 1
                              ? ""
                              : fmt::format(", and so do {} more", checkout.changed.size() - 1)),
              "commit or stash, or give --allow-dirty: then the session names no commit");
}

/// Keeps the entries of `only`; names that the results do not have are errors.
void choose(Session& session, const std::vector<std::string>& only, Errors& errors) {
  if (only.empty()) return;
  std::vector<std::string_view> known;
  for (const auto& fresh : session.entries) known.push_back(fresh.entry.id);
  for (const auto& id : only)
    if (std::find(known.begin(), known.end(), id) == known.end())
      errors.push_back(
          {Code::unknown_name,
           {},
           "--only " + shortened(printable(id), 60) + ": the results have no such kernel",
           did_you_mean(id, known),
           {}});
  std::erase_if(session.entries, [&](const FreshEntry& fresh) {
    return std::find(only.begin(), only.end(), fresh.entry.id) == only.end();
  });
}

Errors option_errors(const BaselineRecordArgs& args, bool is_update) {
  Errors errors;
  if (args.inputs.empty() && (is_update || args.pin.empty()))
    errors.push_back({Code::missing_argument,
                      {},
                      "no result was given",
                      "roofline profile --runs 5 -o run.json -- ./bench   makes one",
                      {}});
  if (is_update && trimmed(args.reason).empty())
    errors.push_back(
        {Code::missing_argument,
         {},
         "an update needs its reason",
         "--reason \"fused epilogue, PR 88\": it stands in the file, for whoever reviews it",
         {}});
  if (auto pin = check_pin(args.pin); !pin) errors.push_back(std::move(pin.error()));
  return errors;
}

struct Done {
  std::vector<Recording> recordings;
  std::vector<std::string> left_out;
  std::size_t ungated = 0;
  std::string file, pinned;
};

/// Writes only what was read a moment ago: a job that recorded in between is not overwritten.
Result<void> write_baseline(const Baseline& baseline, const std::string& before) {
  std::error_code error;
  if (fs::exists(baseline.file, error)) {
    const auto now = read_input(baseline.file, std::size_t{64} << 20);
    if (!now) return tl::unexpected(now.error());
    if (*now != before)
      return fail(Code::cannot_write, {baseline.file, 0, 0, 1, {}, 0},
                  "the baseline was changed while this session was recorded", "run it again");
  } else if (!before.empty()) {
    return fail(Code::cannot_write, {baseline.file, 0, 0, 1, {}, 0},
                "the baseline was removed while this session was recorded", "run it again");
  }
  return write_atomically(baseline.file, baseline_text(baseline));
}

Result<std::string> text_before(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::string();
  return read_input(file, std::size_t{64} << 20);
}

Checked<Done> record(const BaselineRecordArgs& args, bool is_update) {
  if (auto errors = option_errors(args, is_update); !errors.empty())
    return tl::unexpected(std::move(errors));
  Done done{
      .recordings = {}, .left_out = {}, .ungated = 0, .file = file_of(args.baseline), .pinned = {}};
  auto before = text_before(done.file);
  if (!before) return tl::unexpected(Errors{before.error()});
  auto baseline = baseline_or_new(done.file);
  if (!baseline) return tl::unexpected(std::move(baseline.error()));
  if (!args.inputs.empty()) {
    const auto label = label_of(args, done.file);
    if (!label) return tl::unexpected(Errors{label.error()});
    auto session = read_session(args.inputs, *label, args.allow_disturbed, args.gate);
    if (!session) return tl::unexpected(std::move(session.error()));
    Errors errors;
    choose(*session, args.only, errors);
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    done.left_out = std::move(session->left_out);
    done.ungated = session->ungated;
    done.recordings = is_update ? replace_entries(*baseline, session->entries, trimmed(args.reason))
                                : record_session(*baseline, session->entries);
  }
  const bool changed = std::any_of(done.recordings.begin(), done.recordings.end(),
                                   [](const Recording& one) { return one.recorded(); });
  if (changed && !args.dry_run)
    if (auto written = write_baseline(*baseline, *before); !written)
      return tl::unexpected(Errors{std::move(written.error())});
  if (args.pin.empty() || args.dry_run) return done;
  if (baseline->entries.empty())
    return tl::unexpected(Errors{{Code::missing_argument,
                                  {},
                                  "there is no baseline to pin: " + done.file,
                                  "roofline baseline record run.json",
                                  {}}});
  done.pinned = pinned_name(done.file, args.pin);
  if (auto written = write_atomically(done.pinned, baseline_text(*baseline)); !written)
    return tl::unexpected(Errors{std::move(written.error())});
  return done;
}

std::string short_list(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  for (auto& name : names) name = shortened(printable(name), 60);
  if (names.size() <= kMost) return joined(names);
  const auto more = names.size() - kMost;
  names.resize(kMost);
  return fmt::format("{} and {} more", joined(names, ", "), more);
}

void write_done(Page& page, const Done& done, bool dry_run) {
  if (!done.recordings.empty()) write_recordings_page(page, done.recordings);
  if (!done.left_out.empty())
    page.sentence(fmt::format("without a measured time: {}", short_list(done.left_out)));
  if (done.ungated > 0)
    page.sentence(fmt::format("not recorded: {} kernel{} that the gate does not name", done.ungated,
                              done.ungated == 1 ? "" : "s"));
  const bool any = std::any_of(done.recordings.begin(), done.recordings.end(),
                               [](const Recording& one) { return one.recorded(); });
  if (dry_run)
    page.sentence("nothing was written");
  else if (any)
    page.sentence("in " + printable(done.file));
  if (!done.pinned.empty()) page.sentence("pinned as " + printable(done.pinned));
  if (std::any_of(done.recordings.begin(), done.recordings.end(),
                  [](const Recording& one) { return one.kind == Recording::Kind::slower; }))
    page.sentence(
        "what is slower on purpose: roofline baseline update --only ID --reason \"...\" RESULT");
}

int record_or_update(Words words, const BaselineRecordArgs& args, bool is_update) {
  const auto style = answer_style(words, args);
  if (!style) return report_errors(style.error(), style_of(words));
  const auto done = record(args, is_update);
  if (!done) return report_errors(done.error(), style->errors);
  const Answer answer{.schema = "roofline.baseline-record/1",
                      .page = [&](Page& page) { write_done(page, *done, args.dry_run); },
                      .json =
                          [&](JsonWriter& json) {
                            json.text("file", done->file);
                            json.flag("written", !args.dry_run);
                            if (!done->pinned.empty()) json.text("pinned", done->pinned);
                            write_recordings_json(json, done->recordings);
                          }};
  if (const int failed = write_answer(*style, args, answer); failed != 0) return failed;
  const bool refused =
      std::any_of(done->recordings.begin(), done->recordings.end(), [](const Recording& one) {
        return one.kind == Recording::Kind::slower || one.kind == Recording::Kind::refused;
      });
  return refused ? 1 : 0;
}

}  // namespace

int run_baseline_record(Words words) {
  const auto args = parse<BaselineRecordArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  return record_or_update(words, *args, false);
}

int run_baseline_update(Words words) {
  const auto args = parse<BaselineUpdateArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  return record_or_update(words, *args, true);
}

int run_baseline_show(Words words) {
  const auto args = parse<BaselineShowArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  auto baseline = read_baseline_file(file_of(args->baseline));
  if (!baseline) {
    for (auto& error : baseline.error())
      if (error.code == Code::cannot_read && error.hint.empty())
        error.hint = "roofline baseline record run.json   starts one";
    return report_errors(baseline.error(), style->errors);
  }
  std::vector<std::string_view> ids;
  for (const auto& entry : baseline->entries) ids.push_back(entry.id);
  if (!args->id.empty() && std::find(ids.begin(), ids.end(), args->id) == ids.end())
    return report_error(
        {Code::unknown_name,
         {baseline->file, 0, 0, 1, {}, 0},
         "no kernel \"" + shortened(printable(args->id), 60) + "\" in this baseline",
         did_you_mean(args->id, ids),
         {}},
        style->errors);
  return write_answer(
      *style, *args,
      {.schema = "roofline.baseline-show/1",
       .page = [&](Page& page) { write_baseline_page(page, *baseline, args->id, today()); },
       .json = [&](JsonWriter& json) { write_baseline_json(json, *baseline, args->id); }});
}

int run_baseline_diff(Words words) {
  const auto args = parse<BaselineDiffArgs>(words);
  if (!args) return report_error(args.error(), style_of(words));
  const auto style = answer_style(words, *args);
  if (!style) return report_errors(style.error(), style_of(words));
  if (args->files.size() != 2)
    return report_error(
        {Code::missing_argument,
         {},
         "two baselines are compared: the old one, then the new one",
         "git show main:roofline.baseline.json | roofline baseline diff - roofline.baseline.json",
         {}},
        style->errors);
  const auto old = read_baseline_file(args->files[0]);
  const auto fresh = read_baseline_file(args->files[1]);
  Errors errors;
  if (!old) append(errors, Errors(old.error()));
  if (!fresh) append(errors, Errors(fresh.error()));
  if (!errors.empty()) return report_errors(errors, style->errors);
  const auto changes = compare_baselines(*old, *fresh);
  if (const int failed =
          write_answer(*style, *args,
                       {.schema = "roofline.baseline-diff/1",
                        .page = [&](Page& page) { write_changes_page(page, changes); },
                        .json = [&](JsonWriter& json) { write_changes_json(json, changes); }});
      failed != 0)
    return failed;
  const bool loosened =
      std::any_of(changes.begin(), changes.end(), [](const BaselineChange& change) {
        return change.kind == BaselineChange::Kind::loosened ||
               change.kind == BaselineChange::Kind::gone;
      });
  return args->exit_code && loosened ? 1 : 0;
}

}  // namespace roofline::cli
