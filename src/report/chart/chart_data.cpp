#include <fmt/format.h>

#include <cmath>

#include "report/chart/cells.hpp"
#include "report/chart/chart_data.hpp"
#include "report/plain_number.hpp"

namespace roofline {
namespace {

/// One figure or word of a kernel in base units: a column of CSV, a key of JSON.
struct DataField {
  std::string_view key;
  std::optional<double> (*number)(const ChartKernel&);  ///< nullptr: `text`
  std::string (*text)(const ChartKernel&);
};
constexpr DataField kFields[] = {
    {"number",
     [](const ChartKernel& k) -> std::optional<double> { return static_cast<double>(k.number); },
     nullptr},
    {"name", nullptr, [](const ChartKernel& k) { return k.name; }},
    {"full_name", nullptr, [](const ChartKernel& k) { return k.full_name; }},
    {"point", nullptr, [](const ChartKernel& k) { return k.point; }},
    {"bound", nullptr, [](const ChartKernel& k) { return std::string(bound_name(k.bound)); }},
    {"balanced", nullptr,
     [](const ChartKernel& k) { return std::string(k.balanced ? "true" : "false"); }},
    {"status", nullptr,
     [](const ChartKernel& k) {
       return k.status ? std::string(status_name(*k.status)) : std::string();
     }},
    {"pipe", nullptr, [](const ChartKernel& k) { return k.pipe; }},
    {"limiter", nullptr, [](const ChartKernel& k) { return k.limiter; }},
    {"launches", [](const ChartKernel& k) -> std::optional<double> { return k.launches; }, nullptr},
    {"flops", [](const ChartKernel& k) -> std::optional<double> { return k.flops; }, nullptr},
    {"bytes", [](const ChartKernel& k) -> std::optional<double> { return k.bytes; }, nullptr},
    {"dram_bytes", [](const ChartKernel& k) { return k.dram_bytes; }, nullptr},
    {"intensity_flop_per_byte", [](const ChartKernel& k) { return k.intensity; }, nullptr},
    {"measured_intensity_flop_per_byte", [](const ChartKernel& k) { return k.measured_intensity; },
     nullptr},
    {"achieved_flop_per_s", [](const ChartKernel& k) { return k.achieved_flop_rate(); }, nullptr},
    {"attainable_flop_per_s", [](const ChartKernel& k) { return k.attainable_flop_rate(); },
     nullptr},
    {"achieved_bytes_per_s", [](const ChartKernel& k) { return k.achieved_bandwidth(); }, nullptr},
    {"time_s", [](const ChartKernel& k) { return k.time_s; }, nullptr},
    {"time_floor_s", [](const ChartKernel& k) { return k.floor_s; }, nullptr},
    {"fraction_of_ceiling", [](const ChartKernel& k) { return k.fraction_of_ceiling; }, nullptr},
    {"dram_busy", [](const ChartKernel& k) { return k.dram_busy; }, nullptr},
    {"excess_traffic", [](const ChartKernel& k) { return k.excess_traffic; }, nullptr},
    {"recoverable_s", [](const ChartKernel& k) -> std::optional<double> { return k.recoverable(); },
     nullptr},
    {"time_share", [](const ChartKernel& k) -> std::optional<double> { return k.share; }, nullptr},
    {"gate", nullptr,
     [](const ChartKernel& k) { return k.outcome ? std::string(outcome_name(*k.outcome)) : ""; }},
    {"work_unit", nullptr,
     [](const ChartKernel& k) { return std::string(work_unit_name(k.work)); }},
    {"time_limit_s", [](const ChartKernel& k) { return k.time_limit_s; }, nullptr},
};

std::string quoted_cell(std::string_view text) {
  // A cell that starts like a formula would be run by a spreadsheet.
  const bool formula =
      !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  if (!formula && text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string cell = formula ? "\"'" : "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

bool is_known(std::optional<double> value) { return value && std::isfinite(*value); }

}  // namespace

void write_chart_csv(std::span<const Chart> charts, const TextSink& sink) {
  std::string line = "gpu";
  for (const auto& field : kFields) line += "," + std::string(field.key);
  sink(line + "\n");
  for (const auto& chart : charts)
    for (const auto& kernel : chart.kernels) {
      line = quoted_cell(chart.gpu_id);
      for (const auto& field : kFields) {
        line += ',';
        if (field.text)
          line += quoted_cell(field.text(kernel));
        else if (const auto value = field.number(kernel); is_known(value))
          append_number(line, *value);
      }
      sink(line + "\n");
    }
}

void write_chart_json(std::span<const Chart> charts, const TextSink& sink) {
  JsonWriter json(sink, {.indented_levels = 3});
  json.begin_object();
  json.text("schema", "roofline.chart/1");
  json.begin_array("charts");
  for (const auto& chart : charts) {
    json.begin_object();
    json.text("gpu", chart.gpu_id);
    json.text("gpu_name", chart.gpu_name);
    json.text("summary", chart_sentence(chart));
    write_roofs(json, chart);
    json.begin_array("kernels");
    for (const auto& kernel : chart.kernels) {
      json.begin_object();
      for (const auto& field : kFields) {
        if (field.number) {
          if (const auto value = field.number(kernel); is_known(value))
            json.number(JsonKey::named(field.key), *value);
        } else if (const auto text = field.text(kernel); field.key == "balanced") {
          json.flag(JsonKey::named(field.key), text == "true");
        } else if (!text.empty()) {
          json.text(JsonKey::named(field.key), text);
        }
      }
      json.end_object();
    }
    json.end_array();
    if (chart.gate) json.text("gate", chart.gate->headline);
    json.begin_array("notes");
    for (const auto& warning : chart.warnings) json.text(warning);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

void write_roofs(JsonWriter& json, const Chart& chart) {
  json.begin_array("roofs");
  for (const auto& roof : chart.roofs) {
    json.begin_object();
    json.text("resource", roof.resource);
    json.text("kind", ceiling_kind_name(roof.kind));
    json.number("value", roof.per_second);
    json.text("unit", roof.unit);
    json.flag("drawn", roof.used);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
