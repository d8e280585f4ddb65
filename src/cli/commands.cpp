#include <algorithm>
#include <iterator>

#include "cli/calibrate.hpp"
#include "cli/command.hpp"
#include "cli/docs.hpp"
#include "cli/errors.hpp"
#include "cli/launch_spec.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

constexpr Example kAnalyzeExamples[] = {
    {"roofline analyze gemm.yaml --gpu h100", "what limits it, how far it is from that, what would move it"},
    {"roofline analyze layer.yaml --gpu h100,h200,b200-hgx", "the same kernels on three GPUs, side by side"},
    {"roofline analyze layer.yaml --gpu h100 --launch-cost \"5 us\"", "can the CPU feed the GPU?"},
    {"roofline analyze gemm.yaml --gpu h100 --explain", "the arithmetic, term by term, with its documents"},
    {"roofline analyze sweep.yaml --gpu h100 -f csv -o sweep.csv", "one row per point"},
    {"generate_spec | roofline analyze - --gpu h100 --json", "from standard input, for another program"},
};
constexpr Example kAuditExamples[] = {
    {"roofline audit times.csv", "what limits each row, what cannot be, and why it may look so"},
    {"roofline audit times.csv --gpu h100 --timing graph", "a table that does not say where and how it was measured"},
    {"roofline audit times.csv -f jsonl", "a verdict per row, in row order, then the summary"},
    {"roofline audit times.csv --fail-on impossible", "in CI: exit 1 where a time beats physics"},
    {"zcat times.csv.gz | roofline audit - --json", "from standard input, for another program"},
};
constexpr Example kModelExamples[] = {
    {"roofline model config.json --gpu h100", "a decode step: where its time goes, tokens/s at the floor"},
    {"roofline model config.json --gpu h100 --phase prefill --tokens 8192", "a prompt"},
    {"roofline model config.json --gpu h100,b200-hgx --batch 64 --weights fp8", "two GPUs, narrow weights"},
    {"roofline model config.json --gpu h100 --tp 8 --launch-cost \"5 us\"", "one of eight GPUs; can the CPU feed it?"},
    {"roofline model config.json --gpu h200 --time \"6.2 ms\"", "a measured step against its floor, with its MFU"},
    {"roofline model config.json", "parameters, weights and cache alone"},
};
constexpr Example kProfileExamples[] = {
    {"roofline profile -- ./bench --size 4096", "which kernels take the time, and does the GPU wait for launches?"},
    {"roofline profile --spec block.yaml --runs 5 -o run.json -- ./bench", "times against floors, saved for a gate"},
    {"roofline profile --spec block.yaml --counters -- ./bench", "which part of a gap is extra traffic"},
    {"roofline profile --keep captures -- mpirun -np 8 ./solver", "all ranks in one report; captures kept"},
    {"roofline profile --filter '*gemm*' -- python train.py", "some kernels only"},
    {"roofline profile axpy.yaml", "compiles and launches the one kernel that the description gives (launch:)"},
};
constexpr Example kGateExamples[] = {
    {"roofline gate roofline.gate.yml run.json", "check a saved result"},
    {"roofline gate roofline.gate.yml -- ./bench", "measure, then check"},
    {"roofline gate roofline.gate.yml --against ./bench_old -- ./bench", "the same, interleaved with the old program"},
    {"roofline gate static.gate.yml", "descriptions, models and machine code: no GPU, no noise"},
    {"roofline gate --init run.json > roofline.gate.yml", "a first gate from what was measured"},
    {"roofline gate --diff-limits base.gate.yml head.gate.yml", "does a change loosen its own limits?"},
    {"roofline gate --self-test roofline.gate.yml -- ./bench", "how small a limit the noise here allows"},
};
constexpr Example kImportExamples[] = {
    {"roofline import trace.json.gz -o run.json", "a PyTorch trace as a result: for report, gate, compare, history"},
    {"roofline import rank*.json.gz -f table", "several ranks as one run, printed"},
    {"roofline import report.sqlite -o run.rlf", "as a capture, with every launch"},
    {"roofline import ncu.csv --decimal comma --json", "a table whose numbers do not settle their decimal sign"},
    {"roofline import --list", "the formats that are read"},
};
constexpr Example kFuseExamples[] = {
    {"roofline fuse block.yaml --gpu h100", "passes, bytes and floors as written, fused, and in between"},
    {"roofline fuse attention.yaml --gpu h100", "attention materialised against flash"},
    {"roofline fuse block.yaml --gpu h100 --json", "for another program"},
};
constexpr Example kSweepExamples[] = {
    {"roofline sweep gemm.yaml --gpu h100 --vary M=1:4096:x2", "one row per value, marked where the bound changes"},
    {"roofline sweep gemm.yaml --gpu h100,b200 --vary M=1:512:x2 --dtype bf16,fp8", "on two GPUs, in two types"},
    {"roofline sweep gemm.yaml --gpu h100 --vary M=1:1000000 -f csv -o m.csv", "a million rows in a file"},
};
constexpr Example kSolveExamples[] = {
    {"roofline solve decode.yaml --gpu h100 --for B", "the batch at which the verdict flips, and its neighbour"},
    {"roofline solve gemm.yaml --gpu h100,b200 --for N --dtype bf16,fp8", "for each GPU and type"},
    {"roofline solve gemm.yaml --gpu h100 --time \"100 us\"", "which bandwidth and which peak that would take"},
};
constexpr Example kReportExamples[] = {
    {"roofline report run.json", "bars and the roofline chart in the terminal"},
    {"roofline report run.json -f svg -o run.svg", "the picture, for a document"},
    {"roofline report run.json -f html -o run.html", "a page to sort, filter and share; it needs no network"},
    {"roofline report new.json --before old.json -f svg -o change.svg", "where every kernel was, and where it is now"},
    {"roofline report run.json -f markdown -o run.md --report svg=run.svg", "for a pull request, with its picture"},
};
constexpr Example kBaselineRecordExamples[] = {
    {"roofline baseline record run.json", "this session's times, into roofline.baseline.json"},
    {"roofline baseline record --gate roofline.gate.yml run.json", "what a gate names, under its ids"},
    {"roofline baseline record run.json --dry-run", "what would change"},
    {"roofline baseline record --pin release", "keep a copy as roofline.baseline.release.json"},
};
constexpr Example kBaselineUpdateExamples[] = {
    {"roofline baseline update --only attn_fwd --reason \"fp32 softmax, PR 88\" run.json", "slower on purpose"},
    {"roofline baseline update --reason \"driver 580\" run.json", "every kernel of the result anew"},
};
constexpr Example kBaselineShowExamples[] = {
    {"roofline baseline show", "times, sessions, noise and age"},
    {"roofline baseline show attn_fwd", "one kernel with its sessions and its environment"},
};
constexpr Example kBaselineDiffExamples[] = {
    {"roofline baseline diff old.json new.json", "what was loosened, tightened, added, removed"},
    {"git show main:roofline.baseline.json | roofline baseline diff --exit-code - roofline.baseline.json",
     "in CI: exit 1 where a change loosens its own baseline"},
};
constexpr Example kHistoryAddExamples[] = {
    {"roofline history add run.json", "a file of its own in .roofline/history"},
    {"roofline history add run.json --gate roofline.gate.yml --gate-result verdicts.json", "with what the gate said of each kernel"},
};
constexpr Example kHistoryShowExamples[] = {
    {"roofline history show", "every kernel: latest time, range, change"},
    {"roofline history show attn_fwd --last 50", "one kernel over time, with the steps in it"},
};
constexpr Example kHistoryCompactExamples[] = {
    {"roofline history compact --dry-run", "what would be removed"},
    {"roofline history compact --keep 500 --then weekly", "the newest 500 runs, then one a week"},
};
constexpr Example kCompareExamples[] = {
    {"roofline compare old.json new.json", "kernel by kernel: slower, faster, the same, or not to be told"},
    {"roofline compare --ab --base-cmd ./bench_old --cand-cmd ./bench", "measured by turns: settles what two files cannot"},
    {"roofline compare old.json new.json --exit-code", "in a script: exit 1 where a kernel is slower"},
    {"roofline compare a100.json h100.json --cross-gpu", "two GPUs beside each other"},
};
constexpr Example kGpusListExamples[] = {
    {"roofline gpus list", "all accelerators of the table"},
    {"roofline gpus list h100", "those with h100 in a name"},
    {"roofline gpus list --vendor amd --json", "for another program"},
};
constexpr Example kGpusShowExamples[] = {
    {"roofline gpus show h100", "its ceilings, each with its document"},
    {"roofline gpus show mygpu.yaml --json", "a file of your own, in base units"},
};
constexpr Example kGpusWhyExamples[] = {
    {"roofline gpus why h100", "dense or sparse, SXM or PCIe, at which clock"},
    {"roofline gpus why h100 h200", "two of them"},
};
constexpr Example kGpusVerifyExamples[] = {
    {"roofline gpus verify", "the whole table"},
    {"roofline gpus verify mygpu.yaml", "a file of your own"},
};
constexpr Example kGpusTemplateExamples[] = {
    {"roofline gpus template > mygpu.yaml", "start your own entry"},
    {"roofline analyze gemm.yaml --gpu ./mygpu.yaml", "and use it"},
};
constexpr Example kGpusDetectExamples[] = {
    {"roofline gpus detect", "this machine's GPUs, their entries in the table, and what differs"},
    {"roofline gpus detect --json", "for a script that chooses --gpu"},
};
constexpr Example kDoctorExamples[] = {
    {"roofline doctor", "what works here, what does not, and what to do about it"},
    {"roofline doctor --require profile", "in a script: exit 3 where profiling does not work"},
    {"roofline doctor --json > doctor.json", "for a bug report"},
};
constexpr Example kCalibrateExamples[] = {
    {"roofline calibrate", "what GPU 0 itself reaches, beside its data sheet; kept for --ceilings calibrated"},
    {"roofline calibrate --device 1 --no-save", "another GPU, for a look"},
    {"roofline calibrate --only dram_copy,mma_bf16 --quick", "two of them, in a second"},
    {"roofline calibrate --json -o ceilings.json", "for another program"},
    {"roofline calibrate mixbench.txt --gpu a100-80gb", "ceilings that another program measured, from its output"},
};
constexpr Example kOpsListExamples[] = {
    {"roofline ops list", "names and what they compute"},
    {"roofline ops list --format markdown", "the whole reference, docs/ops.md"},
};
constexpr Example kOpsShowExamples[] = {
    {"roofline ops show gemm", "parameters, closed forms, an example"},
    {"roofline ops show attention moe --json", "for another program"},
};
constexpr Example kSchemaExamples[] = {
    {"roofline schema result > result.schema.json", "to check results with"},
    {"roofline schema", "the names of the schemas"},
};
constexpr Example kExplainExamples[] = {
    {"roofline explain RF2003", "what the code means, with an example"},
    {"roofline explain fits_l2", "what a note, a lever, a cause or a status means"},
    {"roofline explain", "all codes and words"},
};
constexpr Example kCompletionExamples[] = {
    {"source <(roofline completion bash)", "for this shell"},
    {"roofline completion fish > ~/.config/fish/completions/roofline.fish", "for good"},
};
constexpr Example kHelpExamples[] = {
    {"roofline help analyze", "as roofline analyze --help"},
    {"roofline help gate-file", "the keys and limits of a gate file"},
    {"roofline help --all", "all of it, docs/cli.md"},
};
constexpr Example kVersionExamples[] = {
    {"roofline version", "as roofline --version"},
    {"roofline version --json", "for a bug report"},
};

// In the order in which help shows them.
constexpr CommandEntry kCommands[] = {
    {"", "analyze", "INPUT...", "What limits each kernel, how far it is from that limit, and what would move it.",
     "INPUT describes kernels: an operation, its sizes and dtypes, or your own counts of bytes and FLOPs (`roofline ops "
     "list`, `roofline schema kernel`). Sizes may be lists or ranges, which sweep.\n\n"
     "For each kernel roofline counts compulsory DRAM bytes and FLOPs exactly, divides by the GPU's documented peaks, and "
     "names what sets the time floor. With `time:` in the description it also says how far the measured time is from it, "
     "and refuses a verdict on times that cannot be.",
     kAnalyzeExamples, "", &option_docs<AnalyzeArgs>, &run_analyze},
    {"", "audit", "TIMES.csv", "A table of measured times held against physics, row by row.",
     "Columns: gpu, op, the op's parameters (each a column, or params as \"m=1;n=2;k=3\"), dtype (or \"a=bf16;b=fp8_e4m3\"), "
     "time_us (or time with its unit), timing, working_set_bytes, name. Rows of other operations count with columns flops "
     "and bytes. docs/audit.md lists every column and word that is understood.\n\n"
     "Every row gets its floor, its bound and how much of its time the floor explains. A time below its floor gets the "
     "likeliest cause. Rows that cannot be judged are counted by reason. The table is read in one pass, at any size.",
     kAuditExamples, "1 --fail-on found such a row", &option_docs<AuditArgs>, &run_audit},
    {"", "profile", "[SPEC] [-- PROGRAM ARGS...]", "Runs a CUDA program and says what its kernels are limited by.",
     "The program runs unchanged, with its own input and output. Times, launches and idle time of the GPU are recorded through NVIDIA's "
     "CUPTI, without special rights; --counters runs it once more and counts DRAM bytes and FLOPs, which may need a right (roofline doctor). "
     "With --spec each kernel that the description names is held against its floor; kernels without a description are listed with their share of the time.\n\n"
     "SPEC, or SPEC#NAME, in place of a program launches the one kernel that the description gives with `launch:`: it is compiled, its tensors are "
     "filled with random data, L2 is flushed before each launch, and its outputs are checked to be written.\n\n"
     "Works under mpirun, torchrun and srun, and with children that the program starts: one capture per process, merged. docs/profiling.md starts in three minutes.",
     kProfileExamples, "3 this machine cannot answer, 4 the program failed (--propagate-exit: its own status), 130 interrupted", &option_docs<ProfileArgs>, &run_profile},
    {"", "model", "CONFIG.json", "A whole transformer from its Hugging Face config: parameters, memory, time and tokens/s of a step.",
     "CONFIG is the config.json of a checkpoint; nothing is downloaded. Parameters are counted to the unit, every tensor once; the step "
     "is built from the operations of `roofline ops list`, one layer with its repeats. A field or model_type that cannot be counted is an "
     "error that names it, and what no figure contains (a vision tower) is said.\n\n"
     "Two floors are given: of the step as a whole, whose weights, cache and embedding rows move once, and the sum over its kernels, "
     "whose activations go through memory in between. docs/models.md has the formulas and the list of families.",
     kModelExamples, "", &option_docs<ModelArgs>, &run_model},
    {"", "gate", "GATE [RESULT...] [-- APP ARGS...]", "Check kernels against limits from physics and, if you keep one, a baseline.",
     "GATE says which kernels, ranges, descriptions, models and compiled files must hold what (docs/gate.md). Each limit passes, fails, "
     "is undecided where the noise does not allow an answer, or is an error where its value is missing: nothing passes unseen. The "
     "results are files (roofline.result/1, nvbench, Google Benchmark, a CSV of id,time), or the program after -- is measured first, "
     "with more runs while something is undecided.\n\n"
     "Exit: 0 all hold, 1 a limit is broken, 2 bad input, 3 cannot measure here, 4 the program failed, 5 undecided (if asked). Of several "
     "that apply, the first of 2, 4, 3, 1, 5.",
     kGateExamples, "1 a limit is broken, 3 cannot measure here, 4 the program failed, 5 undecided under `inconclusive: fail`",
     &option_docs<GateArgs>, &run_gate},
    {"", "import", "FILE...", "Files of other profilers and harnesses as a result, a capture or a report.",
     "The format is told from the file, compressed or not. Kernels, times, gaps and ranges become what `profile` measures itself; operators with "
     "their shapes (PyTorch, XLA, CUTLASS) become exact FLOPs and compulsory bytes, and so floors and verdicts. What cannot be mapped stays "
     "unknown and is counted, as is whatever was skipped or lost. docs/import.md says for each format how to record it and what it can tell.\n\n"
     "`analyze FILE` reads the same files and prints the report; gate, report and compare take the result.",
     kImportExamples, "3 no kernel of a GPU is in the files", &option_docs<ImportArgs>, &run_import},
    {"", "fuse", "INPUT...", "What fusing the kernels of a chain saves, cut by cut.",
     "INPUT declares a chain: kernels bound to shared tensors (`tensors:`, `operands:`), or one fused_chain. Every legal "
     "grouping of neighbouring kernels is ranked by its floor (up to 12 kernels; of longer chains the best is found), with "
     "the reason where two kernels cannot be one. Attention that writes its scores is held against flash; the epilogue of a "
     "product against kernels of their own.",
     kFuseExamples, "", &option_docs<FuseArgs>, &run_fuse},
    {"", "sweep", "INPUT...", "Verdicts over ranges of sizes, dtypes and GPUs.",
     "As analyze, with variables set from the command line: a range a:b, a:b:step or a:b:xF, a list, or one value. Several "
     "variables make a product, the last given fastest. Ranges are evaluated one by one and never held in memory.",
     kSweepExamples, "", &option_docs<SweepArgs>, &run_sweep},
    {"", "solve", "INPUT...", "The value of a variable at which the verdict flips; the ceilings that a time would take.",
     "Every value between which side, bound or limiter changes, exactly: both neighbours are shown, and where the ridge lies "
     "between them. With --time the question is turned round: the bandwidth and the peaks that a floor of that time needs.",
     kSolveExamples, "", &option_docs<SolveArgs>, &run_solve},
    {"", "report", "RESULT", "Pictures of a result: the roofline chart, the bars, a page of HTML, Markdown.",
     "RESULT is what `analyze --json`, `profile` or `import` wrote. The chart's frame depends on the GPU alone, so pictures of one GPU "
     "can be laid side by side. Every kernel is held against the roof of its own datapath; kernels without FLOPs are listed, not "
     "dropped. The bars show the floor and the time above it, by what could be won back.\n\n"
     "Several GPUs in one result are drawn one below the other, each in its own frame. docs/report.md explains every mark.",
     kReportExamples, "", &option_docs<ReportArgs>, &run_report},
    {"baseline", "record", "RESULT...", "Adds this session's times to the baseline that later results are held against.",
     "RESULT comes from roofline profile; several are the runs of one session. The file has a line per kernel and GPU with its last ten "
     "sessions, sorted, so that it merges as text and a change of it is read in a review.\n\n"
     "A kernel whose machine code is the same is recorded whatever it took: that is how days differ. With other code, one that is more than "
     "5 % slower is not recorded (baseline update does it, with a reason), and one that is more than 2 % faster starts anew. Refused are "
     "results that are cut off, failed, simulated, throttled, or faster than their floor, and a checkout with changed files. A file that "
     "cannot be read is never replaced.",
     kBaselineRecordExamples, "1 a kernel was slower or refused; the others are recorded", &option_docs<BaselineRecordArgs>, &run_baseline_record},
    {"baseline", "update", "RESULT...", "Starts kernels of the baseline anew, slower or not, with a reason.",
     "The lines keep only this session; until they span five again they can pass a gate but not fail it.", kBaselineUpdateExamples,
     "1 a kernel was refused", &option_docs<BaselineUpdateArgs>, &run_baseline_update},
    {"baseline", "show", "[ID]", "What the baseline holds: times, sessions, noise, age, environment.", "", kBaselineShowExamples, "",
     &option_docs<BaselineShowArgs>, &run_baseline_show},
    {"baseline", "diff", "OLD NEW", "What a change of the baseline loosens, tightens, adds and removes.",
     "A mean that moves by less than 0.5 % is the same: recording a session moves it by that much.", kBaselineDiffExamples,
     "1 --exit-code, and a line was loosened or is gone", &option_docs<BaselineDiffArgs>, &run_baseline_diff},
    {"history", "add", "RESULT...", "Keeps what this run took, in a file of its own.",
     "Files are never changed, so jobs that end together do not meet and a folder can be collected from many machines. Keep it outside of "
     "version control: as an artifact, in a cache, in a bucket.",
     kHistoryAddExamples, "", &option_docs<HistoryAddArgs>, &run_history_add},
    {"history", "show", "[ID]", "How kernels changed over time, and where their level stepped.",
     "A step is seen once five runs lie behind it. A file that cannot be read stops the command and is named.", kHistoryShowExamples, "",
     &option_docs<HistoryShowArgs>, &run_history_show},
    {"history", "compact", "", "Thins an old history: the newest runs, then the median run of each day or week.", "",
     kHistoryCompactExamples, "", &option_docs<HistoryCompactArgs>, &run_history_compact},
    {"", "compare", "OLD NEW", "Two results, or two programs measured by turns: what became slower, and how sure that is.",
     "Two result files are two sessions: what drifted between them counts as change, so that small ones stay undecided. --ab runs both "
     "programs by turns in fresh processes, old new new old, and compares round by round: 5 rounds, and up to 11 while a kernel is "
     "undecided. A kernel is slower when its change is above --limit and surely above zero; the interval shown holds the change with 90 %.",
     kCompareExamples, "1 --exit-code, and a kernel is slower or gone; 3 two GPUs; 4 a program failed", &option_docs<CompareArgs>, &run_compare},
    {"gpus", "list", "[TEXT]", "The table of accelerators: bandwidth, cache and ridge points.", "", kGpusListExamples, "",
     &option_docs<GpusListArgs>, &run_gpus_list},
    {"gpus", "show", "GPU...", "Every ceiling of an accelerator with its unit, clock and document.", "", kGpusShowExamples, "",
     &option_docs<GpusShowArgs>, &run_gpus_show},
    {"gpus", "why", "GPU...", "Why its figures are these: dense or sparse, which variant, at which clock.", "",
     kGpusWhyExamples, "", &option_docs<GpusWhyArgs>, &run_gpus_why},
    {"gpus", "verify", "[GPU...]", "Every peak derived again from units, rate and clock.",
     "A deviation above 2 % needs a recorded reason; one without a reason is a failure.", kGpusVerifyExamples,
     "1 a figure fails", &option_docs<GpusVerifyArgs>, &run_gpus_verify},
    {"gpus", "template", "", "A commented file to describe your own accelerator with.", "", kGpusTemplateExamples, "",
     &option_docs<GpusTemplateArgs>, &run_gpus_template},
    {"gpus", "detect", "", "This machine's GPUs, mapped to the table by what they are.",
     "Compute capability, number of SMs, width of the DRAM bus and memory size decide; PCI id and name only choose between "
     "entries that agree in them. What differs from the table is shown.",
     kGpusDetectExamples, "3 there is no GPU", &option_docs<GpusDetectArgs>, &run_gpus_detect},
    {"ops", "list", "", "The operations that descriptions may use.", "", kOpsListExamples, "", &option_docs<OpsListArgs>,
     &run_ops_list},
    {"ops", "show", "OP...", "An operation: parameters, operands, closed forms, an example.", "", kOpsShowExamples, "",
     &option_docs<OpsShowArgs>, &run_ops_show},
    {"", "doctor", "", "What works on this machine and why not.",
     "Looks at the driver, the device nodes, CUPTI, other profilers, the right to read counters, each GPU, its clocks and its "
     "other users. Every line that needs attention says what to do.",
     kDoctorExamples, "3 what --require names does not work", &option_docs<DoctorArgs>, &run_doctor},
    {"", "calibrate", "[FILE...]", "This GPU's own ceilings, measured.",
     "Runs a kernel for each limit: DRAM, L2 and shared-memory bandwidth, every arithmetic unit, launches, copies to and from the host. "
     "Data are random, outputs are verified, each is worked on for a second before it is sampled, and clock and power are noted. A figure is "
     "believed between 40 and 102 % of the data sheet.\n\n"
     "The result is kept beside the table, never over it: floors and verdicts stay those of the data sheet, and --ceilings calibrated makes "
     "attainable times of it. docs/calibrate.md has the kernels.\n\n"
     "With FILE nothing is measured: the ceilings are those that mixbench, BabelStream, gpu-stream, nvbandwidth or bandwidthTest found.",
     kCalibrateExamples, "1 a ceiling is missing or not believed, 3 there is no GPU", &option_docs<CalibrateArgs>, &run_calibrate},
    {"", "schema", "[NAME]", "A file format as JSON Schema.", "", kSchemaExamples, "", &option_docs<SchemaArgs>, &run_schema},
    {"", "explain", "[CODE...]", "What an error code, or a word of a report, means.", "", kExplainExamples, "",
     &option_docs<ExplainArgs>, &run_explain},
    {"", "completion", "SHELL", "A completion script for bash, zsh or fish.", "", kCompletionExamples, "",
     &option_docs<CompletionArgs>, &run_completion},
    {"", "help", "[COMMAND]", "The full help of a command.", "", kHelpExamples, "", &option_docs<HelpArgs>, &run_help},
    {"", "version", "", "Version, build and table revision.", "", kVersionExamples, "", &option_docs<VersionArgs>, &run_version},
};

/// What may stand where a command is expected: one-word commands and groups.
std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words;
  for (const auto& command : kCommands) {
    const auto word = command.group.empty() ? command.name : command.group;
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> actions(std::string_view group) {
  std::vector<std::string_view> words;
  for (const auto& command : kCommands)
    if (command.group == group) words.push_back(command.name);
  return words;
}

Error unknown_command(const std::string& word, std::string_view group) {
  const auto known = group.empty() ? first_words() : actions(group);
  auto hint = did_you_mean(word, known);
  if (hint.empty()) hint = group.empty() ? "roofline --help lists the commands" : "one of: " + joined(std::vector<std::string>(known.begin(), known.end()));
  const auto name = (group.empty() ? std::string() : std::string(group) + " ") + shortened(printable(word), 60);
  return {Code::unknown_command, {}, "unknown command \"" + name + '"', std::move(hint), {}};
}

bool asks_for_help(Words words, std::string_view flag) {
  for (const auto& word : words) {
    if (word == "--") return false;
    if (word == flag) return true;
  }
  return false;
}

int run_flag(Words words) {
  const auto& word = words.front();
  if (word == "--version" || word == "-V") return run_version(words.subspan(1));
  if (word == "-h") return print(program_help(false, terminal_width()));
  if (word == "--help") return print(program_help(true, terminal_width()));
  constexpr std::string_view kFlags[] = {"--help", "--version"};
  return report_error({Code::unknown_option, {}, "unknown option \"" + shortened(printable(word), 60) + '"',
                       did_you_mean(word, kFlags), "options stand after the command: roofline analyze INPUT --gpu h100"},
                      style_of(words));
}

int run_group(Words words) {
  const auto& group = words.front();
  const auto rest = words.subspan(1);
  if (asks_for_help(rest, "--help")) return print(group_help(group, true, terminal_width()));
  if (asks_for_help(rest, "-h")) return print(group_help(group, false, terminal_width()));
  if (rest.empty()) {
    write_error(group_help(group, false, terminal_width()));
    return 2;
  }
  return report_error(unknown_command(rest.front(), group), style_of(words));
}

}  // namespace

std::string CommandEntry::full_name() const { return (group.empty() ? std::string() : std::string(group) + " ") + std::string(name); }

std::span<const CommandEntry> commands() { return kCommands; }

const CommandEntry* find_command(Words words, std::size_t& used) {
  for (const auto& command : kCommands) {
    used = command.group.empty() ? 1 : 2;
    if (words.size() < used) continue;
    if (used == 1 ? words[0] == command.name : words[0] == command.group && words[1] == command.name) return &command;
  }
  return nullptr;
}

bool is_group(std::string_view word) { return !word.empty() && !actions(word).empty(); }

int run_program(Words words) {
  if (words.empty()) {
    write_error(program_help(false, terminal_width()));
    return 2;
  }
  if (words.front().starts_with('-')) return run_flag(words);
  if (words.front() == kMeasureWord) return run_measure_child(words.subspan(1));
  if (words.front() == kLaunchWord) return run_launch_child(words.subspan(1));
  std::size_t used = 0;
  const auto* command = find_command(words, used);
  if (!command) return is_group(words.front()) ? run_group(words) : report_error(unknown_command(words.front(), {}), style_of(words));
  const auto rest = words.subspan(used);
  if (asks_for_help(rest, "--help")) return print(command_help(*command, true, terminal_width()));
  if (asks_for_help(rest, "-h")) return print(command_help(*command, false, terminal_width()));
  return command->run(rest);
}

}  // namespace roofline::cli
