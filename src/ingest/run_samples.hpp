#pragma once

#include <string>
#include <vector>

#include "roofline/kernel/result.hpp"

namespace roofline {

/// What single times of one process come to: median and quartiles. `seconds`: at least one, each
/// above zero.
RunTimes run_of(std::vector<double> seconds);

/// A kernel that was measured in these runs, under a name.
ResultKernel measured_kernel(std::string name, std::vector<RunTimes> runs, Timing timing);

}  // namespace roofline
