#pragma once

#include <string>

#include "cli/args.hpp"
#include "cli/job.hpp"
#include "cli/measure.hpp"

namespace roofline::cli {

enum class ProfileFormat { table, markdown, json, csv };
ProfileFormat profile_format(const std::string& chosen, bool json, const Settings& settings,
                             Errors& errors);

/// Writes the report to stdout in `format`, and with `result_file` the roofline.result/1 document
/// to that file. Then what failed on stderr. Returns the exit code.
int write_measurement(const Measurement& measurement, const Frame& frame, ProfileFormat format,
                      const std::string& result_file, ProfilePageOptions options);

}  // namespace roofline::cli
