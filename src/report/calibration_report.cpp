#include "report/calibration_report.hpp"

#include <fmt/format.h>

#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr double kUnsteady = 0.02;  // difference of two rounds

std::string value_cell(double value, std::string_view unit) {
  return unit == "s" ? format_seconds(Seconds(value)) : format_quantity(value, unit);
}

std::string share_cell(const CalibratedCeiling& ceiling) {
  if (!ceiling.datasheet) return "-";
  return fmt::format("{:.0f} %", 100 * ceiling.value / *ceiling.datasheet);
}

std::string load_cell(const CalibratedCeiling& ceiling) {
  std::string text;
  if (ceiling.clock_mhz) text = fmt::format("{:.0f} MHz", *ceiling.clock_mhz);
  if (ceiling.power_w)
    text += fmt::format("{}{:.0f} W", text.empty() ? "" : ", ", *ceiling.power_w);
  return text.empty() ? "-" : text;
}

void write_rows(Page& page, const Calibration& calibration) {
  page.begin_table({{"ceiling", Align::left},
                    {"of", Align::left, 0, 2},
                    {"measured", Align::right},
                    {"data sheet", Align::right, 0, 1},
                    {"share", Align::right},
                    {"spread", Align::right, 0, 3},
                    {"clock, power", Align::right, 0, 4},
                    {"", Align::left}});
  for (const auto& ceiling : calibration.ceilings) page.row(calibration_cells(ceiling));
  page.end_table();
}

void write_doubts(Page& page, const Calibration& calibration) {
  for (const auto& ceiling : calibration.ceilings) {
    const auto name = printable(ceiling.name);
    if (!ceiling.trusted)
      page.remark("doubt", fmt::format("{}: {}", name, printable(ceiling.reason)), Tone::bad,
                  name.size());
    else if (ceiling.rounds_differ > kUnsteady)
      page.remark(
          "note",
          fmt::format("{}: its two rounds differ by {:.1f} %", name, 100 * ceiling.rounds_differ),
          Tone::overhead, name.size());
    if (ceiling.throttled_share && *ceiling.throttled_share > 0.5)
      page.remark("note",
                  fmt::format("{}: power or heat held the clock down in {:.0f} % of the samples",
                              name, 100 * *ceiling.throttled_share),
                  Tone::plain, 0);
  }
  for (const auto& missing : calibration.missing)
    page.remark("missing",
                fmt::format("{}: {}", printable(missing.name), printable(missing.reason)),
                Tone::plain, 0);
}

}  // namespace

std::vector<std::string> calibration_cells(const CalibratedCeiling& ceiling) {
  return {printable(ceiling.name),
          printable(ceiling.resource) + (ceiling.mma_sync ? " (mma.sync)" : ""),
          value_cell(ceiling.value, ceiling.unit),
          ceiling.datasheet ? value_cell(*ceiling.datasheet, ceiling.unit) : "-",
          share_cell(ceiling),
          ceiling.spread > 0 ? fmt::format("{:.1f} %", 100 * ceiling.spread) : "-",
          load_cell(ceiling),
          ceiling.trusted ? "" : "not trusted"};
}

void calibration_page(Page& page, const Calibration& calibration, std::string_view gpu_name,
                      std::string_view saved) {
  if (calibration.simulated)
    page.title(
        "SIMULATED: a stand-in for the driver ran; no kernel was executed, and no figure is "
        "that of a GPU");
  page.heading(calibration.device.empty() ? "a GPU without a name" : printable(calibration.device),
               gpu_name.empty()
                   ? std::string("no entry of the table: nothing to hold its figures against")
                   : fmt::format("held against {}", gpu_name));
  page.sentence(!calibration.source.empty()
                    ? printable(calibration.source) +
                          ": on which data, and for how long, it does not say"
                : calibration.sustained
                    ? "sustained rates: each after a second of the same work; random data"
                    : "short bursts: rates at clocks that long runs do not keep; random data");
  page.gap();
  write_rows(page, calibration);
  page.gap();
  write_doubts(page, calibration);
  if (!saved.empty())
    page.remark("saved", fmt::format("{}  (used by --ceilings calibrated)", saved), Tone::good, 0);
}

void write_calibration(JsonWriter& json, const Calibration& calibration,
                       std::string_view tool_version) {
  json.begin_object("tool");
  json.text("name", "roofline");
  json.text("version", tool_version);
  json.end_object();
  if (!calibration.gpu.empty()) json.text("gpu", calibration.gpu);
  if (!calibration.source.empty()) json.text("source", calibration.source);
  json.text("date", calibration.date);
  json.begin_object("device");
  json.text("name", calibration.device);
  if (!calibration.uuid.empty()) json.text("uuid", calibration.uuid);
  if (!calibration.driver.empty()) json.text("driver", calibration.driver);
  json.end_object();
  json.flag("sustained", calibration.sustained);
  if (calibration.simulated) json.flag("simulated", true);
  json.begin_array("ceilings");
  for (const auto& ceiling : calibration.ceilings) {
    json.begin_object();
    json.text("name", ceiling.name);
    json.text("resource", ceiling.resource);
    json.text("kind", "calibrated");
    if (ceiling.mma_sync) json.flag("mma_sync", true);
    json.number("value", ceiling.value);
    json.text("unit", ceiling.unit);
    json.count("samples", Count(ceiling.samples));
    json.number("spread", ceiling.spread);
    json.number("rounds_differ", ceiling.rounds_differ);
    if (ceiling.clock_mhz) json.number("clock_mhz", *ceiling.clock_mhz);
    if (ceiling.power_w) json.number("power_w", *ceiling.power_w);
    if (ceiling.throttled_share) json.number("throttled_share", *ceiling.throttled_share);
    if (ceiling.datasheet) {
      json.number("datasheet", *ceiling.datasheet);
      json.number("of_datasheet", ceiling.value / *ceiling.datasheet);
    }
    json.flag("trusted", ceiling.trusted);
    if (!ceiling.reason.empty()) json.text("reason", ceiling.reason);
    json.end_object();
  }
  json.end_array();
  json.begin_array("missing");
  for (const auto& missing : calibration.missing) {
    json.begin_object();
    json.text("name", missing.name);
    json.text("reason", missing.reason);
    json.end_object();
  }
  json.end_array();
}

}  // namespace roofline
