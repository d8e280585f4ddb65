#pragma once

#include <string>

#include "cli/args.hpp"
#include "cli/measure.hpp"
#include "cli/own_process.hpp"
#include "roofline/base/result.hpp"

/// `roofline profile SPEC.yaml`: one kernel, launched as its description says, in a child process
/// under the profiler like any other program.
namespace roofline::cli {

/// The child: this program, started with this word. It is no command of its own and stands in no
/// help.
inline constexpr std::string_view kLaunchWord = "launch-kernel";

/// A kernel that is ready to be launched: its code is compiled and lies in a file of a folder that
/// goes away with it.
struct PreparedLaunch {
  MeasureRequest request;  ///< `base` with the child as its program, the description and the
                           ///< kernel's name filled in
  TemporaryFolder folder;
};

/// Reads `spec` ("FILE" or "FILE#NAME"), chooses the entry with `launch:`, compiles its source for
/// GPU 0. Errors: of the description; missing_key where no entry, or more than one, can be
/// launched; no_device; bad_source; no_compiler.
Checked<PreparedLaunch> prepare_launch(const std::string& spec, MeasureRequest base);

/// The child: allocates, fills, launches, checks. Prints on stderr alone. Exit codes as everywhere;
/// 4 where the kernel did not write its output.
int run_launch_child(Words words);

}  // namespace roofline::cli
