#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/machine/identify.hpp"
#include "roofline/quantities/quantity.hpp"

namespace roofline {

enum class Mark { ok, warn, no };
std::string_view mark_name(Mark mark);

/// One line of `roofline doctor`.
struct Finding {
  Mark mark = Mark::ok;
  std::string subject;  ///< "driver", "counters": stable, for programs
  std::string text;     ///< what was found
  std::string meaning;  ///< what follows from it; empty where the text says it
  std::string remedy;   ///< what to do, exactly; empty where nothing is to be done
  std::string code;     ///< "RF3010" where `roofline explain` has a page
};

/// A GPU of this machine with its entry of the table.
struct DetectedGpu {
  int ordinal = 0;
  std::string uuid, pci_bus;
  DeviceFacts facts;
  bool simulated = false;  ///< a test double: no such GPU exists
  Identification match;
};

/// A fact of the machine for bug reports, as it was read.
struct MachineFact {
  std::string key, value;
};

struct DoctorReport {
  std::vector<Finding> findings;
  bool profile = false;   ///< times and launches can be recorded
  bool counters = false;  ///< and DRAM bytes and FLOPs counted
  std::vector<DetectedGpu> gpus;
  std::vector<MachineFact> facts;
  std::string tool_version;
};

/// Findings as lines with their remedies, then what works. `colour`: the marks.
std::string doctor_text(const DoctorReport& report, std::size_t width, bool colour);
std::string doctor_json(const DoctorReport& report);  ///< roofline.doctor/1

/// Each GPU with its facts, its entry and what differs; then what to write after --gpu.
std::string detect_text(const std::vector<DetectedGpu>& gpus, std::size_t width);
std::string detect_json(const std::vector<DetectedGpu>& gpus);  ///< roofline.detected-gpus/1

/// "sm_90, 132 SMs, 5120-bit bus, 79.2 GiB, L2 50 MiB".
std::string facts_text(const DeviceFacts& facts);

/// The commands that answer on a machine without a GPU: subject of a sentence.
inline constexpr std::string_view kNeedNoGpu =
    "analyze, model, fuse, sweep, solve, audit, import, compare and gate on saved results";
/// "L2 60 MiB here, 50 MiB in the table".
std::string difference_text(const FactDifference& difference);

}  // namespace roofline
