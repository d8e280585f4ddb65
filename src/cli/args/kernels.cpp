#include "cli/args/declare.hpp"
#include "roofline/report/report.hpp"

namespace roofline::cli {

using namespace args;

namespace {

std::string format_names() {
  std::string names;
  for (const auto& format : output_formats()) names += (names.empty() ? "" : "|") + std::string(format.name);
  return names;
}

constexpr const char* kLaunches = "Captures and other tools' files";

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
/// What captures and other tools' files take besides the options of descriptions.
template <class Args>
void add_launch_inputs(CLI::App& app, Args& args) {
  text(app, kLaunches, "-s,--spec", args.spec, "FILE[#NAME]", "hold the launches against the kernels of this description");
  text(app, kLaunches, "--filter", args.filter, "GLOB", "only kernels whose name (as shown, or canonical) or operator matches; /REGEX/ is searched in the demangled name");
  text(app, kLaunches, "--range", args.range, "GLOB", "only what was launched while a range of such a name was open: --range 'ProfilerStep#3'");
  text(app, kLaunches, "--from", args.from, "FORMAT", "the file's format, where it cannot be told from the file (roofline import --list)");
  text(app, kLaunches, "--decimal", args.decimal, "point|comma", "the decimal sign of a table whose numbers do not settle it");
  text(app, kLaunches, "--dtype", args.dtype, "DTYPE", "of a table that names none");
}

}  // namespace

void declare(CLI::App& app, AnalyzeArgs& args) {
  declare_kernel_args(app, args, format_names());
  add_launch_inputs(app, args);
  add_explain(app, args);
  add_plot_and_pictures(app, args.pictures);
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

}  // namespace roofline::cli

ROOFLINE_ARGS(AnalyzeArgs);
ROOFLINE_ARGS(ImportArgs);
ROOFLINE_ARGS(FuseArgs);
ROOFLINE_ARGS(SweepArgs);
ROOFLINE_ARGS(SolveArgs);
