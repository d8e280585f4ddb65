#include <cmath>
#include <set>

#include "report/gate/formats.hpp"
#include "report/gate/order.hpp"
#include "report/plain_number.hpp"

namespace roofline {
namespace {

constexpr std::size_t kLabelWidth = 300;

std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text + '"';
}

/// One family of metrics: its head, then its samples. A family without samples is not written.
class Family {
 public:
  Family(const TextSink& sink, std::string name, std::string_view unit, std::string_view help)
      : sink_(sink), name_(std::move(name)), unit_(unit), help_(help) {}

  void sample(const std::string& labels, double value) {
    if (!std::isfinite(value) || !seen_.insert(labels).second) return;  // a label set stands once
    if (seen_.size() == 1) {
      sink_("# TYPE " + name_ + " gauge\n");
      if (!unit_.empty()) sink_("# UNIT " + name_ + " " + unit_ + "\n");
      sink_("# HELP " + name_ + " " + help_ + "\n");
    }
    std::string line = name_ + "{" + labels + "} ";
    append_number(line, value);
    sink_(line + "\n");
  }

 private:
  const TextSink& sink_;
  std::string name_, unit_, help_;
  std::set<std::string> seen_;
};

std::string kernel_labels_of(const GateResult& result, const AssertionResult& row) {
  return label("gpu", gpu_label(result)) + "," + label("id", row_name(row, kLabelWidth));
}

std::string assertion_labels(const GateResult& result, const AssertionResult& row,
                             const std::string& assertion) {
  auto labels = kernel_labels_of(result, row) + "," + label("assertion", assertion);
  if (!unit_name(row.unit).empty()) labels += "," + label("unit", unit_name(row.unit));
  return labels;
}

}  // namespace

/// OpenMetrics 1.0 text: GitLab shows it in merge requests, Prometheus' tools read it.
void write_gate_openmetrics(const GateResult& result, const GateWriteOptions&,
                            const TextSink& sink) {
  const auto names = unique_assertions(result);
  const auto each = [&](Family family, auto value_of, auto labels_of) {
    for (const auto& row : result.results)
      if (const std::optional<double> value = value_of(row)) family.sample(labels_of(row), *value);
  };
  const auto of_kernel = [&](const AssertionResult& row) { return kernel_labels_of(result, row); };
  const auto of_assertion = [&](const AssertionResult& row) {
    return assertion_labels(result, row,
                            names[static_cast<std::size_t>(&row - result.results.data())]);
  };
  const auto seconds = [](const std::optional<Seconds>& time) {
    return time ? std::optional(time->value()) : std::nullopt;
  };
  each(
      {sink, "roofline_kernel_time_seconds", "seconds",
       "Time of a launch: median of the run medians."},
      [&](const AssertionResult& row) { return seconds(row.time); }, of_kernel);
  each(
      {sink, "roofline_kernel_floor_seconds", "seconds",
       "The least time that its description allows."},
      [&](const AssertionResult& row) { return seconds(row.floor); }, of_kernel);
  each(
      {sink, "roofline_gate_value", "", "What was found, in the unit of the label."},
      [](const AssertionResult& row) { return row.value; }, of_assertion);
  each(
      {sink, "roofline_gate_limit", "", "The limit of the gate file, in the unit of the label."},
      [](const AssertionResult& row) { return row.limit; }, of_assertion);
  each(
      {sink, "roofline_gate_failed", "", "1 where the limit is broken or could not be checked."},
      [](const AssertionResult& row) {
        return std::optional(row.outcome >= Outcome::fail ? 1.0 : 0.0);
      },
      of_assertion);
  Family counts{sink, "roofline_gate_assertions", "", "Assertions by outcome."};
  for (std::size_t i = 0; i < kOutcomes; ++i)
    counts.sample(label("gpu", gpu_label(result)) + "," +
                      label("outcome", outcome_name(static_cast<Outcome>(i))),
                  static_cast<double>(result.counts[i]));
  sink("# EOF\n");
}

}  // namespace roofline
