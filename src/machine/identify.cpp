#include "roofline/machine/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/name_index.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline {
namespace {

constexpr double kLeastMemory = 0.86, kMostMemory = 1.02;
constexpr double kClockTolerance = 0.08;  // B200 is sold at 7.7 TB/s and clocked for 8.18
constexpr double kSameClock = 0.01;

/// How one entry answers to the facts.
struct Score {
  const Gpu* gpu = nullptr;
  std::vector<FactDifference> differs;
  int deciding = 0;     ///< facts that decide, and differ
  double distance = 0;  ///< how far they are apart, where deciding
  bool pci = false, name = false;
  double clock_gap = 0;  ///< of the bandwidth by bus and memory clock, relative
};

double relative_gap(double seen, double table) {
  return table > 0 ? std::abs(seen / table - 1) : 0;
}

void note(Score& score, std::string_view fact, std::string seen, std::string table, bool decides) {
  score.differs.push_back({std::string(fact), std::move(seen), std::move(table), decides});
  if (decides) ++score.deciding;
}

void compare_count(Score& score, std::string_view fact, std::optional<std::uint64_t> seen,
                   const MaybeFigure<Count>& table, std::string_view unit) {
  if (!seen || !table) return;
  const double expected = table->value.to_double();
  if (static_cast<double>(*seen) == expected) return;
  score.distance += relative_gap(static_cast<double>(*seen), expected);
  note(score, fact, fmt::format("{}{}", *seen, unit),
       fmt::format("{}{}", table->value.to_string(), unit), true);
}

void compare_memory(Score& score, const DeviceFacts& facts) {
  const auto& table = score.gpu->memory_capacity;
  if (!facts.memory_bytes || !table) return;
  const double seen = static_cast<double>(*facts.memory_bytes), share = seen / table->value.value();
  if (share >= kLeastMemory && share <= kMostMemory) return;
  score.distance += relative_gap(seen, table->value.value());
  note(score, "memory", format_capacity(seen), format_capacity(table->value.value()), true);
}

void compare_l2(Score& score, const DeviceFacts& facts) {
  const auto& table = score.gpu->l2_capacity;
  if (!facts.l2_bytes || !table || static_cast<double>(*facts.l2_bytes) == table->value.value())
    return;
  note(score, "L2", format_capacity(static_cast<double>(*facts.l2_bytes)),
       format_capacity(table->value.value()), false);
}

void compare_clock(Score& score, const DeviceFacts& facts) {
  const auto& table = score.gpu->dram_bandwidth;
  if (!facts.memory_clock_hz || !facts.bus_bits || !table) return;
  const double seen = 2 * *facts.memory_clock_hz * static_cast<double>(*facts.bus_bits) / 8;
  score.clock_gap = relative_gap(seen, table->value.value());
  if (score.clock_gap <= kClockTolerance) return;
  note(score, "DRAM by its clock", format_quantity(seen, "B/s"),
       format_quantity(table->value.value(), "B/s"), false);
}

/// "2330" of "10de:2330".
std::string device_part(const std::string& pci_id) {
  const auto colon = pci_id.rfind(':');
  return name_key(colon == std::string::npos ? pci_id : pci_id.substr(colon + 1));
}

bool one_of(const std::string& key, const MaybeFigure<std::vector<std::string>>& names) {
  return !key.empty() && names &&
         std::any_of(names->value.begin(), names->value.end(),
                     [&](const std::string& name) { return name_key(name) == key; });
}

/// A MIG device is called "NVIDIA A100-SXM4-40GB MIG 1g.5gb": its card is what stands before.
std::string card_name(const std::string& name) { return name.substr(0, name.find(" MIG ")); }

void compare_names(Score& score, const DeviceFacts& facts) {
  const Gpu& gpu = *score.gpu;
  score.pci = one_of(device_part(facts.pci_id), gpu.pci_device_ids);
  score.name = one_of(name_key(card_name(facts.name)), gpu.device_names);
  if (!score.pci && !facts.pci_id.empty() && gpu.pci_device_ids)
    note(score, "PCI id", facts.pci_id, joined(gpu.pci_device_ids->value), false);
  if (!score.name && !facts.name.empty() && gpu.device_names)
    note(score, "name", facts.name, joined(gpu.device_names->value), false);
}

Score compare(const DeviceFacts& facts, const Gpu& gpu) {
  Score score;
  score.gpu = &gpu;
  if (!facts.mig) {
    compare_count(score, "SMs", facts.sm_count, gpu.sm_count, "");
    compare_count(score, "DRAM bus", facts.bus_bits, gpu.memory_bus_bits, " bit");
    compare_memory(score, facts);
    compare_l2(score, facts);
    compare_clock(score, facts);
  }
  compare_names(score, facts);
  return score;
}

/// Keeps those for which `holds` is true, unless it is true for none.
template <class Predicate>
void prefer(std::vector<Score>& scores, Predicate holds) {
  if (std::any_of(scores.begin(), scores.end(), holds))
    scores.erase(
        std::remove_if(scores.begin(), scores.end(), [&](const Score& s) { return !holds(s); }),
        scores.end());
}

/// Of entries that agree in what decides: by PCI id, then by name, then by the memory clock.
void narrow(std::vector<Score>& scores) {
  prefer(scores, [](const Score& s) { return s.pci; });
  if (scores.size() > 1) prefer(scores, [](const Score& s) { return s.name; });
  if (scores.size() < 2) return;
  const auto nearest =
      std::min_element(scores.begin(), scores.end(),
                       [](const Score& a, const Score& b) { return a.clock_gap < b.clock_gap; });
  const double limit = nearest->clock_gap + kSameClock;
  prefer(scores, [&](const Score& s) { return s.clock_gap <= limit; });
}

Identification result(Fit fit, std::vector<Score> scores) {
  Identification id;
  id.fit = fit;
  if (scores.empty()) return id;
  id.named = scores.front().pci || scores.front().name;
  id.differs = std::move(scores.front().differs);
  for (const auto& score : scores) id.entries.push_back(score.gpu);
  return id;
}

Identification identify_slice(std::vector<Score> scores) {
  std::erase_if(scores, [](const Score& s) { return !s.pci && !s.name; });
  narrow(scores);
  const Fit fit = scores.empty() ? Fit::unknown : scores.size() == 1 ? Fit::slice : Fit::ambiguous;
  return result(fit, std::move(scores));
}

}  // namespace

std::vector<const Gpu*> named(const DeviceFacts& facts, std::span<const Gpu> gpus) {
  auto name = card_name(facts.name);
  if (name.ends_with(" VF")) name.resize(name.size() - 3);
  const auto key = name_key(name);
  std::vector<const Gpu*> found;
  for (const Gpu& gpu : gpus) {
    const bool other =
        (gpu.vendor == "nvidia" && !facts.compute_capability.empty() && gpu.compute_capability &&
         gpu.compute_capability->value != facts.compute_capability) ||
        (facts.sm_count && gpu.sm_count &&
         gpu.sm_count->value.to_double() != static_cast<double>(*facts.sm_count));
    if (!other && one_of(key, gpu.device_names)) found.push_back(&gpu);
  }
  return found;
}

std::string_view fit_name(Fit fit) {
  constexpr std::string_view kNames[] = {"exact", "ambiguous", "slice", "nearest", "unknown"};
  return kNames[static_cast<std::size_t>(fit)];
}

Identification identify(const DeviceFacts& facts, std::span<const Gpu> gpus) {
  std::vector<Score> scores;
  for (const Gpu& gpu : gpus)
    if (gpu.vendor == "nvidia" && gpu.compute_capability &&
        gpu.compute_capability->value == facts.compute_capability)
      scores.push_back(compare(facts, gpu));
  if (scores.empty()) return {};
  if (facts.mig) return identify_slice(std::move(scores));

  std::vector<Score> agreeing;
  for (const auto& score : scores)
    if (score.deciding == 0) agreeing.push_back(score);
  // Without the number of SMs nothing tells the cards of a generation apart.
  if (!agreeing.empty() && facts.sm_count) {
    narrow(agreeing);
    const Fit fit = agreeing.size() == 1 ? Fit::exact : Fit::ambiguous;
    return result(fit, std::move(agreeing));
  }
  std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
    return std::pair(a.deciding, a.distance) < std::pair(b.deciding, b.distance);
  });
  scores.resize(1);
  return result(Fit::nearest, std::move(scores));
}

}  // namespace roofline
