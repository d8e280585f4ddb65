#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/machine/gpu.hpp"

namespace roofline {

/// What a driver tells of a device. Absent: it does not tell.
struct DeviceFacts {
  std::string name;                ///< "NVIDIA H100 80GB HBM3"
  std::string pci_id;              ///< "10de:2330"
  std::string compute_capability;  ///< "9.0"
  std::optional<std::uint64_t> sm_count, bus_bits, l2_bytes, memory_bytes;
  std::optional<double> memory_clock_hz;  ///< two transfers a clock
  bool mig = false;  ///< a MIG instance: its SMs and memory are a part of the card's
};

/// How well an entry of the table describes the device.
enum class Fit {
  exact,      ///< every fact that decides agrees, with one entry
  ambiguous,  ///< with several, and neither PCI id nor name tells them apart
  slice,      ///< a MIG instance of the entry's card: the card's ceilings are not the instance's
  nearest,    ///< with none; the entry of the same compute capability that differs least
  unknown,    ///< the table has no entry of this compute capability
};
std::string_view fit_name(Fit fit);

struct FactDifference {
  std::string fact;         ///< "SMs", "DRAM bus", "L2"
  std::string seen, table;  ///< with units
  bool decides = false;  ///< capability, SMs, bus and memory tell cards apart; L2, clocks and names
                         ///< are reported only
};

struct Identification {
  Fit fit = Fit::unknown;
  std::vector<const Gpu*> entries;  ///< best first; several where ambiguous; empty where unknown
  std::vector<FactDifference> differs;  ///< of the first entry
  bool named = false;                   ///< PCI id or device name stand in the first entry
  const Gpu* entry() const { return entries.empty() ? nullptr : entries.front(); }
};

/// Maps a device to the table by what it is: compute capability, number of SMs, width of the DRAM
/// bus, memory size. PCI id, name and memory clock only choose between entries that agree in these;
/// a name alone decides nothing, since engineering samples, virtual machines and new variants carry
/// familiar ones. `gpus` outlives the result. Memory counts as equal from 86 % of the nominal
/// capacity on, for drivers keep a part (and ECC of GDDR 6 %).
Identification identify(const DeviceFacts& facts, std::span<const Gpu> gpus);

/// Entries that carry the device's name, of the capability and the number of SMs where these are
/// told: for files that hold little else. A virtual function ("MI300X VF") is its card. `gpus`
/// outlives the result.
std::vector<const Gpu*> named(const DeviceFacts& facts, std::span<const Gpu> gpus);

}  // namespace roofline
