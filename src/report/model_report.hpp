#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/json_writer.hpp"
#include "report/page/page.hpp"
#include "roofline/analysis/model_floor.hpp"
#include "roofline/report/report.hpp"

namespace roofline {

/// Everything that `roofline model` says of one step of a model on one GPU.
struct ModelReport {
  const ModelConfig* model = nullptr;  ///< as its config describes it
  const ModelStep* step = nullptr;
  const Ceilings* ceilings = nullptr;
  Parameters parameters;              ///< of the whole model
  std::vector<Verdict> verdicts;      ///< by kernel of the step
  StepFloor floor;                    ///< of the whole step
  PointReport kernels;                ///< sums over the kernels, and their sequence
  std::optional<Seconds> attainable;  ///< sum over the kernels
  Count launches;
  Count collectives;  ///< launches of them
  bool is_decode = false;
  std::optional<Count> crossover;  ///< decode; absent: none
  std::optional<bool> fits;
  std::optional<Seconds> launch_cost;
  bool as_graph = false;
  std::optional<Seconds> time;        ///< measured
  std::optional<double> utilization;  ///< of the peaks, in that time
  double tokens_per_step = 0;         ///< over all GPUs that work on the batch

  double tokens_per_second(Seconds step_time) const {
    return step_time > Seconds(0) ? tokens_per_step / step_time.value() : 0;
  }
};

struct ModelReportOptions {
  std::optional<Seconds> launch_cost;
  bool graph = false;           ///< the step is launched as one graph
  std::optional<Seconds> time;  ///< measured time of the step
};

/// Judges every kernel of `step` and the step as a whole. Errors: no_rate.
Checked<ModelReport> report_model(const ModelConfig& model, const ModelStep& step,
                                  const Ceilings& ceilings, const ModelReportOptions& options);

/// What the model is and what its step needs; the same on every GPU.
void write_model_heading(Page& page, const ModelReport& report);
/// The table of kernels, the step as a whole, and its verdict on one GPU.
void write_model_page(Page& page, const ModelReport& report, const ReportOptions& options);
/// What no figure contains, unknown keys, and what was assumed.
void write_model_notes(Page& page, const ModelReport& report);
/// Members of roofline.result/1 with the object `model` into the open object. Without ceilings: the
/// model and what it needs in memory, no kernels.
void write_model_json(JsonWriter& json, const ModelReport& report, const ReportOptions& options);
/// The same for several GPUs: an array `results`.
void write_model_list(JsonWriter& json, std::span<const ModelReport> reports,
                      const ReportOptions& options);
/// The kernels as rows of another format (CSV, JSON lines).
void write_model_rows(ReportWriter& writer, const ModelReport& report, std::string_view source);

}  // namespace roofline
