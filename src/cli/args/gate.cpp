#include "cli/args/declare.hpp"
#include "roofline/report/gate.hpp"

namespace roofline::cli {

using namespace args;

namespace {

std::string gate_format_names(std::string_view between) {
  std::string names;
  for (const auto& format : gate_formats()) names.append(names.empty() ? "" : between).append(format.name);
  return names;
}

}  // namespace

void declare(CLI::App& app, GateArgs& args) {
  constexpr const char* kOther = "Instead of checking";
  positional(app, "GATE", args.inputs, "the gate file, then results: roofline.result/1, the JSON of nvbench or Google Benchmark, or a CSV of id,time");
  app.add_option("--report", args.reports, "write a report to FILE as well; repeatable. KIND: " + gate_format_names(", "))
      ->type_name("KIND=FILE")->group(kMain)->allow_extra_args(false);
  text(app, kMain, "--baseline", args.baseline, "FILE", "what regressions are held against; default: roofline.baseline.json beside GATE");
  flag(app, kMain, "--require-baseline", args.require_baseline, "a missing baseline is an error, not \"new\"");
  text(app, kMain, "--against", args.against, "COMMAND", "measure this program too, interleaved with the one after --: regressions are against it");
  flag(app, kMain, "--summary", args.summary, "append a table to $GITHUB_STEP_SUMMARY");
  text(app, kMain, "-g,--gpu", args.gpu, "GPU", "the machine that the limits are for, instead of the one that the gate names");
  text(app, kMain, "-f,--format", args.format, gate_format_names("|"), "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  add_verbosity(app, args);
  text(app, kModel, "--pinned", args.pinned, "FILE", "the release that max_drift_pct is held against; default: roofline.baseline.release.json beside GATE");
  text(app, kModel, "--runs", args.runs, "N", "of the program after --, to begin with; more are added while something is undecided");
  flag(app, kModel, "--cross-gpu", args.cross_gpu, "results of another GPU are shown for information; nothing of them passes or fails");
  text(app, kModel, "--today", args.today, "DATE", "the day by which quarantines end, as in 2026-12-01; default: today (UTC)");
  flag(app, kOther, "--init", args.init, "print a first gate file from a result: limits stand above what was measured");
  text(app, kOther, "--margin", args.margin, "SHARE", "with --init: how far above; default: 10 %");
  flag(app, kOther, "--diff-limits", args.diff_limits, "compare two gate files: which limits are loosened");
  flag(app, kOther, "--exit-code", args.exit_code, "with --diff-limits: exit 1 where one is");
  flag(app, kOther, "--self-test", args.self_test, "the program against itself: how small a limit these runs can decide here");
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

namespace {

void add_baseline(CLI::App& app, std::string& file) {
  text(app, kMain, "-b,--baseline", file, "FILE", "default: roofline.baseline.json");
}
void declare_recording(CLI::App& app, BaselineRecordArgs& args) {
  positional(app, "RESULT", args.inputs, "results of roofline profile; several are the runs of one session");
  add_baseline(app, args.baseline);
  text(app, kMain, "--gate", args.gate, "GATE", "record the kernels and ranges that this gate names, under its ids");
  app.add_option("--only", args.only, "this kernel alone; repeated: these")->type_name("ID")->group(kMain)->allow_extra_args(false);
  flag(app, kMain, "-n,--dry-run", args.dry_run, "say what would be recorded, write nothing");
  flag(app, kModel, "--allow-dirty", args.allow_dirty, "with changed files in the checkout: the session names no commit");
  flag(app, kModel, "--allow-disturbed", args.allow_disturbed, "also from a throttled GPU, or one that other processes used");
}

}  // namespace

void declare(CLI::App& app, BaselineRecordArgs& args) {
  declare_recording(app, args);
  text(app, kMain, "--pin", args.pin, "NAME", "copy the baseline to roofline.baseline.NAME.json, which max_drift_pct is held against");
  declare_answer(app, args);
}
void declare(CLI::App& app, BaselineUpdateArgs& args) {
  text(app, kMain, "--reason", args.reason, "TEXT", "why, for whoever reviews the file; required");
  declare_recording(app, args);
  declare_answer(app, args);
}
void declare(CLI::App& app, BaselineShowArgs& args) {
  positional(app, "ID", args.id, "one kernel with all its sessions; without it, a line for each");
  add_baseline(app, args.baseline);
  declare_answer(app, args);
}
void declare(CLI::App& app, BaselineDiffArgs& args) {
  positional(app, "FILE", args.files, "the old baseline, then the new one; - is standard input");
  flag(app, kMain, "--exit-code", args.exit_code, "exit with 1 where a line was loosened or is gone");
  declare_answer(app, args);
}

namespace {

void add_history(CLI::App& app, std::string& folder) {
  text(app, kMain, "-d,--dir", folder, "FOLDER", "where the runs are; default: .roofline/history");
}

}  // namespace

void declare(CLI::App& app, HistoryAddArgs& args) {
  positional(app, "RESULT", args.inputs, "results of roofline profile; several are the runs of one session");
  add_history(app, args.folder);
  text(app, kMain, "--gate", args.gate, "GATE", "keep the kernels and ranges that this gate names, under its ids");
  text(app, kMain, "--gate-result", args.verdicts, "FILE", "the gate's JSON about these results: each kernel keeps its outcome");
  declare_answer(app, args);
}
void declare(CLI::App& app, HistoryShowArgs& args) {
  positional(app, "ID", args.id, "one kernel over time; without it, a line for each of the newest runs");
  add_history(app, args.folder);
  text(app, kMain, "--last", args.last, "N", "newest runs that are shown; default: 20 of one kernel, 50 in the overview");
  declare_answer(app, args);
}
void declare(CLI::App& app, HistoryCompactArgs& args) {
  add_history(app, args.folder);
  text(app, kMain, "--keep", args.keep, "N", "newest runs that all stay; default: 200");
  text(app, kMain, "--then", args.then, "daily|weekly", "of the older ones, one a day for a year and one a week before (daily, the default), or one a week");
  flag(app, kMain, "-n,--dry-run", args.dry_run, "say what would be removed, remove nothing");
  declare_answer(app, args);
}
void declare(CLI::App& app, CompareArgs& args) {
  positional(app, "RESULT", args.inputs, "the old result, then the new one");
  flag(app, kMain, "--ab", args.ab, "measure two programs by turns instead: needs --base-cmd and --cand-cmd");
  text(app, kMain, "--base-cmd", args.base_cmd, "COMMAND", "the old program with its arguments, as a shell would read it");
  text(app, kMain, "--cand-cmd", args.cand_cmd, "COMMAND", "the new one");
  text(app, kMain, "--limit", args.limit, "CHANGE", "a smaller change is the same, as in 2%; default: 5%");
  text(app, kMain, "--rounds", args.rounds, "N", "most rounds of an A/B; default: 11, of which 5 are always run");
  text(app, kMain, "--timeout", args.timeout, "TIME", "of one run of a program, as in 60s; default: none");
  flag(app, kMain, "--exit-code", args.exit_code, "exit with 1 where a kernel is slower, or gone");
  flag(app, kMain, "--cross-gpu", args.cross_gpu, "of two GPUs: both times beside each other, no verdict");
  declare_answer(app, args);
}

}  // namespace roofline::cli

ROOFLINE_ARGS(GateArgs);
ROOFLINE_ARGS(BaselineRecordArgs);
ROOFLINE_ARGS(BaselineUpdateArgs);
ROOFLINE_ARGS(BaselineShowArgs);
ROOFLINE_ARGS(BaselineDiffArgs);
ROOFLINE_ARGS(HistoryAddArgs);
ROOFLINE_ARGS(HistoryShowArgs);
ROOFLINE_ARGS(HistoryCompactArgs);
ROOFLINE_ARGS(CompareArgs);
