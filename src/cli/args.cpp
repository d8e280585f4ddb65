#include "cli/args.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "roofline/base/text.hpp"
#include "roofline/report/audit.hpp"
#include "roofline/report/gate.hpp"
#include "roofline/report/report.hpp"

namespace roofline::cli {
namespace {

// Options of this group are in the short help; those of the others in the long one only.
constexpr const char* kMain = "Options";
constexpr const char* kModel = "What is assumed";
constexpr const char* kOutput = "Output";
constexpr const char* kSettings = "Settings";

std::string format_names() {
  std::string names;
  for (const auto& format : output_formats()) names += (names.empty() ? "" : "|") + std::string(format.name);
  return names;
}

std::string audit_format_names() {
  std::string names;
  for (const auto& format : audit_formats()) names += (names.empty() ? "" : "|") + std::string(format.name);
  return names;
}

std::string gate_format_names(std::string_view between) {
  std::string names;
  for (const auto& format : gate_formats()) names.append(names.empty() ? "" : between).append(format.name);
  return names;
}

/// The names between bars are the values: help shows them, completion offers them.
CLI::Option* text(CLI::App& app, const char* group, const std::string& names, std::string& value, const std::string& type,
                  const std::string& doc) {
  return app.add_option(names, value, doc)->type_name(type)->group(group);
}

CLI::Option* flag(CLI::App& app, const char* group, const std::string& names, bool& value, const std::string& doc) {
  return app.add_flag(names, value, doc)->group(group);
}

CLI::Option* positional(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& doc) {
  return app.add_option(name, values, doc)->type_name(name)->group("Arguments");
}
CLI::Option* positional(CLI::App& app, const std::string& name, std::string& value, const std::string& doc) {
  return app.add_option(name, value, doc)->type_name(name)->group("Arguments");
}

void add_colour(CLI::App& app, CommonArgs& args) {
  text(app, kOutput, "--color", args.color, "auto|always|never", "colours; auto: on a terminal, unless NO_COLOR is set");
}
void add_width(CLI::App& app, CommonArgs& args) {
  text(app, kOutput, "--width", args.width, "COLUMNS", "columns of the text; default: the terminal's, else $COLUMNS, else 100");
}
void add_json(CLI::App& app, CommonArgs& args, const char* group = kMain) {
  flag(app, group, "--json", args.json, "JSON instead of text, errors too");
}
void add_verbosity(CLI::App& app, CommonArgs& args) {
  app.add_flag("-q,--quiet", args.quiet, "verdict lines only; -qq: nothing but errors")->group(kMain);
  app.add_flag("-v,--verbose", args.verbose, "formulas, and a block for every kernel; names the configuration files used")->group(kMain);
}
void add_config(CLI::App& app, CommonArgs& args) {
  text(app, kSettings, "--config", args.config, "FILE", "settings from this file instead of roofline.yml and the user's");
  flag(app, kSettings, "--no-config", args.no_config, "no settings from any file");
}

void declare_kernel_args(CLI::App& app, KernelArgs& args, const std::string& formats) {
  positional(app, "INPUT", args.inputs, "kernel descriptions in YAML or JSON; - is standard input");
  app.add_option("-g,--gpu", args.gpus, "what to hold the kernels against: a name of the table or a file; several, "
                 "separated by commas or repeated, are compared")
      ->type_name("GPU")->group(kMain)->allow_extra_args(false);
  text(app, kMain, "-f,--format", args.format, formats, "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  add_verbosity(app, args);
  text(app, kModel, "--launch-cost", args.launch_cost, "TIME", "what it costs the CPU to launch a kernel, as in \"5 us\": gives "
       "the wall time of the sequence; a kernel's own launch_cost goes before it");
  text(app, kModel, "--launch-us", args.launch_us, "N", "the same as a number of microseconds");
  text(app, kModel, "--timing", args.timing, "stream|kernel|event|graph|e2e", "how times were taken, for kernels that do not say");
  text(app, kModel, "--sparsity", args.sparsity, "2:4", "tensor peaks with structured sparsity; dense without it");
  text(app, kModel, "--path", args.path, "mma_sync", "tensor peaks of kernels that issue mma.sync");
  text(app, kModel, "--ceilings", args.ceilings, "datasheet|calibrated", "attainable times from the table, or from what roofline calibrate "
       "measured for this user; floors are the data sheet's either way; default: datasheet");
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

void add_explain(CLI::App& app, KernelArgs& args) {
  flag(app, kMain, "-x,--explain", args.explain, "the arithmetic of every term, with the document of every peak");
}
void add_dtypes(CLI::App& app, std::vector<std::string>& dtypes) {
  app.add_option("--dtype", dtypes, "instead of every dtype: of the description (not dtypes:); several, separated by commas or repeated")
      ->type_name("DTYPE")->group(kMain)->allow_extra_args(false);
}
constexpr const char* kSmallFormats = "table|markdown|json";

constexpr const char* kPictures = "Pictures";
constexpr const char* kLaunches = "Captures and other tools' files";

/// What every command that draws takes: reports beside its main output, and how they look.
void add_pictures(CLI::App& app, PictureArgs& args) {
  app.add_option("--report", args.reports, "one more output: svg, html, markdown, csv or json of the pictures, as in svg=chart.svg; repeatable")
      ->type_name("KIND=FILE")->group(kPictures)->allow_extra_args(false);
  text(app, kPictures, "--theme", args.theme, "light|dark|print", "colours of an SVG; default: light. HTML has all of them");
  text(app, kPictures, "--panels", args.panels, "dtype|gpu", "charts of one size on the same axes: one for each datapath, or one for each GPU of an SVG");
  flag(app, kPictures, "--levels", args.levels, "the traffic of L2, L1 and shared memory as satellites, where counters saw it");
  text(app, kPictures, "--rows", args.rows, "N", "kernels that an SVG numbers and lists, those with most time first; default: 30");
  flag(app, kPictures, "--ascii", args.ascii, "a terminal's chart without braille, as where the locale is not UTF-8");
}

/// The same of commands whose own output is another: there the terminal's chart is asked for.
void add_plot_and_pictures(CLI::App& app, PictureArgs& args) {
  flag(app, kPictures, "--plot", args.plot, "bars and the roofline chart after the table");
  add_pictures(app, args);
}

/// What captures and other tools' files take besides the options of descriptions.
template <class Args>
void add_launch_inputs(CLI::App& app, Args& args) {
  text(app, kLaunches, "-s,--spec", args.spec, "FILE[#NAME]", "hold the launches against the kernels of this description");
  text(app, kLaunches, "--filter", args.filter, "GLOB", "only kernels whose canonical name matches; /REGEX/ is searched in the demangled name");
  text(app, kLaunches, "--range", args.range, "GLOB", "only what was launched while a range of such a name was open: --range 'ProfilerStep#3'");
  text(app, kLaunches, "--from", args.from, "FORMAT", "the file's format, where it cannot be told from the file (roofline import --list)");
  text(app, kLaunches, "--decimal", args.decimal, "point|comma", "the decimal sign of a table whose numbers do not settle it");
  text(app, kLaunches, "--dtype", args.dtype, "DTYPE", "of a table that names none");
}

void declare(CLI::App& app, ImportArgs& args) {
  positional(app, "FILE", args.inputs, "files of other profilers and captures, read as one run of several processes; - is standard input");
  app.add_option("-g,--gpu", args.gpus, "the GPU that they were made on, where the files do not say: a name of the table or a file")
      ->type_name("GPU")->group(kMain)->allow_extra_args(false);
  text(app, kMain, "-f,--format", args.format, "json|capture|jsonl|table|markdown|csv",
       "what to write: a result (json, the default), a capture (of one file; the default where FILE of -o ends in .rlf), its records, or the report");
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  flag(app, kMain, "--list", args.list, "the formats that are read");
  add_json(app, args);
  add_verbosity(app, args);
  add_launch_inputs(app, args);
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

void declare(CLI::App& app, AnalyzeArgs& args) {
  declare_kernel_args(app, args, format_names());
  add_launch_inputs(app, args);
  add_explain(app, args);
  add_plot_and_pictures(app, args.pictures);
}

void declare(CLI::App& app, ReportArgs& args) {
  positional(app, "RESULT", args.input, "a roofline.result/1 file: of analyze --json, profile, import; - is standard input");
  text(app, kMain, "-f,--format", args.format, "table|svg|html|markdown|csv|json", "how to draw; table, the default, is a chart for the terminal");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  text(app, kMain, "--before", args.before, "RESULT", "an older result: its kernels are drawn as ghosts, with an arrow to where they are now");
  text(app, kMain, "--gate-result", args.gate_result, "FILE", "what a gate said of this result, as gate --report json=FILE wrote it: a word for each kernel, and what failed");
  text(app, kMain, "--history", args.history, "DIR", "the history that history add keeps: a line for each kernel over its runs, with the steps in it");
  add_pictures(app, args.pictures);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, FuseArgs& args) { declare_kernel_args(app, args, kSmallFormats); }

void declare(CLI::App& app, SweepArgs& args) {
  app.add_option("--vary", args.vary, "a variable of params: or a size of the kernels, and what it takes: M=1:4096:x2 (a range), "
                 "B=1,8,64 (a list), K=8192; repeated: the product")
      ->type_name("NAME=VALUES")->group(kMain)->allow_extra_args(false);
  add_dtypes(app, args.dtypes);
  declare_kernel_args(app, args, format_names());
  add_explain(app, args);
  add_plot_and_pictures(app, args.pictures);
}

void declare(CLI::App& app, SolveArgs& args) {
  text(app, kMain, "--for", args.variable, "NAME", "the variable of params:, or the size of the kernels, to solve for");
  text(app, kMain, "--from", args.from, "N", "lowest value; default: 1");
  text(app, kMain, "--to", args.to, "N", "highest value; default: 2^40");
  text(app, kMain, "--time", args.time, "TIME", "a floor to reach, as in \"100 us\": what each ceiling would have to be");
  add_dtypes(app, args.dtypes);
  declare_kernel_args(app, args, kSmallFormats);
}

void declare(CLI::App& app, ModelArgs& args) {
  constexpr const char* kStep = "The step";
  constexpr const char* kStorage = "How it is stored and shared";
  positional(app, "CONFIG", args.input, "config.json of a model; hf_quant_config.json beside it is read along; - is standard input");
  app.add_option("-g,--gpu", args.gpus, "what to hold the model against: a name of the table or a file; several, separated by "
                 "commas or repeated")
      ->type_name("GPU")->group(kMain)->allow_extra_args(false);
  text(app, kMain, "--phase", args.phase, "prefill|decode|train", "which step; default: decode, of encoders prefill");
  text(app, kMain, "--batch", args.batch, "N", "sequences (images); default: 1");
  text(app, kMain, "--context", args.context, "N", "decode: tokens that the new one sees; default: 4096");
  text(app, kMain, "--tokens", args.tokens, "N", "prefill, train: new tokens of a sequence; default: 4096");
  text(app, kMain, "-f,--format", args.format, "table|json|csv|markdown|jsonl", "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  add_verbosity(app, args);
  text(app, kStep, "--prefix", args.prefix, "N", "prefill: tokens that lie in the cache already");
  text(app, kStep, "--logits", args.logits, "last|all", "prefill: of the last token of each sequence, or of all; default: last");
  text(app, kStep, "--time", args.time, "TIME", "measured time of the step, as in \"6.2 ms\": gives the share of the floor and the MFU");
  text(app, kStep, "--launch-cost", args.launch_cost, "TIME", "what it costs the CPU to launch a kernel, as in \"5 us\"");
  flag(app, kStep, "--graph", args.graph, "the step is launched as one graph");
  text(app, kStorage, "--weights", args.weights, "FORMAT", "how matrices are stored, instead of what the config says: a dtype (bf16, fp8, "
       "int8, int4) or a format with scales (fp8_tensor, fp8_block, int8_channel, awq_int4, gptq_int4:64, mxfp4, nvfp4 ...)");
  text(app, kStorage, "--activations", args.activations, "DTYPE", "what narrow weights are multiplied with; default: what their format says");
  text(app, kStorage, "--kv-dtype", args.kv_dtype, "DTYPE", "of the cache; fp8_rows_656: FlashMLA's rows of latent attention");
  text(app, kStorage, "--tp", args.tp, "N", "tensor parallel: heads, widths and vocabulary divided among N GPUs");
  text(app, kStorage, "--ep", args.ep, "N", "expert parallel: experts divided among N GPUs; beyond --tp each group brings its own batch");
  text(app, kStorage, "--pp", args.pp, "N", "pipeline parallel: layers divided into N stages");
  text(app, kSettings, "--as", args.as, "MODEL_TYPE", "read the config as this family, whatever its model_type");
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

void declare(CLI::App& app, ProfileArgs& args) {
  constexpr const char* kCollect = "What is collected";
  app.add_option("SPEC", args.inputs, "a description whose launch: says how its kernel is started; without it the program stands after --")->type_name("SPEC")->group("Arguments");
  text(app, kMain, "-s,--spec", args.spec, "FILE[#NAME]", "hold the launches against the kernels of this description, or against the one of that name");
  app.add_option("-g,--gpu", args.gpus, "the GPU's entry of the table, or a file; default: told from the device by its facts")
      ->type_name("GPU")->group(kMain)->allow_extra_args(false);
  text(app, kMain, "-o,--output", args.output, "FILE", "write the result (roofline.result/1) to FILE, whole or not at all; - is standard output, instead of the text");
  text(app, kMain, "-n,--runs", args.runs, "N", "run the program N times; default: 1");
  flag(app, kMain, "-c,--counters", args.counters, "run it once more under hardware counters: DRAM bytes, FLOPs, what slows a kernel down");
  text(app, kMain, "-f,--format", args.format, "table|markdown|json|csv", "how to print; default: table");
  add_json(app, args);
  add_verbosity(app, args);
  text(app, kCollect, "--filter", args.filter, "GLOB", "only kernels whose canonical name matches; /REGEX/ is searched in the demangled name");
  flag(app, kCollect, "--counters-only", args.counters_only, "under counters alone: no times that could be held against a floor");
  flag(app, kCollect, "--no-sass", args.no_sass, "one pass less for each counted launch; no FLOPs of the CUDA cores");
  flag(app, kCollect, "--sample", args.sample, "sample counters of the whole device instead of replaying kernels: for programs that must not be replayed");
  text(app, kCollect, "--launches", args.launches, "N", "count N launches of each kernel; default: 3");
  text(app, kCollect, "--skip", args.skip, "N", "after N launches of it; default: 2");
  text(app, kCollect, "--exclude", args.exclude, "TEXTS", "kernels that are never replayed, by parts of their names; default: nccl,nvshmem,mscclpp");
  text(app, kCollect, "--graph-level", args.graph_level, "node|graph", "CUDA graphs by their kernels, or each as a whole, which costs less; default: node");
  text(app, kCollect, "--timeout", args.timeout, "TIME", "kill the program when a run takes longer, as in \"90 s\"");
  text(app, kCollect, "--keep", args.keep, "DIR", "keep the captures in this folder: roofline analyze DIR reads them again");
  text(app, kCollect, "--cupti", args.cupti, "FILE", "this libcupti instead of the one that is found");
  text(app, kModel, "--ceilings", args.ceilings, "datasheet|calibrated", "attainable times from the table, or from what roofline calibrate "
       "measured for this user; floors are the data sheet's either way; default: datasheet");
  flag(app, kCollect, "--propagate-exit", args.propagate_exit, "return the program's own status where it fails, instead of 4");
  add_plot_and_pictures(app, args.pictures);
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

void declare(CLI::App& app, AuditArgs& args) {
  positional(app, "TIMES", args.input, "a table of times in CSV, any size; - is standard input");
  text(app, kMain, "-g,--gpu", args.gpu, "GPU", "the GPU of rows that name none");
  text(app, kMain, "-f,--format", args.format, audit_format_names(), "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  text(app, kMain, "--fail-on", args.fail_on, "impossible|skipped|any", "exit with 1 where such a row was found, or none could be judged");
  text(app, kOutput, "--rows", args.rows, "N", "rows in each list of a table or JSON report; default: 10");
  text(app, kModel, "--timing", args.timing, "stream|kernel|event|graph|e2e", "how times were taken, for rows that do not say");
  text(app, kModel, "--sparsity", args.sparsity, "2:4", "tensor peaks with structured sparsity; dense without it");
  text(app, kModel, "--path", args.path, "mma_sync", "tensor peaks of kernels that issue mma.sync");
  add_colour(app, args);
  add_width(app, args);
  add_config(app, args);
}

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

void declare_answer(CLI::App& app, AnswerArgs& args) {
  text(app, kMain, "-f,--format", args.format, kSmallFormats, "how to print; default: table");
  add_json(app, args);
  text(app, kMain, "-o,--output", args.output, "FILE", "write to FILE, whole or not at all; - is standard output");
  add_colour(app, args);
  add_width(app, args);
}
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

void add_history(CLI::App& app, std::string& folder) {
  text(app, kMain, "-d,--dir", folder, "FOLDER", "where the runs are; default: .roofline/history");
}
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

void declare(CLI::App& app, GpusListArgs& args) {
  positional(app, "TEXT", args.text, "part of an id, name, alias, device name, vendor or architecture");
  text(app, kMain, "--vendor", args.vendor, "NAME", "only this vendor's");
  text(app, kMain, "--architecture", args.architecture, "NAME", "only this architecture or family: hopper, cdna3");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusShowArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusWhyArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files");
  add_colour(app, args);
}
void declare(CLI::App& app, GpusVerifyArgs& args) {
  positional(app, "GPU", args.names, "names of the table, or files; default: all of the table");
  add_json(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, GpusTemplateArgs& args) { add_colour(app, args); }

void declare(CLI::App& app, GpusDetectArgs& args) {
  add_json(app, args);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, DoctorArgs& args) {
  text(app, kMain, "--require", args.require, "analyze|profile|counters", "exit 3 where this does not work; default: analyze");
  flag(app, kMain, "--quick", args.quick, "without the test kernel, which takes a context on GPU 0");
  add_json(app, args);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, CalibrateArgs& args) {
  text(app, kMain, "--device", args.device, "N", "the GPU of this number, as roofline gpus detect counts them; default: 0");
  text(app, kMain, "-g,--gpu", args.gpu, "GPU", "the entry that it is held against and kept for, instead of the one that its facts fit");
  app.add_option("--only", args.only, "these ceilings alone, separated by commas or repeated; nothing is saved")
      ->type_name("NAME")->group(kMain)->allow_extra_args(false);
  flag(app, kMain, "--quick", args.quick, "short bursts, at clocks that long runs do not keep; nothing is saved");
  flag(app, kMain, "--no-save", args.no_save, "print the figures, keep none");
  declare_answer(app, args);
}

void declare(CLI::App& app, OpsListArgs& args) {
  text(app, kMain, "-f,--format", args.format, "table|json|markdown", "how to print; markdown is the whole reference");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, OpsShowArgs& args) {
  positional(app, "OP", args.names, "operations, as `roofline ops list` names them");
  add_json(app, args);
  add_width(app, args);
  add_colour(app, args);
}

void declare(CLI::App& app, SchemaArgs& args) {
  positional(app, "NAME", args.name, "which schema; without it, their names");
  add_colour(app, args);
}
void declare(CLI::App& app, ExplainArgs& args) {
  positional(app, "CODE", args.codes, "RF2003 or 2003, or a word of reports such as under_roof or fits_l2; without it, all of them");
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, CompletionArgs& args) {
  positional(app, "SHELL", args.shell, "bash, zsh or fish");
  add_colour(app, args);
}
void declare(CLI::App& app, HelpArgs& args) {
  positional(app, "COMMAND", args.words, "a command, such as analyze or gpus list");
  flag(app, kMain, "--all", args.all, "the full help of every command, as Markdown");
  flag(app, kMain, "--man", args.man, "as a page for man: roofline help gate --man | man -l -");
  add_width(app, args);
  add_colour(app, args);
}
void declare(CLI::App& app, VersionArgs& args) {
  add_json(app, args);
  add_colour(app, args);
}

/// Every long and short name, for suggestions.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names = {"--help"};
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

Error unexpected_word(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-')
    return {Code::bad_option, {}, "unexpected argument \"" + shortened(printable(word), 100) + '"', {}, {}};
  const auto name = word.substr(0, word.find('='));
  const auto known = option_names(app);
  const std::vector<std::string_view> views(known.begin(), known.end());
  return {Code::unknown_option, {}, "unknown option \"" + shortened(printable(name), 100) + '"', did_you_mean(name, views), {}};
}

/// CLI11's own words are about its types; what a user needs is which option, and that its value is missing or doubled.
Error mismatch(const CLI::ParseError& error) {
  const std::string what = error.what();
  const auto option = what.substr(0, what.find_first_of(": "));
  if (option.starts_with('-')) {
    const bool doubled = what.find("received") != std::string::npos || what.find("At most") != std::string::npos;
    return {doubled ? Code::bad_option : Code::missing_argument, {}, option + (doubled ? " is given more than once" : " needs a value"), {}, {}};
  }
  return {Code::bad_option, {}, printable(what), {}, {}};
}

template <class Args>
struct Holder {
  CLI::App app;
  Args args;
};

}  // namespace

template <class Args>
std::vector<OptionDoc> option_docs() {
  Holder<Args> holder;
  holder.app.set_help_flag();
  declare(holder.app, holder.args);
  std::vector<OptionDoc> docs;
  for (const auto* option : holder.app.get_options()) {
    OptionDoc doc{.names = {}, .value = {}, .doc = option->get_description(), .group = option->get_group()};
    for (const auto& name : option->get_snames()) doc.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) doc.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) doc.value = option->get_type_name();
    docs.push_back(std::move(doc));
  }
  return docs;
}

template <class Args>
Result<Args> parse(Words words) {
  Holder<Args> holder;
  holder.app.set_help_flag();
  holder.app.allow_extras();
  declare(holder.app, holder.args);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 takes them
  try {
    holder.app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(mismatch(error));
  }
  const auto rest = holder.app.remaining();
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& word) { return word.starts_with('-'); });
  if (!rest.empty()) return tl::unexpected(unexpected_word(holder.app, option != rest.end() ? *option : rest.front()));
  return std::move(holder.args);
}

#define ROOFLINE_ARGS(Args)                              \
  template std::vector<OptionDoc> option_docs<Args>();   \
  template Result<Args> parse<Args>(Words words)
ROOFLINE_ARGS(AnalyzeArgs);
ROOFLINE_ARGS(ImportArgs);
ROOFLINE_ARGS(FuseArgs);
ROOFLINE_ARGS(SweepArgs);
ROOFLINE_ARGS(SolveArgs);
ROOFLINE_ARGS(AuditArgs);
ROOFLINE_ARGS(ProfileArgs);
ROOFLINE_ARGS(BaselineRecordArgs);
ROOFLINE_ARGS(BaselineUpdateArgs);
ROOFLINE_ARGS(BaselineShowArgs);
ROOFLINE_ARGS(BaselineDiffArgs);
ROOFLINE_ARGS(HistoryAddArgs);
ROOFLINE_ARGS(HistoryShowArgs);
ROOFLINE_ARGS(HistoryCompactArgs);
ROOFLINE_ARGS(CompareArgs);
ROOFLINE_ARGS(ModelArgs);
ROOFLINE_ARGS(ReportArgs);
ROOFLINE_ARGS(GateArgs);
ROOFLINE_ARGS(GpusListArgs);
ROOFLINE_ARGS(GpusShowArgs);
ROOFLINE_ARGS(GpusWhyArgs);
ROOFLINE_ARGS(GpusVerifyArgs);
ROOFLINE_ARGS(GpusTemplateArgs);
ROOFLINE_ARGS(GpusDetectArgs);
ROOFLINE_ARGS(CalibrateArgs);
ROOFLINE_ARGS(DoctorArgs);
ROOFLINE_ARGS(OpsListArgs);
ROOFLINE_ARGS(OpsShowArgs);
ROOFLINE_ARGS(SchemaArgs);
ROOFLINE_ARGS(ExplainArgs);
ROOFLINE_ARGS(CompletionArgs);
ROOFLINE_ARGS(HelpArgs);
ROOFLINE_ARGS(VersionArgs);
#undef ROOFLINE_ARGS

Result<void> check_choice(std::string_view option, std::string_view value, std::span<const std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return {};
  const std::vector<std::string> names(choices.begin(), choices.end());
  auto hint = did_you_mean(value, choices);
  return fail(Code::bad_option, {}, std::string(option) + " cannot be \"" + shortened(printable(value), 60) + '"',
              hint.empty() ? "one of: " + joined(names) : hint);
}

}  // namespace roofline::cli
