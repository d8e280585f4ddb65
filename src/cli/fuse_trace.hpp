#pragma once

#include "cli/args.hpp"
#include "cli/job.hpp"

namespace roofline::cli {

/// `fuse` of captures and other tools' files: chains of neighbouring memory-bound operations.
/// Returns the exit code.
int fuse_traces(const FuseArgs& args, const Frame& frame, const AnalyzeOptions& options,
                SmallFormat format);

}  // namespace roofline::cli
