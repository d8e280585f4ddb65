#pragma once

#include "cli/args.hpp"
#include "cli/job.hpp"
#include "cli/picture.hpp"

namespace roofline::cli {

/// `analyze` of captures and of other tools' files, all of them read as one profile: the report of
/// `profile`, without running anything. Returns the exit code.
int analyze_captures(const AnalyzeArgs& args, const Frame& frame, const Pictures& pictures);

}  // namespace roofline::cli
