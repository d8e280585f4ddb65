#pragma once

#include <string>

#include "roofline/base/result.hpp"
#include "roofline/machine/calibration.hpp"

/// The file that keeps a calibration for `--ceilings calibrated`.
namespace roofline::cli {

inline constexpr std::string_view kCalibrationSchema = "roofline.calibration/1";

std::string utc_date();  ///< "2026-12-01"

/// Writes it to `path`, whose folder is made. Errors: cannot_write.
Result<void> save_calibration(const std::string& path, const Calibration& calibration);

}  // namespace roofline::cli
