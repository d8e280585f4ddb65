#include <algorithm>
#include <cmath>

#include "kernel/reading.hpp"
#include "roofline/base/input.hpp"
#include "roofline/quantities/units.hpp"
#include "roofline/report/gate.hpp"

namespace roofline {
namespace {

constexpr std::string_view kSchema = "roofline.gate-result/1";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr YamlLimits kLimits{.bytes = kMostBytes, .depth = 32, .nodes = 5'000'000};

/// Reads one object: a key's value as what it must be; null is an absent value.
class ObjectReader {
 public:
  ObjectReader(Reading& reading, const YamlNode& node) : reading_(reading), node_(node) {}

  const YamlNode* find(std::string_view key) const {
    const auto* value = node_.find(key);
    return value && !value->is_null() ? value : nullptr;
  }
  void text(std::string_view key, std::string& into) const {
    const auto* value = find(key);
    if (!value) return;
    if (value->is_scalar())
      into = value->text;
    else
      reading_.report_kind(*value, key, "a text");
  }
  void number(std::string_view key, std::optional<double>& into) const {
    const auto* value = find(key);
    if (!value) return;
    const auto number = value->is_scalar() && !value->quoted
                            ? parse_number(value->text)
                            : Result<double>(fail(Code::wrong_type, {}, ""));
    if (number && std::isfinite(*number))
      into = *number;
    else
      reading_.report_kind(*value, key, "a number");
  }
  void seconds(std::string_view key, std::optional<Seconds>& into) const {
    std::optional<double> value;
    number(key, value);
    if (value) into = Seconds(*value);
  }
  void count(std::string_view key, int& into) const {
    std::optional<double> value;
    number(key, value);
    if (value && *value >= 0 && *value <= 1e9) into = static_cast<int>(*value);
  }
  void flag(std::string_view key, bool& into) const {
    if (const auto* value = find(key)) into = value->is_scalar() && value->text == "true";
  }
  void texts(std::string_view key, std::vector<std::string>& into) const {
    const auto* value = find(key);
    if (!value) return;
    if (!value->is_list()) return reading_.report_kind(*value, key, "a list of texts");
    for (const auto& item : value->items) into.push_back(item.text);
  }
  std::optional<Outcome> outcome(std::string_view key) const {
    const auto* value = find(key);
    if (!value) {
      reading_.report(Code::missing_key, node_, "\"" + std::string(key) + "\" is missing");
      return std::nullopt;
    }
    for (std::size_t i = 0; i < kOutcomes; ++i)
      if (outcome_name(static_cast<Outcome>(i)) == value->text) return static_cast<Outcome>(i);
    reading_.report_kind(*value, key, "an outcome: pass, new, skip ... error");
    return std::nullopt;
  }
  GateUnit unit(std::string_view key) const {
    std::string name;
    text(key, name);
    for (const auto unit :
         {GateUnit::seconds, GateUnit::bytes, GateUnit::flops, GateUnit::intensity, GateUnit::ratio,
          GateUnit::percent, GateUnit::count})
      if (unit_name(unit) == name) return unit;
    return GateUnit::none;  // of a newer roofline: the figure is shown as it is
  }

 private:
  Reading& reading_;
  const YamlNode& node_;
};

AssertionResult read_row(Reading& reading, const YamlNode& node) {
  const ObjectReader object(reading, node);
  AssertionResult row;
  object.text("id", row.id);
  object.text("assertion", row.assertion);
  if (const auto outcome = object.outcome("outcome")) row.outcome = *outcome;
  object.number("value", row.value);
  object.number("lo", row.lo);
  object.number("hi", row.hi);
  object.number("limit", row.limit);
  row.unit = object.unit("unit");
  object.flag("at_least", row.at_least);
  object.text("value_text", row.value_text);
  object.text("limit_text", row.limit_text);
  object.count("runs", row.runs);
  object.count("sessions", row.sessions);
  object.flag("confirmed", row.confirmed);
  object.seconds("floor_s", row.floor);
  object.seconds("time_s", row.time);
  object.seconds("lost_s", row.lost);
  object.number("time_share", row.time_share);
  object.text("text", row.text);
  object.texts("more", row.more);
  object.text("hint", row.hint);
  object.text("kernel", row.kernel);
  if (const auto* source = object.find("source"); source && source->is_map()) {
    const ObjectReader place(reading, *source);
    place.count("line", row.line);
    place.count("column", row.column);
  }
  return row;
}

}  // namespace

Checked<GateResult> read_gate_result(const YamlDocument& document) {
  const auto& root = document.root();
  const auto* schema = root.is_map() ? root.find("schema") : nullptr;
  const auto* results = root.is_map() ? root.find("results") : nullptr;
  if (!schema || schema->text != kSchema || !results || !results->is_list())
    return tl::unexpected(Errors{{Code::wrong_type,
                                  {document.file(), 1, 0, 1, {}, 0},
                                  "this is no roofline.gate-result/1",
                                  "roofline gate GATE RESULT --report json=verdicts.json",
                                  {}}});
  Errors errors;
  Reading reading(document, errors);
  const ObjectReader object(reading, root);
  GateResult result;
  if (const auto status = object.outcome("status")) result.status = *status;
  object.count("exit_code", result.exit_code);
  object.flag("simulated", result.simulated);
  object.count("runs", result.runs);
  object.texts("notes", result.notes);
  if (const auto* gate = object.find("gate"); gate && gate->is_map()) {
    ObjectReader(reading, *gate).text("file", result.file);
    ObjectReader(reading, *gate).text("sha256", result.sha256);
  }
  if (const auto* gpu = object.find("gpu"); gpu && gpu->is_map()) {
    ObjectReader(reading, *gpu).text("id", result.gpu_id);
    ObjectReader(reading, *gpu).text("name", result.gpu_name);
  }
  for (const auto& item : results->items) {
    if (!item.is_map())
      reading.report_kind(item, "a result", "an object");
    else
      result.results.push_back(read_row(reading, item));
    if (reading.has_enough()) break;
  }
  // Counted anew: what is shown agrees with the rows.
  for (const auto& row : result.results) ++result.counts[static_cast<std::size_t>(row.outcome)];
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return result;
}

Checked<GateResult> read_gate_result_file(const std::string& path) {
  auto text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(Errors{std::move(text.error())});
  const auto document = read_yaml(std::move(*text), path == "-" ? "stdin" : path, kLimits);
  if (!document) return tl::unexpected(document.error());
  return read_gate_result(*document);
}

}  // namespace roofline
