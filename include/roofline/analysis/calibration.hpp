#pragma once

#include <optional>
#include <string_view>

#include "roofline/machine/calibration.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline {

/// Shares of the datasheet figure between which a measured rate is believed. Below, the measurement
/// missed the unit; above, it measured something else (a cache, zeros, another card).
inline constexpr double kLeastTrusted = 0.40, kMostTrusted = 1.02;

/// What the table states for a limit: the peak of `resource`, of the mma.sync path where that is a
/// lower ceiling of its own. nullopt: it states none.
std::optional<double> datasheet_figure(const Gpu& gpu, std::string_view resource, bool mma_sync);

/// Why a figure of DRAM from arrays of this size is not believed; empty: they are large enough.
/// STREAM's rule: four times all last-level caches, each array.
std::string small_array_fault(const Gpu& gpu, Bytes array);

/// Sets `datasheet`, `trusted` and `reason` of a measured limit: not trusted are one of no value,
/// one whose kernel left a wrong output (`fault`), and one outside of the shares above.
void judge(CalibratedCeiling& ceiling, const Gpu* gpu, std::string_view fault);

/// Keeps what was calibrated in the entry, for reports to show. It changes no figure of the table.
void attach_calibration(Calibration calibration, Gpu& gpu);

/// Attaches it, and puts it where attainable times come from: DRAM bandwidth by copies, launch
/// floors, and the shares of the classes, which no library passes. Peaks, floors and verdicts stay
/// those of the data sheet.
void apply_calibration(Calibration calibration, Gpu& gpu);

}  // namespace roofline
