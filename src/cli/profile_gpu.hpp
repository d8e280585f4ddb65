#pragma once

#include <memory>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline::cli {

/// The GPU that a program ran on, by the facts in its captures.
struct ProfileGpu {
  std::unique_ptr<Gpu> gpu;      ///< nullptr: not in the table
  std::string note;              ///< what differs from the table, or that it is a part of a card
  std::optional<Error> unknown;  ///< why there is none, with the next step
};

/// `devices` empty: none known. Errors: those of the table's files.
/// `is_entry`: the first device is named as the table names it, by a result of ours.
/// `preferred`: of several entries that the facts fit, the one that is meant; empty: none.
Checked<ProfileGpu> gpu_of(const std::vector<ProfiledDevice>& devices, bool is_entry = false,
                           const std::string& preferred = {});

}  // namespace roofline::cli
