#include "roofline/kernel/device_samples.hpp"

#include <cmath>

#include "roofline/kernel/metric_sets.hpp"

namespace roofline {
namespace {

constexpr double kSector = 32;  // bytes

std::optional<Role> role_of(std::string_view metric) {
  const auto* meaning = find_metric_meaning(metric);
  return meaning ? meaning->role : std::nullopt;
}

std::optional<double> sum_of(const DeviceSamples& samples, Role role) {
  for (const auto& [metric, sum] : samples.sums)
    if (role_of(metric) == role) return sum;
  return std::nullopt;
}

std::optional<ByteRate> rate(std::optional<double> bytes, Seconds time) {
  if (!bytes || time <= Seconds(0)) return std::nullopt;
  return Bytes(*bytes) / time;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}

}  // namespace

void DeviceSamples::add(Seconds length, const CounterValues& values) {
  ++count;
  time += length;
  double dram = 0;
  for (const auto& [metric, value] : values) {
    if (!std::isfinite(value) || value < 0) continue;
    sums[metric] += value;
    const auto role = role_of(metric);
    if (role == Role::dram_read_bytes || role == Role::dram_write_bytes) dram += value;
  }
  if (length > Seconds(0)) dram_busiest = std::max(dram_busiest, Bytes(dram) / length);
}

DeviceUse DeviceSamples::use(std::optional<double> sm_count) const {
  DeviceUse use;
  use.dram_read = rate(sum_of(*this, Role::dram_read_bytes), time);
  use.dram_written = rate(sum_of(*this, Role::dram_write_bytes), time);
  if (use.dram_read && use.dram_written) use.dram_busiest = dram_busiest;
  if (const auto sectors = sum_of(*this, Role::sampled_l2_sectors))
    use.l2 = rate(kSector * *sectors, time);
  const auto cycles = sum_of(*this, Role::gpc_cycles);
  use.sm_active = ratio(sum_of(*this, Role::sm_active_cycles), cycles);
  if (cycles && sm_count)
    use.tensor_active = ratio(sum_of(*this, Role::tensor_active_cycles), *cycles * *sm_count);
  return use;
}

}  // namespace roofline
