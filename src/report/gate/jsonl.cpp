#include "report/gate/formats.hpp"

namespace roofline {

/// A line for the whole, then one per assertion: what `json` holds, for programs that read line by line.
void write_gate_jsonl(const GateResult& result, const GateWriteOptions& options, const TextSink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  json.text("schema", "roofline.gate-result/1");
  json.text("version", options.tool_version);
  json.text("status", outcome_name(result.status));
  json.number("exit_code", result.exit_code);
  json.text("gate", result.file);
  if (!result.gpu_id.empty()) json.text("gpu", result.gpu_id);
  json.begin_map("counts");
  for (std::size_t i = 0; i < kOutcomes; ++i)
    json.number(JsonKey::named(outcome_name(static_cast<Outcome>(i))), static_cast<double>(result.counts[i]));
  json.end_object();
  json.end_object();
  json.end_line();
  for (const auto& row : result.results) {
    write_gate_row(json, row, result.file);
    json.end_line();
  }
  json.flush();
}

}  // namespace roofline
