#pragma once

#include "cli/args.hpp"
#include "cli/job.hpp"
#include "cli/picture.hpp"

namespace roofline::cli {

/// True where an input of `analyze` is a capture, or a folder: then all of them are read as one
/// profile.
bool has_captures(const std::vector<std::string>& inputs);

/// `analyze` of captures: the report of `profile`, without running anything. Returns the exit code.
int analyze_captures(const AnalyzeArgs& args, const Frame& frame, const Pictures& pictures);

}  // namespace roofline::cli
