#pragma once

#include <span>
#include <string>
#include <string_view>

#include "roofline/base/pattern.hpp"
#include "roofline/base/result.hpp"
#include "roofline/kernel/kernel_kind.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// Reads the captures of one profile (one per process and run) into one: kernels grouped by name,
/// grid and block, launch costs joined by correlation id, idle time held against what the host did.
/// Memory grows with the number of distinct kernels, not of launches. Files with NVTX ranges are
/// read twice; from standard input their ranges are counted as lost. Runs are numbered from 0 in
/// the order of the headers' numbers. Errors: those of CaptureFile; limit_exceeded for a file with
/// more than a million distinct kernels. `kinds`: by its labels kernels that wait for other
/// processes are told from those that compute; nullptr: all compute.
Checked<Profiled> read_profile(std::span<const std::string> files,
                               const KernelKinds* kinds = nullptr);
/// `ranges`: only what was enqueued while a range of such a name was open, on any thread (the
/// backward pass of a step runs on a thread of its own). Errors besides: unknown_name, where no
/// range of any file has such a name; contradiction for a capture on standard input, which cannot
/// be read twice. `asked`: the words of `ranges`, for that error.
Checked<Profiled> read_profile(std::span<const CaptureSource> captures,
                               const Pattern* ranges = nullptr, const KernelKinds* kinds = nullptr,
                               std::string_view asked = {});

}  // namespace roofline
