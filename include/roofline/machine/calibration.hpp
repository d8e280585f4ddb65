#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

class YamlDocument;

/// Who measured a figure that a calibration gave (Origin::measured_by).
inline constexpr std::string_view kCalibratedBy = "roofline calibrate";

/// What the names of the figures of DRAM start with: dram_copy, dram_triad, dram_read.
inline constexpr std::string_view kDramPrefix = "dram_";

/// One limit of a GPU as it was measured on it.
struct CalibratedCeiling {
  std::string name;       ///< of the test: "dram_copy"
  std::string resource;   ///< "dram", "tensor:bf16", "launch:stream"
  bool mma_sync = false;  ///< reached by mma.sync on a GPU that has a faster path
  double value = 0;       ///< in `unit`
  std::string unit;       ///< "B/s", "FLOP/s", "op/s", "s"
  double spread = 0, rounds_differ = 0;
  int samples = 0;
  std::optional<double> clock_mhz, power_w, throttled_share;
  std::optional<double> datasheet;  ///< what the table states for it
  bool trusted = false;
  std::string reason;  ///< why it is not
};

/// What `roofline calibrate` measured on one GPU (roofline.calibration/1).
struct Calibration {
  std::string gpu;  ///< id of the entry that it was held against
  std::string device, uuid, driver, date;
  std::string source;      ///< another program's output that it was read from; empty: measured here
  bool sustained = true;   ///< after a second of work; false: in short bursts, at a higher clock
  bool simulated = false;  ///< made without a GPU
  std::vector<CalibratedCeiling> ceilings;
  struct Missing {
    std::string name, reason;
  };
  std::vector<Missing> missing;

  /// The trusted one of that name; nullptr: there is none.
  const CalibratedCeiling* find(std::string_view name) const;
  /// The one that stands for DRAM: that of a copy, as much read as written; where there is none, of
  /// a triad, then of reading alone. nullptr: none is trusted.
  const CalibratedCeiling* dram() const;
  /// When, where and how: "measured 2026-12-01 on NVIDIA H100 80GB HBM3, driver 580.65.06".
  std::string provenance() const;
};

/// Reads what `calibrate` wrote. Errors: those of its keys and values.
Checked<Calibration> read_calibration(const YamlDocument& document);

/// Where the calibration of a GPU is kept: $XDG_CONFIG_HOME/roofline/calibrated/<id>.json, else
/// under ~/.config. Empty: there is no such folder to be had.
std::string calibration_path(std::string_view gpu_id);

/// Whether there is such a file for this GPU.
bool is_calibrated(std::string_view gpu_id);

/// The user's calibration of this GPU. Errors: cannot_read with the command that makes one where
/// there is none; those of read_calibration.
Checked<Calibration> find_calibration(std::string_view gpu_id);

}  // namespace roofline
