#include <fmt/format.h>

#include <algorithm>

#include "roofline/analysis/counter_rules.hpp"
#include "roofline/kernel/machine_code.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

using Maybe = std::optional<double>;

struct Known {
  const MeasuredCounters& counters;
  const LaunchFacts& launch;
  const Gpu* gpu;
  const Kernel* kernel;
  const Verdict* verdict;
};

Maybe ratio(Maybe above, Maybe below) {
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}
template <class Quantity>
Maybe number(const std::optional<Quantity>& quantity) {
  return quantity ? Maybe(quantity->value()) : std::nullopt;
}
template <class Quantity>
Maybe figure(const MaybeFigure<Quantity>& figure) {
  return figure ? Maybe(figure->value.value()) : std::nullopt;
}

Maybe seconds(const Known& s) { return number(s.launch.time); }
Maybe sm_count(const Known& s) {
  return s.gpu && s.gpu->sm_count ? Maybe(s.gpu->sm_count->value.to_double()) : std::nullopt;
}

Maybe dram_read(const Known& s) { return number(s.counters.dram_read); }
Maybe dram_written(const Known& s) { return number(s.counters.dram_written); }
/// A lower bound says that too much is read, never that enough was.
Maybe read_excess(const Known& s) {
  if (!s.verdict) return std::nullopt;
  const auto excess = ratio(dram_read(s), s.verdict->bytes_read.to_double());
  const bool bound = s.counters.has(CounterCaveat::dram_read_lower_bound);
  return bound && excess && *excess < 1 ? std::nullopt : excess;
}
Maybe write_excess(const Known& s) {
  return s.verdict ? ratio(dram_written(s), s.verdict->bytes_written.to_double()) : std::nullopt;
}
Maybe excess_traffic(const Known& s) {
  return s.verdict ? ratio(number(s.counters.dram_bytes()), s.verdict->bytes().to_double())
                   : std::nullopt;
}
Maybe dram_busy(const Known& s) {
  if (!s.gpu) return std::nullopt;
  return ratio(ratio(number(s.counters.dram_bytes()), seconds(s)), figure(s.gpu->dram_bandwidth));
}
Maybe l2_busy(const Known& s) {
  if (!s.gpu) return std::nullopt;
  return ratio(ratio(number(s.counters.l2_bytes), seconds(s)), figure(s.gpu->l2_bandwidth));
}
/// The SM clock of the counter run is not that of the trace; the boost clock bounds both.
Maybe shared_busy(const Known& s) {
  if (!s.gpu || !s.gpu->shared_bytes_per_clock_per_sm || !s.gpu->boost_clock || !sm_count(s))
    return std::nullopt;
  const double peak = s.gpu->shared_bytes_per_clock_per_sm->value * *sm_count(s) *
                      s.gpu->boost_clock->value.value();
  return ratio(ratio(number(s.counters.shared_bytes), seconds(s)), peak);
}
Maybe sfu_busy(const Known& s) {
  if (!s.gpu) return std::nullopt;
  return ratio(ratio(s.counters.sfu_ops, seconds(s)), number(special_function_rate(*s.gpu)));
}

Maybe coalescing(const Known& s) { return s.counters.coalescing; }
Maybe bank_conflicts(const Known& s) { return s.counters.bank_conflicts; }
Maybe occupancy(const Known& s) { return s.counters.occupancy; }
Maybe issue_active(const Known& s) { return s.counters.issue_active; }
Maybe tensor_active(const Known& s) { return s.counters.tensor_active; }
Maybe active_lanes(const Known& s) { return s.counters.active_lanes; }
Maybe l2_hit(const Known& s) { return s.counters.l2_hit; }
Maybe local_share(const Known& s) { return s.counters.local_share; }
Maybe integer_share(const Known& s) { return s.counters.integer_share; }
Maybe spill_bytes(const Known& s) { return s.launch.spill_bytes; }
Maybe blocks(const Known& s) { return s.launch.blocks; }
Maybe blocks_per_sm(const Known& s) { return ratio(s.launch.blocks, sm_count(s)); }

bool is_tensor_pipe(std::string_view pipe) { return pipe.starts_with("tensor:"); }
double counted(const MeasuredCounters& counters, bool tensor) {
  double sum = 0;
  for (const auto& [pipe, flops] : counters.flops_by_pipe)
    if (is_tensor_pipe(pipe) == tensor) sum += flops;
  return sum;
}
/// Tensor FLOPs that were counted of those described. Unknown where a tensor pipe worked that
/// nobody counted, or where neither the machine code nor the pipe says that there was none to
/// count.
Maybe tensor_work_share(const Known& s) {
  if (!s.kernel || s.kernel->work.pipe().kind != PipeKind::tensor) return std::nullopt;
  const double flops = counted(s.counters, true);
  if (flops <= 0 && s.counters.tensor_active.value_or(1) > 0) return std::nullopt;
  return ratio(flops, s.kernel->work.matmul_flops().to_double());
}
Maybe work_excess(const Known& s) {
  if (!s.kernel || !s.verdict) return std::nullopt;
  const bool tensor = s.kernel->work.pipe().kind == PipeKind::tensor;
  if (!tensor && s.counters.has(CounterCaveat::no_instrumented_counters)) return std::nullopt;
  const double described = (tensor ? s.kernel->work.matmul_flops()
                                   : s.kernel->work.matmul_flops() + s.kernel->work.vector_flops())
                               .to_double();
  const double flops = counted(s.counters, tensor);
  return flops > 0 ? ratio(flops, described) : std::nullopt;
}
Maybe mma_sync_only(const Known& s) {
  if ((s.launch.tensor_code & machine_code::kTensorTypes) == 0) return std::nullopt;
  return (s.launch.tensor_code & machine_code::kTensorPaths) == machine_code::kMmaSync ? 1.0 : 0.0;
}
Maybe mma_sync_rate(const Known& s) {
  if (!s.kernel || !s.gpu || s.kernel->work.pipe().kind != PipeKind::tensor) return std::nullopt;
  const Ceilings ceilings(*s.gpu);
  const auto full = ceilings.of(s.kernel->work.pipe(), true),
             low = ceilings.of(s.kernel->work.pipe(), true, true);
  if (!full || !low) return std::nullopt;
  return ratio(low->per_second, full->per_second);
}

enum class Unit { share, factor, bytes, count };
struct Row {
  std::string_view name;
  Unit unit;
  Maybe (*value)(const Known&);
};
constexpr Row kFacts[] = {
    {"dram_read", Unit::bytes, dram_read},
    {"dram_written", Unit::bytes, dram_written},
    {"read_excess", Unit::factor, read_excess},
    {"write_excess", Unit::factor, write_excess},
    {"excess_traffic", Unit::factor, excess_traffic},
    {"dram_busy", Unit::share, dram_busy},
    {"l2_busy", Unit::share, l2_busy},
    {"l2_hit", Unit::share, l2_hit},
    {"shared_busy", Unit::share, shared_busy},
    {"sfu_busy", Unit::share, sfu_busy},
    {"coalescing", Unit::share, coalescing},
    {"bank_conflicts", Unit::share, bank_conflicts},
    {"occupancy", Unit::share, occupancy},
    {"issue_active", Unit::share, issue_active},
    {"tensor_active", Unit::share, tensor_active},
    {"active_lanes", Unit::share, active_lanes},
    {"local_share", Unit::share, local_share},
    {"integer_share", Unit::share, integer_share},
    {"spill_bytes", Unit::bytes, spill_bytes},
    {"tensor_work_share", Unit::share, tensor_work_share},
    {"work_excess", Unit::factor, work_excess},
    {"mma_sync_only", Unit::count, mma_sync_only},
    {"mma_sync_rate", Unit::share, mma_sync_rate},
    {"blocks", Unit::count, blocks},
    {"blocks_per_sm", Unit::factor, blocks_per_sm},
};
static_assert(std::size(kFacts) == CounterFacts::kCount);

std::optional<std::size_t> index_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kFacts); ++i)
    if (kFacts[i].name == name) return i;
  return std::nullopt;
}

}  // namespace

CounterFacts::CounterFacts(const MeasuredCounters& counters, const LaunchFacts& launch,
                           const Gpu* gpu, const Kernel* kernel, const Verdict* verdict) {
  const Known known{counters, launch, gpu, kernel, verdict};
  for (std::size_t i = 0; i < kCount; ++i) values_[i] = kFacts[i].value(known);
}

std::optional<double> CounterFacts::find(std::string_view name) const {
  const auto index = index_of(name);
  return index ? values_[*index] : std::nullopt;
}

std::string CounterFacts::text(std::string_view name) const {
  const auto index = index_of(name);
  if (!index || !values_[*index]) return {};
  const double value = *values_[*index];
  switch (kFacts[*index].unit) {
    case Unit::share:
      return value < 0.1 ? fmt::format("{:.1f} %", 100 * value)
                         : fmt::format("{:.0f} %", 100 * value);
    case Unit::factor: return fmt::format("{:.2f}x", value);
    case Unit::bytes: return format_bytes(value);
    case Unit::count: return fmt::format("{:.0f}", value);
  }
  return {};
}

std::vector<std::pair<std::string_view, double>> CounterFacts::all() const {
  std::vector<std::pair<std::string_view, double>> known;
  for (std::size_t i = 0; i < kCount; ++i)
    if (values_[i]) known.emplace_back(kFacts[i].name, *values_[i]);
  return known;
}

std::array<std::string_view, CounterFacts::kCount> CounterFacts::names() {
  std::array<std::string_view, kCount> names;
  for (std::size_t i = 0; i < kCount; ++i) names[i] = kFacts[i].name;
  return names;
}

}  // namespace roofline
