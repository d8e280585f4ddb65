#include "roofline/kernel/measured_counters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "roofline/kernel/metric_sets.hpp"

namespace roofline {
namespace {

constexpr double kSector = 32;      // bytes
constexpr double kWavefront = 128;  // bytes at most
constexpr double kWarp = 32;        // lanes
constexpr std::string_view kPeakSuffix = ".peak_sustained";
// Both directions at once: never asked for by us, and all that some reports of others have.
constexpr std::string_view kDramBytes = "dram__bytes.sum";

/// The counters by their meaning.
class Sheet {
 public:
  explicit Sheet(std::span<const std::pair<std::string, double>> values) {
    for (const auto& [metric, value] : values) {
      if (!std::isfinite(value) || value < 0) continue;
      const auto* meaning = find_metric_meaning(metric);
      if (meaning && meaning->role) {
        by_role_[static_cast<std::size_t>(*meaning->role)] = value;
      } else if (meaning) {
        tensor_[std::string(meaning->tensor_pipe)] += value;
      } else if (metric == kDramBytes) {
        dram_total_ = value;
      } else if (metric.ends_with(kPeakSuffix)) {
        peaks_.emplace_back(metric.substr(0, metric.size() - kPeakSuffix.size()), value);
      }
    }
  }

  std::optional<double> dram_total() const { return dram_total_; }
  std::optional<double> get(Role role) const { return by_role_[static_cast<std::size_t>(role)]; }
  double or_zero(Role role) const { return get(role).value_or(0); }
  bool has(Role role) const { return get(role).has_value(); }

  /// a / b x scale; absent where one is, or where nothing stands below the line.
  std::optional<double> ratio(Role above, Role below, double scale = 1) const {
    const auto a = get(above), b = get(below);
    if (!a || !b || *b <= 0) return std::nullopt;
    return scale * *a / *b;
  }

  const std::map<std::string, double>& tensor() const { return tensor_; }
  const std::vector<std::pair<std::string, double>>& peaks() const { return peaks_; }

 private:
  std::array<std::optional<double>, kRoles> by_role_;
  std::optional<double> dram_total_;
  std::map<std::string, double> tensor_;
  std::vector<std::pair<std::string, double>> peaks_;
};

template <class T>
std::optional<T> as(std::optional<double> value, double scale = 1) {
  if (!value) return std::nullopt;
  return T(*value * scale);
}

void dram(const Sheet& sheet, std::optional<ByteRate> peak, MeasuredCounters& out) {
  out.dram_read = as<Bytes>(sheet.get(Role::dram_read_bytes));
  out.dram_written = as<Bytes>(sheet.get(Role::dram_write_bytes));
  out.dram_total = as<Bytes>(sheet.dram_total());
  if (out.dram_read && out.dram_written) return;

  const auto of_percent = [&](Role role) -> std::optional<Bytes> {
    const auto percent = sheet.get(role);
    if (!percent || !out.replay_time || !peak) return std::nullopt;
    return *percent / 100 * (*peak * *out.replay_time);
  };
  const auto read = of_percent(Role::dram_read_percent);
  if (read) {
    out.dram_read = read;
    out.dram_written = of_percent(Role::dram_write_percent);
    out.caveats.push_back(CounterCaveat::dram_from_percent);
  } else if (const auto sectors = sheet.get(Role::sysmem_fill_sectors)) {
    out.dram_read = Bytes(kSector * *sectors);
    out.caveats.push_back(CounterCaveat::dram_read_lower_bound);
  }
  if (out.dram_read && !out.dram_written)
    out.caveats.push_back(CounterCaveat::dram_written_unknown);
}

void caches(const Sheet& sheet, MeasuredCounters& out) {
  out.l2_bytes = as<Bytes>(sheet.get(Role::l2_bytes));
  out.l2_hit = sheet.ratio(Role::l2_hit_sectors, Role::l2_bytes, kSector);
  out.tma_loads = sheet.get(Role::tma_load_insts);
  if (sheet.or_zero(Role::tma_load_insts) > 0) {
    out.caveats.push_back(CounterCaveat::l1_misses_tma);
    return;
  }
  out.l1_bytes = as<Bytes>(sheet.get(Role::l1_bytes));
  out.l1_hit = sheet.ratio(Role::l1_hit_sectors, Role::l1_bytes, kSector);
}

/// Conflicts by the instrumented counts: wavefronts beyond one an instruction and beyond what the
/// bytes need.
std::optional<double> estimated_conflicts(const Sheet& sheet) {
  const auto wavefronts = sheet.get(Role::shared_wavefronts_sass);
  const auto bytes = sheet.get(Role::shared_bytes_required);
  const auto instructions = sheet.get(Role::shared_insts);
  if (!wavefronts || !bytes || !instructions || *wavefronts <= 0) return std::nullopt;
  const double needed = std::max(*instructions, *bytes / kWavefront);
  return std::max(0.0, 1 - needed / *wavefronts);
}

void shared_memory(const Sheet& sheet, MeasuredCounters& out) {
  auto wavefronts = sheet.get(Role::shared_wavefronts);
  if (!wavefronts) wavefronts = sheet.get(Role::shared_wavefronts_sass);
  if (wavefronts) {
    out.shared_bytes =
        Bytes(kWavefront * (*wavefronts + sheet.or_zero(Role::shared_wavefronts_tensor_core)));
    if (out.shared_bytes->value() > 0) out.caveats.push_back(CounterCaveat::shared_upper_bound);
  }
  out.shared_bytes_required = as<Bytes>(sheet.get(Role::shared_bytes_required));
  out.bank_conflicts = sheet.ratio(Role::shared_bank_conflicts, Role::shared_wavefronts);
  if (out.bank_conflicts || sheet.has(Role::shared_bank_conflicts)) return;
  out.bank_conflicts = estimated_conflicts(sheet);
  if (out.bank_conflicts) out.caveats.push_back(CounterCaveat::bank_conflicts_estimated);
}

/// FLOPs of a datapath: how many operations one thread instruction counts.
struct Weight {
  std::string_view pipe;
  Role role;
  double flops;
};
constexpr Weight kWeights[] = {
    {"vector:fp32", Role::fp32_add, 1},   {"vector:fp32", Role::fp32_mul, 1},
    {"vector:fp32", Role::fp32_fma, 2},   {"vector:fp32", Role::fp32x2_add, 2},
    {"vector:fp32", Role::fp32x2_mul, 2}, {"vector:fp32", Role::fp32x2_fma, 4},
    {"vector:fp64", Role::fp64_add, 1},   {"vector:fp64", Role::fp64_mul, 1},
    {"vector:fp64", Role::fp64_fma, 2},   {"vector:fp16", Role::fp16x2_add, 2},
    {"vector:fp16", Role::fp16x2_mul, 2}, {"vector:fp16", Role::fp16x2_fma, 4},
    {"vector:fp8", Role::fp8x4_add, 4},   {"vector:fp8", Role::fp8x4_mul, 4},
    {"vector:fp8", Role::fp8x4_fma, 8},
};

void flops(const Sheet& sheet, MeasuredCounters& out) {
  std::map<std::string, double, std::less<>> sums(sheet.tensor().begin(), sheet.tensor().end());
  for (const auto& row : kWeights)
    sums[std::string(row.pipe)] += row.flops * sheet.or_zero(row.role);
  for (const auto& [pipe, count] : sums)
    if (count > 0) out.flops_by_pipe.emplace_back(pipe, count);
  if (out.flops("vector:fp16") > 0) out.caveats.push_back(CounterCaveat::scalar_half_counts_double);
  if (out.flops("vector:fp8") > 0) out.caveats.push_back(CounterCaveat::narrow_weights_assumed);
  if (sheet.or_zero(Role::tensor_active_percent) > 0 && sheet.tensor().empty())
    out.caveats.push_back(CounterCaveat::tensor_not_counted);

  out.sfu_ops = as<double>(sheet.get(Role::sfu_warp_insts), kWarp);
  if (out.sfu_ops.value_or(0) > 0) out.caveats.push_back(CounterCaveat::special_upper_bound);
  out.int_ops = sheet.get(Role::integer_thread_insts);
  if (!sheet.has(Role::warp_insts)) out.caveats.push_back(CounterCaveat::no_instrumented_counters);
}

/// Work of a per-cycle resource as a share of its slots over the whole kernel.
std::optional<double> share_of_slots(const Sheet& sheet, Role work, Role slots) {
  const auto cycles = sheet.get(Role::sm_cycles), per_cycle = sheet.get(slots),
             done = sheet.get(work);
  if (!cycles || !per_cycle || !done || *cycles * *per_cycle <= 0) return std::nullopt;
  return *done / (*cycles * *per_cycle);
}

void execution(const Sheet& sheet, MeasuredCounters& out) {
  out.coalescing = sheet.ratio(Role::global_bytes_required, Role::global_sectors, 1 / kSector);
  out.occupancy = as<double>(sheet.get(Role::occupancy_percent), 0.01);
  if (!out.occupancy)
    out.occupancy = share_of_slots(sheet, Role::active_warp_cycles, Role::warp_slots);
  out.issue_active = share_of_slots(sheet, Role::issue_active_cycles, Role::issue_slots);
  out.tensor_active = as<double>(sheet.get(Role::tensor_active_percent), 0.01);
  out.active_lanes = sheet.ratio(Role::thread_insts, Role::warp_insts, 1 / kWarp);
  out.local_share = sheet.ratio(Role::local_insts, Role::warp_insts);
  out.integer_share = sheet.ratio(Role::integer_thread_insts, Role::thread_insts_pred_on);
  out.sm_clock = as<Hertz>(sheet.get(Role::sm_clock_hz));
  out.dram_clock = as<Hertz>(sheet.get(Role::dram_clock_hz));
}

/// What one unit of a peak is worth, and the clock that it runs at.
struct PeakRow {
  std::string_view metric, resource;
  double worth;
  Role clock;
};
constexpr PeakRow kPeaks[] = {
    {"dram__bytes.sum", "dram", 1, Role::dram_clock_hz},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared", kWavefront, Role::sm_clock_hz},
    {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", "vector:fp32", 2, Role::sm_clock_hz},
    {"sm__sass_thread_inst_executed_op_ffma2_pred_on.sum", "vector:fp32", 4, Role::sm_clock_hz},
    {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum", "vector:fp64", 2, Role::sm_clock_hz},
    {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum", "vector:fp16", 4, Role::sm_clock_hz},
};

void peaks(const Sheet& sheet, MeasuredCounters& out) {
  const auto add = [&](std::string_view resource, double per_second) {
    for (auto& peak : out.peaks) {
      if (peak.resource != resource) continue;
      peak.per_second = std::max(peak.per_second, per_second);  // packed and plain FMA, say
      return;
    }
    out.peaks.push_back({std::string(resource), per_second});
  };
  for (const auto& [metric, value] : sheet.peaks()) {
    for (const auto& row : kPeaks)
      if (row.metric == metric)
        if (const auto clock = sheet.get(row.clock)) add(row.resource, value * row.worth * *clock);
    const auto* meaning = find_metric_meaning(metric);
    const auto clock = sheet.get(Role::sm_clock_hz);
    if (meaning && !meaning->tensor_pipe.empty() && clock)
      add(meaning->tensor_pipe, value * *clock);
  }
}

constexpr std::string_view kCaveats[] = {
    "DRAM reads are a lower bound: this chip counts only what system memory handed to the L2",
    "DRAM writes are not known: nothing counted them",
    "DRAM bytes come from percent of the table's bandwidth: this chip does not count bytes",
    "TMA loads pass the L1 counter by: no L1 figure is given",
    "shared-memory bytes are an upper bound: every wavefront is taken as 128 B",
    "bank conflicts are estimated from instrumented counts, which over-state them",
    "half-precision vector FLOPs take every instruction as packed: a scalar one counts double",
    "fp8 vector FLOPs take four operations an instruction by its name",
    "special-function operations are an upper bound: conversions run in the same pipe",
    "the tensor pipe worked, and its types were not counted: the machine code did not show them",
    "run without the instrumented pass: no FLOPs of the CUDA cores, no coalescing",
    "more DRAM bytes than this GPU can move in the time: it ran on another one (--gpu), or the "
    "time and the counters are of different runs",
};

}  // namespace

std::string_view caveat_text(CounterCaveat caveat) {
  return kCaveats[static_cast<std::size_t>(caveat)];
}

std::optional<Bytes> MeasuredCounters::dram_bytes() const {
  if (!dram_read || !dram_written) return dram_total;
  return *dram_read + *dram_written;
}

double MeasuredCounters::flops(std::string_view pipe) const {
  for (const auto& [name, count] : flops_by_pipe)
    if (name == pipe) return count;
  return 0;
}

bool MeasuredCounters::has(CounterCaveat caveat) const {
  return std::find(caveats.begin(), caveats.end(), caveat) != caveats.end();
}

MeasuredCounters measured_counters(std::span<const std::pair<std::string, double>> values,
                                   std::optional<ByteRate> dram_peak) {
  constexpr double kNanosecond = 1e-9;
  const Sheet sheet(values);
  MeasuredCounters out;
  out.replay_time = as<Seconds>(sheet.get(Role::time_ns), kNanosecond);
  dram(sheet, dram_peak, out);
  caches(sheet, out);
  shared_memory(sheet, out);
  flops(sheet, out);
  execution(sheet, out);
  peaks(sheet, out);
  return out;
}

CounterValues median_counters(std::span<const CounterValues> launches) {
  CounterValues medians;
  std::map<std::string, std::vector<double>, std::less<>> by_metric;
  for (const auto& launch : launches)
    for (const auto& [metric, value] : launch)
      if (std::isfinite(value)) by_metric[metric].push_back(value);
  for (auto& [metric, values] : by_metric) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    medians.emplace_back(metric, n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2);
  }
  return medians;
}

}  // namespace roofline
