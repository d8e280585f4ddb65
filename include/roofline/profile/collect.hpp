#pragma once

#include <span>
#include <string>

#include "roofline/base/result.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// Reads the captures of one profile (one per process and run) into one: kernels grouped by name,
/// grid and block, launch costs joined by correlation id, idle time held against what the host did.
/// Memory grows with the number of distinct kernels, not of launches. Files with NVTX ranges are
/// read twice; from standard input their ranges are counted as lost. Runs are numbered from 0 in
/// the order of the headers' numbers. Errors: those of CaptureFile; limit_exceeded for a file with
/// more than a million distinct kernels.
Checked<Profiled> read_profile(std::span<const std::string> files);
Checked<Profiled> read_profile(std::span<const CaptureSource> captures);

}  // namespace roofline
