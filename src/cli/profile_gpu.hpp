#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/settings.hpp"
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

/// A GPU that a description or a setting names. It goes where the device leaves a choice, never
/// against what the device tells of itself.
struct MeantGpu {
  std::string name;  ///< empty: none
  std::string by;    ///< "the description", "ROOFLINE_GPU"
};

MeantGpu meant_gpu(const Settings& settings);

/// `devices` empty: none known. Errors: those of the table's files, and of `meant` where it is
/// asked. `is_entry`: the first device is named as the table names it, by a result of ours.
Checked<ProfileGpu> gpu_of(const std::vector<ProfiledDevice>& devices, bool is_entry = false,
                           const MeantGpu& meant = {});

/// In what the device that kernels ran on is another than `gpu`, as in "132 SMs here, 108 in the
/// table"; empty: in nothing that is told. Errors: those of the table's files.
Checked<std::string> contradiction(const std::vector<ProfiledDevice>& devices, const Gpu& gpu);

}  // namespace roofline::cli
