#include <algorithm>
#include <iterator>

#include "roofline/base/error.hpp"

namespace roofline {
namespace {

// Exit codes: 1 a check failed, 2 the command line or an input file is wrong, 3 this machine cannot
// answer. A bug of ours ends with 3 too: the input is not to blame, and there is no answer here.
constexpr CodeEntry kCodes[] = {
    {Code::unknown_command, 2, "unknown command",
     "The first word after the program's name is not one of its commands. `roofline --help` lists "
     "them all; the "
     "nearest one is suggested but never run in its place.",
     "roofline analize add.yaml"},
    {Code::unknown_option, 2, "unknown option",
     "The command has no such option. Options are not abbreviated: what is short and free today "
     "may become "
     "ambiguous tomorrow. `roofline COMMAND --help` lists those it has.",
     "roofline analyze add.yaml --fromat json"},
    {Code::bad_option, 2, "an option's value cannot be used",
     "The option exists, but not with this value: it is not one of the choices, not a number, out "
     "of range, or it "
     "excludes another option that is given too.",
     "roofline analyze add.yaml --format jsn"},
    {Code::missing_argument, 2, "an argument is missing",
     "The command needs something that was not given: a file, or the value of an option.",
     "roofline analyze"},
    {Code::cannot_read, 2, "a file cannot be read",
     "The file does not exist, is a folder, or may not be read by this user. \"-\" reads standard "
     "input.",
     "roofline analyze no-such-file.yaml"},
    {Code::yaml_syntax, 2, "the file is not valid YAML",
     "The text could not be read as YAML (or JSON, which is read the same way). Frequent reasons: "
     "a tab in the "
     "indentation, an unclosed quote or bracket, a missing space after a colon, a line that is "
     "indented less or more "
     "than its neighbours. The place is where the reader gave up; the mistake is there or just "
     "before.",
     "kernels:\n\t- op: gemm"},
    {Code::unknown_key, 2, "a key is not known here",
     "A map has a key that nothing reads. It is an error, because a misspelt key that is skipped "
     "in silence gives a "
     "result for something else than what was asked.",
     "kernels:\n  - {op: gemm, m: 4096, n: 4096, kk: 4096}"},
    {Code::missing_key, 2, "a key is missing",
     "Something that has no default was not given. The message names the key and the map that "
     "needs it; a misspelt key is "
     "reported as well, as unknown.",
     "kernels:\n  - {op: gemm, m: 4096, n: 4096}"},
    {Code::wrong_type, 2, "a value has the wrong form",
     "A list stands where a number is expected, a text where a map is, and so on. Only `true` and "
     "`false` are "
     "flags: `yes`, `no`, `on` and `off` are texts.",
     "kernels: gemm"},
    {Code::duplicate_key, 2, "a key is given twice",
     "One map has the same key twice. Readers of YAML disagree on which of the two counts, so "
     "neither does.",
     "kernels:\n  - {op: gemm, m: 4096, n: 4096, k: 4096, m: 1}"},
    {Code::bad_number, 2, "not a number",
     "A number is written in plain decimal: 4096, 0.5, 1.5e12. Refused are NaN and infinities, "
     "hexadecimal, digit "
     "separators, and leading zeros in whole numbers, which some readers take for octal.",
     "kernels:\n  - {op: gemm, m: 010, n: 1_000, k: 0x10}"},
    {Code::out_of_range, 2, "a number is out of range",
     "The number is well written, but cannot be meant: a size below 1, a share above 1, a count "
     "that passes 2^127.",
     "kernels:\n  - {op: gemm, m: -1, n: 4096, k: 4096}"},
    {Code::bad_expression, 2, "an expression cannot be computed",
     "Sizes may be expressions over the file's parameters, in exact whole numbers: + - * / // % ** "
     "and parentheses, "
     "min, max, ceil, floor, ceil_div, log2. Wrong are a division by zero, a result "
     "that is not a "
     "whole number, and expressions that are too long, too deep or too large.",
     "kernels:\n  - {op: gemm, m: 3/2, n: 4096, k: 4096}"},
    {Code::unknown_name, 2, "a name is not defined",
     "The file uses the name of a tensor, a parameter or a kernel that it does not define.",
     "tensors:\n  x: {shape: [N], dtype: fp32}"},
    {Code::needs_unit, 2, "a unit is missing",
     "A bare number where a quantity is expected: 2.1 could be seconds or microseconds, and a "
     "guess would be off by a "
     "million. Times take s, ms, us, ns; bytes B, kB, MB, GB, KiB, MiB, GiB; rates a unit per s.",
     "kernels:\n  - {op: gemm, m: 1, n: 1, k: 1, time: 410}"},
    {Code::wrong_unit, 2, "a unit is unknown or measures something else",
     "The unit is not known, is ambiguous, or measures another thing than is asked for: bytes "
     "where a time is "
     "expected. FLOP is a count and FLOP/s a rate; \"FLOPS\" is read as both, so it is refused.",
     "kernels:\n  - {op: gemm, m: 1, n: 1, k: 1, time: 410 MB}"},
    {Code::operands_disagree, 2, "operands do not fit together",
     "The shapes or dtypes of an operation's operands cannot belong to one operation, or a tensor "
     "is used with two "
     "different shapes.",
     "tensors: {x: {shape: [4, 5], dtype: fp32}}\nkernels:\n  - {op: copy, shape: [4, 4], "
     "operands: {dst: x}}"},
    {Code::limit_exceeded, 2, "the input is larger than what is read",
     "Input files are bounded in bytes, in depth, in the number of values, and in how much aliases "
     "may expand to, so "
     "that no file can take all of the machine's memory or time.",
     "a file of [[[[[[[[[[[[ ... nested more than 64 deep"},
    {Code::unsupported_yaml, 2, "a part of YAML that is not read",
     "Refused, because readers disagree about them or because they hide what a file says: merge "
     "keys (<<), tags "
     "(!!str and the like), keys that are lists or maps, and a second document after ---.",
     "base: &base {dtype: bf16}\nmine: {<<: *base}"},
    {Code::unknown_op, 2, "an operation is not known",
     "The value of `op` is not in the table of operations. `roofline ops list` prints the table; "
     "`op: generic` takes "
     "your own count of operations and bytes.",
     "kernels:\n  - {op: gem, m: 1, n: 1, k: 1}"},
    {Code::unknown_dtype, 2, "a dtype is not known",
     "The name of an element type is not in the table. Names are those of the papers and "
     "frameworks: fp32, bf16, "
     "fp8_e4m3, int8; float32, half and the like are accepted too.",
     "kernels:\n  - {op: gemm, m: 1, n: 1, k: 1, dtype: bf61}"},
    {Code::cannot_write, 2, "a file cannot be written",
     "The output could not be written: its folder does not exist, may not be written to, or the "
     "disk is full. Output "
     "goes to a temporary file that is renamed at the end, so an older file of that name is still "
     "as it was.",
     "roofline analyze add.yaml -o no-such-folder/out.json"},
    {Code::empty_input, 2, "the input is empty",
     "There is nothing in the file, or nothing but comments. A pipe whose first program failed "
     "looks the same.",
     "# kernels: to be written"},
    {Code::contradiction, 2, "two statements of the input exclude each other",
     "Each of the two is fine alone, but they cannot both hold, and choosing one of them would be "
     "a guess.",
     "kernels:\n  - {op: gemm, m: 1, M: 2, n: 1, k: 1, dtype: bf16}"},
    {Code::bad_source, 2, "the source of a kernel does not compile",
     "The kernel that a description launches (`launch: {source: ...}`) was handed to NVIDIA's "
     "runtime "
     "compiler, which refused it. The note holds the compiler's log.",
     "roofline profile kernel.yaml"},
    {Code::no_device, 3, "no CUDA device",
     "Measuring needs a GPU, its driver and the right to use it; one of them is missing on this "
     "machine. Analysis "
     "from descriptions and saved results needs none of them.",
     "roofline profile -- ./bench"},
    {Code::unknown_gpu, 2, "no such GPU in the table",
     "The name is not in the table of GPUs. `roofline gpus list` prints it; a file of your own may "
     "be given instead "
     "of a name.",
     "roofline analyze add.yaml --gpu h100-sxm"},
    {Code::gpu_not_in_table, 3, "this machine's GPU is not in the table",
     "The GPU that was found has no entry in the table, so its peak rates are not known. Times can "
     "be measured; a "
     "verdict needs the rates. Describe it in a file of your own.",
     "roofline profile -- ./bench"},
    {Code::no_rate, 2, "this GPU has no such rate",
     "The table has no peak rate for this dtype on this GPU: the hardware lacks it, or no source "
     "states it. A rate "
     "is never derived from another.",
     "roofline analyze fp4_gemm.yaml --gpu a100-sxm4-80gb"},
    {Code::ambiguous_gpu, 2, "several GPUs have this name",
     "The name fits more than one entry, and they differ in what counts: memory, bandwidth or peak "
     "rates. Give the "
     "full name of one of them.",
     "roofline analyze add.yaml --gpu h100"},
    {Code::no_gpu, 2, "no GPU was named",
     "A verdict needs a machine: `gpu:` in the file, --gpu, or the environment variable "
     "ROOFLINE_GPU. None is taken "
     "by default, because a verdict for another GPU looks just as convincing.",
     "roofline analyze add.yaml"},
    {Code::figure_unexplained, 1, "a claimed figure is not explained",
     "The audit found no combination of traffic, rates and units that gives the claimed figure. It "
     "is a finding, not a "
     "fault of the input.",
     "roofline audit claims.yaml"},
    {Code::plugin_missing, 3, "the profiler plug-in is not there",
     "Programs are profiled through a library of ours, libroofline_cupti.so, which the CUDA driver "
     "loads into them. "
     "It stands beside the program, in ../lib/roofline; the environment variable ROOFLINE_PLUGIN "
     "names another place. "
     "A build without CUPTI's headers has none.",
     "ROOFLINE_PLUGIN=/no/such/file roofline profile -- ./bench"},
    {Code::injection_taken, 3, "another tool holds the place of the profiler",
     "The CUDA driver loads one library into a program, named by CUDA_INJECTION64_PATH. Nsight "
     "Systems, Nsight Compute, "
     "compute-sanitizer and other profilers use the same place, so only one of them can look at a "
     "time.",
     "nsys profile roofline profile -- ./bench"},
    {Code::counters_not_permitted, 3, "GPU counters are reserved for administrators",
     "The driver of this host lets administrators alone read hardware counters "
     "(RmProfilingAdminOnly: 1). Times, launches "
     "and registers are measured all the same; bytes and FLOPs as counted by the hardware are not. "
     "Only the host's "
     "administrator can change this: the option NVreg_RestrictProfilingToAdminUsers=0 of the "
     "nvidia module, then a "
     "reload. In a container the host's setting counts.",
     "roofline profile --counters -- ./bench"},
    {Code::profiler_refused, 3, "NVIDIA's profiling interface refused to start",
     "CUPTI, through which times and counters are read, was found but refused: another profiler "
     "runs in the same "
     "program, the driver is older than CUPTI, or this kind of GPU (virtual, confidential, under "
     "WSL) does not allow it. "
     "The program ran to its end all the same.",
     "roofline profile -- python train.py   (which starts a profiler of its own)"},
    {Code::not_profiled, 3, "the program was not profiled",
     "The program ran, but the driver did not load our library into it: it never used CUDA, or the "
     "environment did not "
     "reach it (sudo, ssh, a container, mpirun without -x), or it is set-uid.",
     "roofline profile -- ls"},
    {Code::driver_failed, 3, "a call of the CUDA driver failed",
     "The driver is there and a GPU was found, but one of its calls failed: the message has the "
     "call, the "
     "driver's own name of the status, and what to look at first.",
     "roofline profile kernel.yaml"},
    {Code::no_compiler, 3, "the runtime compiler is missing",
     "A description gives the source of a kernel (`launch: {source: k.cu}`), and compiling it "
     "takes NVRTC, "
     "which comes with the CUDA toolkit. PTX and cubins need no compiler.",
     "roofline profile kernel.yaml"},
    {Code::missing_kernel, 1, "no launch matches an entry of the gate",
     "An entry of the gate file names a kernel or a range that the results do not hold. A kernel "
     "that is gone would otherwise pass for ever: rename it in `match:`, or take the entry out. "
     "`policy: {missing: skip}` only lists it.",
     "roofline gate roofline.gate.yml run.json"},
    {Code::limit_broken, 1, "a limit is broken",
     "The value is on the wrong side of its limit, with the whole of its interval where it varies "
     "from run to run.",
     "assert: {max_time_over_floor: 1.25}"},
    {Code::slower_than_baseline, 1, "a kernel is slower than its baseline",
     "The change is above the limit by the estimate, and the kernel is surely slower at all. "
     "roofline compare --ab settles it with interleaved runs.",
     "assert: {max_regression_pct: 5}"},
    {Code::launch_count, 1, "an entry matches another number of launches",
     "`launches:` says how often a kernel runs in every run of the program, and the results say "
     "otherwise; or of the alternatives of `one_of` not exactly one ran.",
     "launches: 1"},
    {Code::quarantine_ended, 1, "a quarantine is over",
     "The last day of `quarantine: {until: ...}` has passed. The entry must hold again, or get a "
     "new date with a reason.",
     "quarantine: {until: 2026-12-01, why: \"bimodal, issue 412\"}"},
    {Code::extra_kernels, 1, "kernels that no entry names",
     "The gate says `extra: fail`, and the results hold kernels that no entry stands for.",
     "policy: {extra: fail}"},
    {Code::code_changed, 1, "the machine code is not the baseline's",
     "The hash of the function's instructions differs from the one that the baseline holds.",
     "assert: {code_unchanged: true}"},
    {Code::runs_too_noisy, 5, "the runs differ too much to decide",
     "The spread between runs is above the share of the limit that the policy allows (max_noise). "
     "The message names the smallest limit that such runs could decide.",
     "assert: {max_regression_pct: 1}"},
    {Code::too_few_runs, 5, "too few runs to decide",
     "A regression needs several runs on each side (policy: runs.min), since two runs of the same "
     "program differ.",
     "roofline gate roofline.gate.yml one_run.json"},
    {Code::machine_disturbed, 5, "the machine was disturbed",
     "The GPU was throttled, its clock moved, or another process used it: a time that is over its "
     "limit says nothing then.",
     "roofline gate roofline.gate.yml throttled.json"},
    {Code::environment_changed, 5, "the same machine code became slower",
     "Machine code, launch geometry and traffic are those of the baseline, so the program is not "
     "to blame: driver, clocks or neighbours are.",
     "roofline gate roofline.gate.yml run.json"},
    {Code::too_few_sessions, 5, "the baseline spans too few sessions",
     "Sessions drift. A baseline of few sessions cannot say how much, so it may pass a build or "
     "leave it undecided, but not fail it.",
     "policy: {min_sessions: 5}"},
    {Code::too_near_the_limit, 5, "the interval holds the limit",
     "The value is so near to its limit that the runs do not say on which side it lies. More runs "
     "narrow the interval.",
     "assert: {max_time: 2.1 ms}"},
    {Code::below_floor, 2, "faster than the floor",
     "Nothing that does the work described can be faster than its floor. Either data stayed in a "
     "cache, or the description, the GPU or the measurement is not what it is held to be. Such a "
     "result cannot become a baseline.",
     "roofline gate roofline.gate.yml run.json"},
    {Code::value_absent, 2, "an assertion has no value",
     "The results do not hold what the assertion is about, so it neither holds nor fails. It is "
     "never taken as passed.",
     "assert: {max_registers: 240}"},
    {Code::impossible_value, 2, "a value that cannot be",
     "A time of zero, a negative count or one that is not finite: the results are damaged.",
     "roofline gate roofline.gate.yml damaged.json"},
    {Code::ambiguous_match, 2, "two entries match one launch",
     "Each launch belongs to one entry at most: the order in the file never decides. Make one of "
     "the selectors narrower.",
     "match: {glob: '*gemm*'}"},
    {Code::launches_vary, 3, "the number of launches varies between runs",
     "A limit on launches needs a program that launches as often in every run.",
     "assert: {max_launches: 40}"},
    {Code::empty_result, 2, "the results hold no kernel",
     "Nothing was measured, so nothing can hold. A program that ran on the CPU, or crashed before "
     "its first kernel, ends here.",
     "roofline gate roofline.gate.yml empty.json"},
    {Code::measured_program_failed, 4, "the program that was measured failed",
     "It ended with another status than 0, or by a signal. Times of a program that failed say "
     "nothing about one that works.",
     "roofline gate roofline.gate.yml crashed.json"},
    {Code::trace_incomplete, 3, "the trace is not whole",
     "Records were dropped or the file was cut off, so launches are missing from it.",
     "roofline gate roofline.gate.yml cut.json"},
    {Code::measured_elsewhere, 3, "the results are of another GPU",
     "Limits hold for the GPU that they were written for. `policy: {other_gpu: skip}` skips what "
     "depends on it; --cross-gpu compares for information.",
     "roofline gate roofline.gate.yml a100_run.json"},
    {Code::counters_absent, 3, "counters were not measured",
     "The assertion is about traffic, and the results hold none: the run had no counters, or they "
     "are not permitted here. `policy: {no_counters: skip}` skips such assertions.",
     "assert: {max_excess_traffic: 1.10}"},
    {Code::no_baseline, 2, "there is no baseline yet",
     "The baseline file has no line for this id on this GPU. It is listed as new; "
     "--require-baseline makes it an error.",
     "assert: {max_regression_pct: 5}"},
    {Code::baseline_unusable, 2, "the baseline was measured in another way",
     "Another method, power limit, ECC or MIG setting: the two times do not compare. Record a new "
     "one.",
     "roofline gate roofline.gate.yml run_at_500_watt.json"},
    {Code::held_in_l2, 0, "the data stays in the L2 cache",
     "The working set fits the L2 and less than the compulsory bytes crossed DRAM, so the DRAM "
     "floor does not bind. `cold: true` says that the program flushes the caches between launches.",
     "assert: {max_time_over_floor: 1.25}"},
    {Code::in_quarantine, 0, "in quarantine",
     "The entry is evaluated and printed, and cannot fail until its date.",
     "quarantine: {until: 2026-12-01, why: flaky}"},
    {Code::program_not_found, 2, "the program to run was not found",
     "What stands after -- could not be started: there is no such file, it may not be executed, or "
     "it is no program. A "
     "name without a slash is looked for along PATH.",
     "roofline profile -- ./no-such-program"},
    {Code::program_failed, 4, "the profiled program failed",
     "The program ended with an error of its own, or was killed by a signal. What was measured "
     "until then is reported "
     "and written, marked as the result of a failed run; --propagate-exit returns the program's "
     "own status instead of 4.",
     "roofline profile -- false"},
    {Code::no_kernels, 3, "the program launched no kernel",
     "The profiler was loaded and ready, but no kernel ran on a GPU in the program: it chose the "
     "CPU, or ended before. "
     "There is nothing to report.",
     "roofline profile -- ./bench --cpu"},
    {Code::program_timed_out, 4, "the profiled program took longer than --timeout",
     "The program was killed when the time of --timeout had passed. What was measured until then "
     "is kept.",
     "roofline profile --timeout 10s -- ./endless"},
    {Code::interrupted, 130, "interrupted",
     "Ctrl-C, or a request to end from outside. The program was asked to end; what was measured "
     "until then is kept and "
     "marked as incomplete.",
     "roofline profile -- ./bench   and Ctrl-C"},
    {Code::output_not_written, 4, "a launched kernel did not write its output",
     "The kernel of a description was launched, and an output that its op writes still holds the pattern that was put "
     "there before: the kernel is another than the description says, or its arguments are in another order. Its time "
     "means nothing, so no verdict is given.",
     "roofline profile kernel.yaml"},
    {Code::internal, 3, "a bug in roofline",
     "Something happened that the program holds to be impossible. Its input is not to blame; "
     "please report it with "
     "the command line and the files.",
     "none: every known example is a bug that was fixed"},
};

}  // namespace

std::span<const CodeEntry> error_codes() { return kCodes; }

const CodeEntry& describe(Code code) {
  const auto* row = std::find_if(std::begin(kCodes), std::end(kCodes),
                                 [&](const CodeEntry& entry) { return entry.code == code; });
  return row != std::end(kCodes) ? *row : *std::prev(std::end(kCodes));
}

std::string code_name(Code code) { return "RF" + std::to_string(static_cast<int>(code)); }

}  // namespace roofline
