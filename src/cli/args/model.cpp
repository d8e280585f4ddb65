#include "cli/args/declare.hpp"

namespace roofline::cli {

using namespace args;

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

}  // namespace roofline::cli

ROOFLINE_ARGS(ModelArgs);
