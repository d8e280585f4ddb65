#include "cli/analyze_captures.hpp"

#include "cli/gpu_choice.hpp"
#include "cli/profile_output.hpp"

namespace roofline::cli {

int analyze_captures(const AnalyzeArgs& args, const Frame& frame, const Pictures& pictures) {
  Errors errors;
  const auto format = profile_format(args.format, args.json, frame.settings, errors);
  const auto model = model_options(args, frame.settings, errors);
  const auto gpus = split_names(args.gpus);
  if (gpus.size() > 1)
    errors.push_back({Code::contradiction,
                      {},
                      "captures are held against one GPU: the one they were made on",
                      "give one --gpu",
                      {}});
  const bool calibrated = wants_calibrated(args.ceilings, errors);
  if (!errors.empty()) return report_errors(errors, frame.style);
  MeasureRequest request;
  request.calibrated = calibrated;
  request.spec = args.spec;
  request.filter = args.filter;
  request.range = args.range;
  request.ceilings = model.ceilings;
  if (auto foreign = foreign_options(args.from, args.decimal, args.dtype))
    request.foreign = std::move(*foreign);
  else
    return report_errors(foreign.error(), frame.style);
  if (!gpus.empty()) request.gpu = gpus.front();
  request.meant_gpu = meant_gpu(frame.settings);
  const auto measurement = read_launches(args.inputs, request);
  if (!measurement) return report_errors(measurement.error(), frame.style);
  const int code = write_measurement(*measurement, frame, format, args.output,
                                     {.verbosity = args.quiet > 0 ? -args.quiet : args.verbose,
                                      .saved = {},
                                      .counters_asked = false});
  return code == 0 && pictures.wanted()
             ? draw_document(measurement->json(), "captures", frame, pictures)
             : code;
}

}  // namespace roofline::cli
