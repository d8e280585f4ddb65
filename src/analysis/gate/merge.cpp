#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "roofline/analysis/gate.hpp"

namespace roofline {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::optional<Extent>, std::optional<Extent>,
                       std::optional<std::int64_t>>;

Key key_of(const ResultKernel& kernel) {
  return {kernel.name, kernel.operation, kernel.grid, kernel.block, kernel.shared_bytes};
}

/// The runs of a measurement; of one without runs its time as a single one.
std::vector<RunTimes> runs_of(const ResultKernel& kernel) {
  if (!kernel.measured) return {};
  if (!kernel.measured->runs.empty() || !kernel.measured->time) return kernel.measured->runs;
  return {{.launches = kernel.launches, .median = kernel.measured->time}};
}

/// The middle of what several results say; figures are medians over runs already.
template <class Number>
void take_middle(std::vector<Number> values, std::optional<Number>& into) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  into = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

/// Medians of figures that each result has once.
struct Figures {
  std::vector<Bytes> dram_bytes;
  std::vector<double> excess_traffic;
};

void append_kernel(ResultKernel& into, const ResultKernel& more, Figures& figures) {
  if (into.launches && more.launches) *into.launches += *more.launches;
  for (const auto& name : more.in_ranges)
    if (std::find(into.in_ranges.begin(), into.in_ranges.end(), name) == into.in_ranges.end())
      into.in_ranges.push_back(name);
  // Two builds under one name: which code ran is not known then.
  if (into.code_hash != more.code_hash) into.code_hash.clear();
  if (!more.measured) return;
  if (!into.measured) {
    into.measured = more.measured;
    into.measured->runs.clear();
  }
  auto runs = runs_of(more);
  std::move(runs.begin(), runs.end(), std::back_inserter(into.measured->runs));
  if (more.measured->dram_bytes) figures.dram_bytes.push_back(*more.measured->dram_bytes);
  if (more.measured->excess_traffic)
    figures.excess_traffic.push_back(*more.measured->excess_traffic);
}

void take_time(ResultMeasurement& measured) {
  std::vector<Seconds> medians;
  for (const auto& run : measured.runs)
    if (run.median) medians.push_back(*run.median);
  take_middle(std::move(medians), measured.time);
}

void widen(std::optional<double>& into, const std::optional<double>& more, bool greater) {
  if (more && (!into || (greater ? *more > *into : *more < *into))) into = more;
}

/// The worst state of the machine that any of the results saw.
void append_environment(std::optional<ResultEnvironment>& into,
                        const std::optional<ResultEnvironment>& more) {
  if (!more) return;
  if (!into) {
    into = more;
    return;
  }
  widen(into->clock_min_mhz, more->clock_min_mhz, false);
  widen(into->clock_max_mhz, more->clock_max_mhz, true);
  widen(into->throttled_share, more->throttled_share, true);
  if (more->other_processes)
    into->other_processes = std::max(into->other_processes.value_or(0), *more->other_processes);
  into->cold = into->cold && more->cold;
}

void append_program(std::optional<ResultProgram>& into, const std::optional<ResultProgram>& more) {
  if (!more) return;
  if (!into) {
    into = more;
    return;
  }
  if (into->runs && more->runs) *into->runs += *more->runs;
  if (!into->signal) into->signal = more->signal;
  if (into->exit_code.value_or(0) == 0) into->exit_code = more->exit_code;
}

void append_ranges(ResultRecord& into, const ResultRecord& more) {
  for (const auto& range : more.ranges) {
    const auto at = std::find_if(into.ranges.begin(), into.ranges.end(),
                                 [&](const ResultRange& r) { return r.name == range.name; });
    if (at == into.ranges.end())
      into.ranges.push_back(range);
    else
      at->runs.insert(at->runs.end(), range.runs.begin(), range.runs.end());
  }
}

}  // namespace

ResultRecord merged(std::span<const ResultRecord> records) {
  ResultRecord all = records.front();
  if (records.size() == 1) return all;
  std::map<Key, std::size_t> places;
  std::vector<Figures> figures(all.kernels.size());
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    auto& kernel = all.kernels[i];
    places.emplace(key_of(records.front().kernels[i]), i);
    kernel.time_share.reset();  // of one result; of all together it is computed from the times
    if (!kernel.measured) continue;
    kernel.measured->runs = runs_of(kernel);
    if (kernel.measured->dram_bytes) figures[i].dram_bytes.push_back(*kernel.measured->dram_bytes);
    if (kernel.measured->excess_traffic)
      figures[i].excess_traffic.push_back(*kernel.measured->excess_traffic);
  }
  for (const auto& record : records.subspan(1)) {
    append_environment(all.environment, record.environment);
    append_program(all.program, record.program);
    append_ranges(all, record);
    all.complete = all.complete && record.complete;
    all.simulated = all.simulated || record.simulated;
    all.lost.insert(all.lost.end(), record.lost.begin(), record.lost.end());
    for (const auto& kernel : record.kernels) {
      const auto [at, is_new] = places.emplace(key_of(kernel), all.kernels.size());
      if (is_new) {
        all.kernels.push_back(kernel);
        all.kernels.back().time_share.reset();
        figures.emplace_back();
      } else {
        append_kernel(all.kernels[at->second], kernel, figures[at->second]);
      }
    }
  }
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    auto& measured = all.kernels[i].measured;
    if (!measured) continue;
    take_time(*measured);
    take_middle(std::move(figures[i].dram_bytes), measured->dram_bytes);
    take_middle(std::move(figures[i].excess_traffic), measured->excess_traffic);
  }
  return all;
}

}  // namespace roofline
