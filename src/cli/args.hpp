#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline::cli {

/// Options that every command takes.
struct CommonArgs {
  int quiet = 0, verbose = 0;
  std::string color;   ///< auto, always, never; empty: not given
  std::string width;   ///< columns; empty: as wide as the terminal
  std::string config;  ///< a file; empty: looked for
  bool no_config = false;
  bool json = false;
};

/// Options of the commands that read kernel descriptions.
struct KernelArgs : CommonArgs {
  std::vector<std::string> inputs;
  std::vector<std::string> gpus;
  std::string format, output;
  std::string launch_cost, launch_us, timing, sparsity, path, ceilings;
  bool explain = false;
};
/// What every command that draws takes.
struct PictureArgs {
  std::vector<std::string> reports;  ///< KIND=FILE
  std::string theme, rows, panels;
  bool plot = false, levels = false, ascii = false;
};
struct AnalyzeArgs : KernelArgs {
  std::string spec, filter;           ///< for captures and other tools' files
  std::string range, from, decimal, dtype;
  PictureArgs pictures;
};
/// `inputs` are captures and other tools' files.
struct ImportArgs : CommonArgs {
  std::vector<std::string> inputs, gpus;
  std::string format, output, spec, filter, range, from, decimal, dtype;
  bool list = false;
};
struct FuseArgs : KernelArgs {};
struct SweepArgs : KernelArgs {
  std::vector<std::string> vary, dtypes;
  PictureArgs pictures;
};
struct SolveArgs : KernelArgs {
  std::string variable, from, to, time;
  std::vector<std::string> dtypes;
};

struct ModelArgs : CommonArgs {
  std::string input;
  std::vector<std::string> gpus;
  std::string format, output;
  std::string phase, batch, context, tokens, prefix, logits;
  std::string weights, activations, kv_dtype;
  std::string tp, ep, pp;
  std::string launch_cost, time, as;
  bool graph = false;
};

/// `inputs` is what stands before --: nothing, or a description whose kernel is launched.
struct ProfileArgs : KernelArgs {
  std::string spec, runs, launches, skip, graph_level, exclude, filter, keep, timeout, cupti;
  bool counters = false, counters_only = false, no_sass = false, sample = false, propagate_exit = false;
  PictureArgs pictures;
};

struct AuditArgs : CommonArgs {
  std::string input, gpu, format, output;
  std::string timing, sparsity, path, fail_on, rows;
};

struct ReportArgs : CommonArgs {
  std::string input, before, format, output, gate_result, history;
  PictureArgs pictures;
};

/// Options of commands whose answer is a page or one JSON document.
struct AnswerArgs : CommonArgs {
  std::string format, output;
};
struct BaselineRecordArgs : AnswerArgs {
  std::vector<std::string> inputs, only;
  std::string baseline, gate, reason, pin;
  bool allow_dirty = false, allow_disturbed = false, dry_run = false;
};
struct BaselineUpdateArgs : BaselineRecordArgs {};
struct BaselineShowArgs : AnswerArgs {
  std::string id, baseline;
};
struct BaselineDiffArgs : AnswerArgs {
  std::vector<std::string> files;
  bool exit_code = false;
};
struct HistoryAddArgs : AnswerArgs {
  std::vector<std::string> inputs;
  std::string folder, gate, verdicts;
};
struct HistoryShowArgs : AnswerArgs {
  std::string id, folder, last;
};
struct HistoryCompactArgs : AnswerArgs {
  std::string folder, keep, then;
  bool dry_run = false;
};
struct CompareArgs : AnswerArgs {
  std::vector<std::string> inputs;
  std::string base_cmd, cand_cmd, limit, rounds, timeout;
  bool ab = false, exit_code = false, cross_gpu = false;
};

struct GateArgs : CommonArgs {
  std::vector<std::string> inputs;  ///< the gate, then results
  std::string gpu, format, output, baseline, pinned, against, today, runs;
  std::vector<std::string> reports;
  bool require_baseline = false, cross_gpu = false, summary = false;
  bool self_test = false, diff_limits = false, init = false, exit_code = false;
  std::string margin;
};

struct GpusListArgs : CommonArgs {
  std::string text, vendor, architecture;
};
struct GpusShowArgs : CommonArgs {
  std::vector<std::string> names;
};
struct GpusWhyArgs : CommonArgs {
  std::vector<std::string> names;
};
struct GpusVerifyArgs : CommonArgs {
  std::vector<std::string> names;
};
struct GpusTemplateArgs : CommonArgs {};
struct GpusDetectArgs : CommonArgs {};

struct DoctorArgs : CommonArgs {
  std::string require;
  bool quick = false;
};

struct CalibrateArgs : AnswerArgs {
  std::vector<std::string> inputs;
  std::string device, gpu;
  std::vector<std::string> only;
  bool quick = false, no_save = false;
};

struct OpsListArgs : CommonArgs {
  std::string format;
};
struct OpsShowArgs : CommonArgs {
  std::vector<std::string> names;
};

struct SchemaArgs : CommonArgs {
  std::string name;
};
struct ExplainArgs : CommonArgs {
  std::vector<std::string> codes;
};
struct CompletionArgs : CommonArgs {
  std::string shell;
};
struct HelpArgs : CommonArgs {
  std::vector<std::string> words;
  bool all = false, man = false;
};
struct VersionArgs : CommonArgs {};

/// One option of a command, as the tree that parses it knows it: help, reference and completion are made from these.
struct OptionDoc {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for an argument without a name
  std::string value;               ///< "FILE", or the choices "auto|always|never"; empty for a flag
  std::string doc, group;
};

using Words = std::span<const std::string>;

// For each of the structs above (args/*.cpp instantiate them).
template <class Args>
std::vector<OptionDoc> option_docs();
/// Errors: unknown_option with the nearest one, bad_option, missing_argument.
template <class Args>
Result<Args> parse(Words words);

/// An option's value that must be one of few; `option` names it in the message.
Result<void> check_choice(std::string_view option, std::string_view value, std::span<const std::string_view> choices);

}  // namespace roofline::cli
