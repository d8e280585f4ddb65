#include "report/history/text.hpp"

#include "report/json_writer.hpp"

namespace roofline {
namespace {

void write_text(JsonWriter& json, JsonKey key, const std::string& value) {
  if (!value.empty()) json.text(key, value);
}
void write_number(JsonWriter& json, JsonKey key, std::optional<double> value) {
  if (value) json.number(key, *value);
}

void write_header(JsonWriter& json, const HistoryRun& run, std::size_t kernels) {
  json.begin_object();
  json.text("schema", "roofline.history/1");
  json.text("time", run.time);
  write_text(json, "commit", run.commit);
  json.text("gpu", run.machine.gpu);
  write_text(json, "mig", run.machine.mig);
  write_number(json, "power_limit_w", run.machine.power_limit_w);
  if (run.machine.ecc) json.flag("ecc", *run.machine.ecc);
  write_text(json, "method", run.method);
  write_text(json, "driver", run.driver);
  write_text(json, "cuda", run.cuda);
  write_text(json, "disturbed", run.disturbed);
  json.number("kernels", static_cast<double>(kernels));
  json.end_object();
  json.end_line();
}

/// The kernel and its time come first: the reader finds them without reading the rest.
void write_point(JsonWriter& json, const HistoryPoint& point) {
  json.begin_object();
  json.text("id", point.id);
  json.number("time_s", point.time_s);
  json.number("runs", point.runs);
  if (point.runs > 1) json.number("spread", point.spread);
  write_number(json, "floor_s", point.floor_s);
  write_number(json, "dram_bytes", point.dram_bytes);
  write_number(json, "launches", point.launches);
  write_text(json, "code_hash", point.code_hash);
  write_text(json, "outcome", point.outcome);
  json.end_object();
  json.end_line();
}

}  // namespace

std::string history_text(const HistoryRun& run, std::span<const HistoryPoint> points) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; });
  write_header(json, run, points.size());
  for (const auto& point : points) write_point(json, point);
  json.flush();
  return text;
}

}  // namespace roofline
