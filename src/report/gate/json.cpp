#include <algorithm>

#include "report/gate/formats.hpp"
#include "report/json_writer.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSchema = "roofline.gate-result/1";
constexpr std::size_t kMostUngated = 100;  // that are listed; the count is of all

Count whole(std::size_t value) { return Count(static_cast<unsigned long>(value)); }

void text_unless_empty(JsonWriter& json, JsonKey key, std::string_view text) {
  if (!text.empty()) json.text(key, text);
}
void number_if(JsonWriter& json, JsonKey key, const std::optional<double>& value) {
  if (value) json.number(key, *value);
}
void seconds_if(JsonWriter& json, JsonKey key, const std::optional<Seconds>& value) {
  if (value) json.number(key, value->value());
}
void texts_unless_empty(JsonWriter& json, JsonKey key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.begin_array(key);
  for (const auto& text : texts) json.text(text);
  json.end_array();
}

void write_gpu(JsonWriter& json, const GateResult& result) {
  if (result.gpu_id.empty() && result.gpu_name.empty()) return;
  json.begin_object("gpu");
  text_unless_empty(json, "id", result.gpu_id);
  text_unless_empty(json, "name", result.gpu_name);
  if (result.environment) {
    const auto& e = *result.environment;
    number_if(json, "power_limit_w", e.power_limit_w);
    if (e.ecc) json.flag("ecc", *e.ecc);
    text_unless_empty(json, "mig", e.mig);
    text_unless_empty(json, "driver", e.driver);
    text_unless_empty(json, "cuda", e.cuda);
  }
  json.end_object();
}

void write_counts(JsonWriter& json, const GateResult& result) {
  json.begin_map("counts");
  for (std::size_t i = 0; i < kOutcomes; ++i)
    json.count(JsonKey::named(outcome_name(static_cast<Outcome>(i))), whole(result.counts[i]));
  json.end_object();
}

void write_ungated(JsonWriter& json, const GateResult& result) {
  if (result.ungated_count == 0) return;
  json.begin_object("ungated");
  json.count("kernels", whole(result.ungated_count));
  number_if(json, "time_share", result.ungated_share);
  json.begin_array("largest");
  for (std::size_t i = 0; i < std::min(kMostUngated, result.ungated.size()); ++i) {
    const auto& kernel = result.ungated[i];
    json.begin_object();
    json.text("name", kernel.name);
    number_if(json, "time_share", kernel.time_share);
    if (kernel.launches) json.count("launches", Count(static_cast<long>(*kernel.launches)));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void write_gate_row(JsonWriter& json, const AssertionResult& row, std::string_view file) {
  json.begin_object();
  json.text("id", row.id);
  json.text("assertion", row.assertion);
  json.text("outcome", outcome_name(row.outcome));
  number_if(json, "value", row.value);
  number_if(json, "lo", row.lo);
  number_if(json, "hi", row.hi);
  number_if(json, "limit", row.limit);
  text_unless_empty(json, "unit", unit_name(row.unit));
  if (row.at_least) json.flag("at_least", true);
  text_unless_empty(json, "value_text", row.value_text);
  text_unless_empty(json, "limit_text", row.limit_text);
  if (row.runs > 0) json.count("runs", row.runs);
  if (row.sessions > 0) json.count("sessions", row.sessions);
  if (row.confirmed) json.flag("confirmed", true);
  seconds_if(json, "floor_s", row.floor);
  seconds_if(json, "time_s", row.time);
  seconds_if(json, "lost_s", row.lost);
  number_if(json, "time_share", row.time_share);
  if (row.reason) json.text("reason", code_name(*row.reason));
  text_unless_empty(json, "text", row.text);
  texts_unless_empty(json, "more", row.more);
  text_unless_empty(json, "hint", row.hint);
  text_unless_empty(json, "kernel", row.kernel);
  if (row.line > 0) {
    json.begin_object("source");
    json.text("file", file);
    json.count("line", row.line);
    if (row.column > 0) json.count("column", row.column);
    json.end_object();
  }
  json.end_object();
}

void write_gate_json(const GateResult& result, const GateWriteOptions& options,
                     const TextSink& sink) {
  JsonWriter json(sink, {.indented_levels = 2});
  json.begin_object();
  json.text("schema", kSchema);
  json.begin_object("tool");
  json.text("name", "roofline");
  json.text("version", options.tool_version);
  text_unless_empty(json, "commit", options.tool_commit);
  json.end_object();
  json.text("status", outcome_name(result.status));
  json.count("exit_code", result.exit_code);
  json.begin_object("gate");
  json.text("file", result.file);
  text_unless_empty(json, "sha256", result.sha256);
  json.end_object();
  write_gpu(json, result);
  if (result.simulated) json.flag("simulated", true);
  if (result.runs > 0) json.count("runs", result.runs);
  if (result.baseline) {
    json.begin_object("baseline");
    json.text("file", result.baseline->file);
    json.count("sessions", result.baseline->sessions);
    if (result.baseline->age_days) json.count("age_days", *result.baseline->age_days);
    json.end_object();
  }
  write_counts(json, result);
  write_ungated(json, result);
  texts_unless_empty(json, "notes", result.notes);
  json.begin_array("results");
  for (const auto& row : result.results) write_gate_row(json, row, result.file);
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace roofline
