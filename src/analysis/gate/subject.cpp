#include "analysis/gate/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "roofline/analysis/verdict.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

std::vector<double> medians_of(const ResultRange& range) {
  std::vector<double> times;
  for (const auto& run : range.runs)
    if (run.time) times.push_back(run.time->value());
  return times;
}

bool possible(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return std::isfinite(v) && v > 0; });
}

std::optional<Bytes> compulsory(const Subject& subject) {
  if (subject.spec) return subject.spec->bytes;
  return subject.kernel ? subject.kernel->bytes : std::nullopt;
}

bool dram_sets_floor(const Subject& subject) {
  return subject.spec ? subject.spec->dram_sets_floor : subject.kernel->limiter == "dram";
}

/// The working set fits the L2 and counters saw less than it cross DRAM.
bool held_in_l2(const Subject& subject, const GateInputs& inputs) {
  const auto& kernel = *subject.kernel;
  const auto bytes = compulsory(subject);
  const bool cold =
      subject.entry->cold || (inputs.result->environment && inputs.result->environment->cold);
  if (cold || !bytes || !dram_sets_floor(subject) || !inputs.ceilings) return false;
  const auto& l2 = inputs.ceilings->gpu().l2_capacity;
  return l2 && *bytes <= l2->value && kernel.measured->dram_bytes &&
         *kernel.measured->dram_bytes < *bytes;
}

/// Why a time can lie below its floor: what counters saw, then what the model of causes finds.
std::vector<std::string> causes_of(const Subject& subject, const GateInputs& inputs) {
  std::vector<std::string> causes;
  const auto& measured = *subject.kernel->measured;
  const auto bytes = compulsory(subject);
  if (measured.dram_bytes && bytes)
    causes.push_back(fmt::format("counters: {} of DRAM traffic, the description says {}",
                                 format_bytes(measured.dram_bytes->value()),
                                 format_bytes(bytes->value())));
  if (subject.spec && subject.spec->kernel && inputs.ceilings) {
    Kernel kernel = *subject.spec->kernel;
    kernel.time = subject.time;
    kernel.timing = measured.timing;
    if (const auto verdict = judge(kernel, *inputs.ceilings); verdict && verdict->measured)
      for (const auto& cause : verdict->measured->causes) causes.push_back(cause.text);
  } else {
    for (const auto& cause : measured.causes) causes.push_back(cause.text);
  }
  return causes;
}

}  // namespace

std::vector<double> medians_of(const ResultKernel& kernel) {
  std::vector<double> medians;
  if (!kernel.measured) return medians;
  for (const auto& run : kernel.measured->runs)
    if (run.median) medians.push_back(run.median->value());
  if (medians.empty() && kernel.measured->time) medians.push_back(kernel.measured->time->value());
  return medians;
}

std::string subject_id(const GateEntry& entry, std::size_t k, std::size_t of) {
  return of == 1 ? entry.id : fmt::format("{}[{}]", entry.id, k + 1);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void work_out(Subject& subject, const GateInputs& inputs) {
  if (subject.spec)
    subject.floor = subject.spec->floor;
  else if (subject.kernel)
    subject.floor = subject.kernel->time_floor;
  if (subject.kernel)
    subject.medians = medians_of(*subject.kernel);
  else if (subject.range)
    subject.medians = medians_of(*subject.range);
  if (subject.medians.empty()) return;
  subject.time_state = TimeState::impossible;
  if (!possible(subject.medians)) return;
  subject.time = Seconds(median_of(subject.medians));
  subject.time_state = TimeState::usable;
  if (!subject.kernel || !subject.kernel->measured) return;
  subject.in_l2 = held_in_l2(subject, inputs);
  if (subject.in_l2 || !subject.floor || *subject.time >= kImpossibleBelow * *subject.floor) return;
  subject.time_state = TimeState::below_floor;
  subject.causes = causes_of(subject, inputs);
}

AssertionResult row_of(const Subject& subject, std::string_view what) {
  AssertionResult row;
  row.id = subject.id;
  row.assertion = what;
  row.floor = subject.floor;
  row.time = subject.time;
  row.runs = static_cast<int>(subject.medians.size());
  row.time_share = subject.time_share;
  if (subject.kernel) row.kernel = subject.kernel->name;
  if (subject.function) row.kernel = subject.function->name;
  const auto& place = subject.entry->place;
  row.line = place.line, row.column = place.column, row.length = place.length;
  return row;
}

void refuse(AssertionResult& row, Outcome outcome, Code reason, std::string text) {
  row.outcome = outcome;
  row.reason = reason;
  row.text = std::move(text);
}

}  // namespace roofline
