#include "cli/args/declare.hpp"

namespace roofline::cli {

using namespace args;

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
  text(app, kCollect, "--filter", args.filter, "GLOB", "only kernels whose name (as shown, or canonical) or operator matches; /REGEX/ is searched in the demangled name");
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

void declare(CLI::App& app, DoctorArgs& args) {
  text(app, kMain, "--require", args.require, "analyze|profile|counters", "exit 3 where this does not work; default: analyze");
  flag(app, kMain, "--quick", args.quick, "without the test kernel, which takes a context on GPU 0");
  add_json(app, args);
  add_colour(app, args);
  add_width(app, args);
}

void declare(CLI::App& app, CalibrateArgs& args) {
  positional(app, "FILE", args.inputs, "what mixbench, BabelStream, another STREAM, nvbandwidth or bandwidthTest printed on that GPU; - is standard input");
  text(app, kMain, "--device", args.device, "N", "the GPU of this number, as roofline gpus detect counts them; default: 0");
  text(app, kMain, "-g,--gpu", args.gpu, "GPU", "the entry that it is held against and kept for, instead of the one that its facts fit");
  app.add_option("--only", args.only, "these ceilings alone, separated by commas or repeated; nothing is saved")
      ->type_name("NAME")->group(kMain)->allow_extra_args(false);
  flag(app, kMain, "--quick", args.quick, "short bursts, at clocks that long runs do not keep; nothing is saved");
  flag(app, kMain, "--no-save", args.no_save, "print the figures, keep none");
  declare_answer(app, args);
}

}  // namespace roofline::cli

ROOFLINE_ARGS(ProfileArgs);
ROOFLINE_ARGS(DoctorArgs);
ROOFLINE_ARGS(CalibrateArgs);
