#include "report/baseline/text.hpp"

#include "report/json_writer.hpp"

namespace roofline {
namespace {

void write_text(JsonWriter& json, JsonKey key, const std::string& value) {
  if (!value.empty()) json.text(key, value);
}
void write_number(JsonWriter& json, JsonKey key, std::optional<double> value) {
  if (value) json.number(key, *value);
}
void write_extent(JsonWriter& json, JsonKey key, const std::optional<Extent>& value) {
  if (!value) return;
  json.begin_array(key);
  for (const auto part : *value) json.number(static_cast<double>(part));
  json.end_array();
}

void write_session(JsonWriter& json, const BaselineSession& session) {
  json.begin_object();
  json.text("date", session.date);
  write_text(json, "commit", session.commit);
  json.number("time_s", session.time_s);
  json.number("runs", session.runs);
  if (session.runs > 1) json.number("spread", session.spread);
  json.end_object();
}

}  // namespace

std::string entry_line(const BaselineEntry& entry) {
  std::string line;
  JsonWriter json([&](std::string_view piece) { line += piece; });
  json.begin_object();
  json.text("id", entry.id);
  json.text("gpu", entry.machine.gpu);
  write_text(json, "mig", entry.machine.mig);
  write_number(json, "power_limit_w", entry.machine.power_limit_w);
  if (entry.machine.ecc) json.flag("ecc", *entry.machine.ecc);
  write_text(json, "method", entry.method);
  write_text(json, "driver", entry.driver);
  write_text(json, "cuda", entry.cuda);
  write_text(json, "name", entry.name);
  write_text(json, "code_hash", entry.code_hash);
  write_extent(json, "grid", entry.grid);
  write_extent(json, "block", entry.block);
  write_number(json, "registers", entry.registers);
  write_number(json, "launches", entry.launches);
  write_number(json, "dram_bytes", entry.dram_bytes);
  write_text(json, "reason", entry.reason);
  json.begin_array("sessions");
  for (const auto& session : entry.sessions) write_session(json, session);
  json.end_array();
  json.end_object();
  json.flush();
  return line;
}

std::string baseline_text(const Baseline& baseline) {
  std::string text = "{\"schema\":\"roofline.baseline/1\"}\n";
  for (const auto& entry : baseline.entries)
    text += (entry.text.empty() ? entry_line(entry) : entry.text) + "\n";
  return text;
}

}  // namespace roofline
