#pragma once

#include <span>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/machine/gpu.hpp"

namespace roofline::cli {

/// "h100,h200" is two names; a path is one, whatever it holds.
std::vector<std::string> split_names(std::span<const std::string> words);

/// The GPUs that options name: "h100,h200" is two names; a path is one, whatever it holds. Every
/// one that is not known is an error, all of them together.
Checked<std::vector<Gpu>> find_gpus(std::span<const std::string> words);

/// Whether --ceilings asks for calibrated ones. A word that is neither is an error.
bool wants_calibrated(const std::string& option, Errors& errors);
/// Attainable times of this GPU from what `roofline calibrate` kept for it. Errors: it kept nothing.
Errors use_calibration(Gpu& gpu);
/// What was kept for it, if there is something, for the eye alone. Errors: the file is broken.
Errors show_calibration(Gpu& gpu);

}  // namespace roofline::cli
