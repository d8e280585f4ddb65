#pragma once

#include <array>
#include <string_view>

#include "report/json_writer.hpp"

namespace roofline {

// The parts of roofline.result/1 (docs/formats.md) that JSON and JSON lines share. Each writes
// members into the object that is open.

inline constexpr std::string_view kResultSchema = "roofline.result/1";

void write_header(JsonWriter& json,
                  const ReportOptions& options);  ///< schema, tool, flop_convention
void write_gpu(JsonWriter& json,
               const GpuReport& report);  ///< gpu, and the options that change its ceilings
/// `remarks`: levers and notes were asked for; without, their keys are absent instead of empty.
void write_kernel(JsonWriter& json, const KernelReport& report, bool remarks);
// Its parts, for kernels that were seen to run.
void write_description(JsonWriter& json, const KernelReport& report);  ///< params, dtypes, path
void write_figures(JsonWriter& json, const KernelReport& report);      ///< bytes to confidence
void write_measured_verdict(JsonWriter& json, const MeasuredVerdict& measured);  ///< fraction_of_ceiling to causes
void write_causes(JsonWriter& json, const std::vector<Remark>& causes);
void write_advice(JsonWriter& json, const std::vector<Lever>& levers, const std::vector<Remark>& notes);
void write_point(JsonWriter& json, const PointReport& report);  ///< sequence, totals
void write_binding(JsonWriter& json, std::span<const Binding> point);

/// Key of the datapath of the headline work: the one it runs on, or where the GPU has no rate the
/// one it asks for. Empty where nothing is computed.
std::string pipe_key(const KernelReport& report);

/// What was seen of one GPU, for `coverage` and for the summary of JSON lines.
struct Tally {
  Count kernels, points;
  std::array<Count, 5> by_bound{};   ///< by Bound
  std::array<Count, 4> by_status{};  ///< by Status
  void add(const KernelReport& report);
};
void write_coverage(JsonWriter& json, const Tally& tally);
void write_tally(JsonWriter& json, const Tally& tally);

}  // namespace roofline
