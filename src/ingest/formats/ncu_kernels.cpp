#include "ingest/formats/ncu_kernels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "roofline/base/text.hpp"
#include "roofline/kernel/metric_sets.hpp"

namespace roofline::formats {
namespace {

constexpr std::string_view kTime = "gpu__time_duration.sum";

struct Scale {
  std::string_view unit;
  double factor;
};
// Times in ns; the long words are those of versions before 2024.
constexpr Scale kTimes[] = {{"ns", 1},        {"nsecond", 1},     {"us", 1e3},
                            {"usecond", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6},
                            {"msecond", 1e6}, {"s", 1e9},         {"sec", 1e9},
                            {"second", 1e9},  {"min", 60e9},      {"minute", 60e9}};
constexpr Scale kPrefixes[] = {{"K", 1e3}, {"k", 1e3},  {"M", 1e6},
                               {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};
constexpr std::string_view kCounted[] = {
    "byte",  "B",  "hz", "Hz",       "inst",   "cycle",   "sector", "request",   "warp", "thread",
    "block", "SM", "%",  "register", "sample", "cluster", "pass",   "wavefront", "op",   "tag"};

/// What the sections of Nsight Compute call their metrics (its .section files; the labels are in
/// every "details" page).
struct Label {
  std::string_view label, unit_begins, metric;
};
constexpr Label kLabels[] = {
    {"Duration", "", kTime},
    {"DRAM Frequency", "", "dram__cycles_elapsed.avg.per_second"},
    {"SM Frequency", "", "sm__cycles_elapsed.avg.per_second"},
    {"Elapsed Cycles", "", "sm__cycles_elapsed.max"},
    {"DRAM Throughput", "", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Throughput", "%", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Throughput", "", "dram__bytes.sum.per_second"},
    {"Compute (SM) Throughput", "", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Hit Rate", "", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Hit Rate", "", "lts__t_sector_hit_rate.pct"},
    {"Achieved Occupancy", "", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Theoretical Occupancy", "", "sm__maximum_warps_per_active_cycle_pct"},
    {"Registers Per Thread", "", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "", "launch__shared_mem_per_block_dynamic"},
    {"# SMs", "", "launch__sm_count"},
};

/// Kept beside those whose meaning our counters know: what a report may quote.
constexpr std::string_view kQuoted[] = {
    "dram__bytes.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_bytes.avg.pct_of_peak_sustained_elapsed",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
};

constexpr std::size_t kMostUnknown = 64;  // metrics of a kernel that has none of a known meaning

bool is_kept(std::string_view metric) {
  return find_metric_meaning(metric) || metric.ends_with(".peak_sustained") ||
         std::find(std::begin(kQuoted), std::end(kQuoted), metric) != std::end(kQuoted);
}

std::uint64_t whole(std::optional<double> value) {
  return value && *value > 0 && *value < 9e18 ? static_cast<std::uint64_t>(std::llround(*value))
                                              : 0;
}

/// Sums that a report tells as rates only. A rate by time is the sum over the kernel's time; one by
/// cycles is taken as Nsight Compute's own roofline chart takes it: times the frequency.
void sums_of_rates(NcuKernel& kernel) {
  const auto time = kernel.find(kTime);
  if (!time || *time <= 0) return;
  const double seconds = *time / 1e9;
  auto frequency = kernel.find("smsp__cycles_elapsed.avg.per_second");
  if (!frequency) frequency = kernel.find("sm__cycles_elapsed.avg.per_second");
  constexpr std::string_view kByTime = ".per_second", kByCycle = ".per_cycle_elapsed",
                             kTwice = "_x2", kDerived = "derived__";
  std::vector<std::pair<std::string, double>> sums;
  for (const auto& [metric, value] : kernel.metrics) {
    std::string name = metric;
    double sum = value;
    if (name.starts_with(kDerived) && name.ends_with(kTwice)) {
      // An FMA counted as two, by cycle.
      name = name.substr(kDerived.size(), name.size() - kDerived.size() - kTwice.size()) + ".sum";
      if (!frequency) continue;
      sum = value / 2 * *frequency * seconds;
    } else if (name.ends_with(kByTime)) {
      name.resize(name.size() - kByTime.size());
      sum = value * seconds;
    } else if (name.ends_with(kByCycle) && frequency) {
      name.resize(name.size() - kByCycle.size());
      sum = value * *frequency * seconds;
    } else {
      continue;
    }
    if (name.ends_with(".sum") && is_kept(name) && !kernel.find(name))
      sums.emplace_back(std::move(name), sum);
  }
  kernel.metrics.insert(kernel.metrics.end(), sums.begin(), sums.end());
}

/// The same count under its other name: of the SM, or of its four parts.
void settle_names(NcuKernel& kernel) {
  constexpr std::string_view kOfSm = "sm__sass_";
  for (auto& [metric, value] : kernel.metrics) {
    const auto at = metric.find(kOfSm);
    if (at == 0 || (at != std::string::npos && metric.starts_with("derived__")))
      metric.replace(at, kOfSm.size(), "smsp__sass_");
  }
}

}  // namespace

std::optional<double> ncu_unit(std::string_view unit) {
  unit = trimmed(unit);
  if (unit.empty()) return 1;
  const auto slash = unit.find('/');
  const auto above = unit.substr(0, slash);
  const auto below = slash == std::string_view::npos ? std::string_view() : unit.substr(slash + 1);
  double divisor = 1;
  if (!below.empty())
    for (const auto& row : kTimes)
      if (row.unit == below) divisor = row.factor * 1e-9;  // per second
  for (const auto& row : kTimes)
    if (row.unit == above) return below.empty() ? std::optional(row.factor) : std::nullopt;
  const auto counted = [](std::string_view word) {
    if (std::find(std::begin(kCounted), std::end(kCounted), word) != std::end(kCounted))
      return true;
    return word.ends_with('s') && std::find(std::begin(kCounted), std::end(kCounted),
                                            word.substr(0, word.size() - 1)) != std::end(kCounted);
  };
  if (counted(above)) return 1 / divisor;
  for (const auto& row : kPrefixes)
    if (above.starts_with(row.unit) && counted(above.substr(row.unit.size())))
      return row.factor / divisor;
  return std::nullopt;
}

void NcuKernel::add(std::string_view metric, std::string_view unit, double value) {
  const auto factor = ncu_unit(unit);
  if (!factor) return;
  for (const auto& row : kLabels)
    if (row.label == metric && trimmed(unit).starts_with(row.unit_begins)) {
      metric = row.metric;
      break;
    }
  metrics.emplace_back(metric, value * *factor);
}

std::optional<double> NcuKernel::find(std::string_view metric) const {
  for (const auto& [known, value] : metrics)
    if (known == metric) return value;
  return std::nullopt;
}

bool read_extent(std::string_view text, std::array<std::uint64_t, 3>& extent) {
  extent = {};
  const auto open = text.find('(');
  if (open == std::string_view::npos) return false;
  text.remove_prefix(open + 1);
  for (auto& size : extent) {
    text = text.substr(std::min(text.find_first_of("0123456789"), text.size()));
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
  return trimmed(text).starts_with(')');
}

void NcuWriter::note_device(const NcuKernel& kernel) {
  auto& device = devices_[kernel.device];
  device.ordinal = kernel.device;
  const auto keep = [](std::uint64_t& fact, std::uint64_t value) {
    if (value != 0) fact = value;
  };
  const auto attribute = [&](std::string_view name) {
    return whole(kernel.find("device__attribute_" + std::string(name)));
  };
  keep(device.name, sink_.text(kernel.gpu));
  keep(device.major, kernel.major);
  keep(device.minor, kernel.minor);
  keep(device.major, attribute("compute_capability_major"));
  keep(device.minor, attribute("compute_capability_minor"));
  keep(device.sm_count, whole(kernel.find("launch__sm_count")));
  keep(device.sm_count, attribute("multiprocessor_count"));
  keep(device.memory_bytes, attribute("total_memory"));
  keep(device.l2_bytes, attribute("l2_cache_size"));
  keep(device.bus_width_bits, attribute("global_memory_bus_width"));
  keep(device.sm_clock_khz, attribute("clock_rate"));
  keep(device.memory_clock_khz, attribute("memory_clock_rate"));
  keep(device.ecc, attribute("ecc_enabled"));
}

void NcuWriter::add(NcuKernel kernel) {
  ++kernels_;
  settle_names(kernel);
  sums_of_rates(kernel);
  note_device(kernel);
  capture::Shape shape;
  shape.name = sink_.text(kernel.name);
  shape.grid = kernel.grid;
  shape.block = kernel.block;
  const auto extent_of = [&](std::string_view prefix, std::array<std::uint64_t, 3>& extent) {
    for (std::size_t i = 0; i < 3; ++i)
      if (const auto size = whole(kernel.find(std::string(prefix) + "xyz"[i])); size != 0)
        extent[i] = size;
  };
  extent_of("launch__cluster_dim_", shape.cluster);
  shape.registers = whole(kernel.find("launch__registers_per_thread"));
  shape.static_shared_bytes = whole(kernel.find("launch__shared_mem_per_block_static"));
  shape.dynamic_shared_bytes = whole(kernel.find("launch__shared_mem_per_block_dynamic"));
  shape.device = kernel.device;
  shape.context = kernel.context;
  const auto id = sink_.shape(shape);
  if (const auto mean = kernel.find(kTime).value_or(0); mean > 0 && kernel.launches) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto seconds = [&](double ns) { return ns > 0 ? ns / 1e9 : kNone; };
    capture::Summary summary;
    summary.shape = id;
    summary.launches = *kernel.launches;
    summary.seconds = {mean * static_cast<double>(*kernel.launches) / 1e9, kNone, kNone,
                       seconds(kernel.least_ns), seconds(kernel.most_ns)};
    sink_.add(summary);
  } else if (const auto time = whole(kernel.find(kTime)); time != 0) {
    capture::Launch launch;
    launch.shape = id;
    launch.stream = kernel.stream;
    launch.start = clock_;
    launch.end = clock_ += time;
    sink_.add(launch);
  } else {
    ++untimed_;
  }
  capture::Counters counters;
  counters.shape = id;
  counters.occurrence = occurrences_[id]++;
  counters.replay_passes = whole(kernel.find("profiler__replayer_passes"));
  // A report of none but other metrics is shown as it stands.
  const bool some_known = std::any_of(kernel.metrics.begin(), kernel.metrics.end(),
                                      [](const auto& row) { return is_kept(row.first); });
  for (const auto& [metric, value] : kernel.metrics) {
    if (some_known ? !is_kept(metric) : counters.metrics.size() == kMostUnknown) continue;
    traffic_ = traffic_ || metric.starts_with("dram__bytes");
    counters.metrics.push_back(sink_.text(metric));
    counters.values.push_back(value);
  }
  sink_.add(counters);
}

void NcuWriter::finish() {
  bool named = true;
  for (const auto& [ordinal, device] : devices_) {
    named = named && device.name != 0;
    sink_.add(device);
  }
  if (!named) sink_.lose("gpu_not_named");
  if (untimed_ > 0) sink_.lose("duration_not_measured", untimed_);
  if (kernels_ > 0 && !traffic_) sink_.lose("traffic_not_measured", kernels_);
}

}  // namespace roofline::formats
