#pragma once

#include <string>

#include "cli/args.hpp"
#include "cli/measure.hpp"
#include "roofline/base/result.hpp"

/// `roofline profile SPEC.yaml`: one kernel, launched as its description says, in a child process
/// under the profiler like any other program.
namespace roofline::cli {

/// The child: this program, started with this word. It is no command of its own and stands in no
/// help.
inline constexpr std::string_view kLaunchWord = "launch-kernel";

/// A kernel that is ready to be launched: its code is compiled and lies in a file of a folder that
/// goes away with it.
class PreparedLaunch {
 public:
  PreparedLaunch(PreparedLaunch&& other) noexcept
      : request(std::move(other.request)), folder_(std::move(other.folder_)) {
    other.folder_.clear();
  }
  PreparedLaunch& operator=(PreparedLaunch&&) = delete;
  ~PreparedLaunch();

  MeasureRequest request;  ///< `base` with the child as its program, the description and the
                           ///< kernel's name filled in

 private:
  friend Checked<PreparedLaunch> prepare_launch(const std::string& spec, MeasureRequest base);
  PreparedLaunch(MeasureRequest filled, std::string folder)
      : request(std::move(filled)), folder_(std::move(folder)) {}
  std::string folder_;
};

/// Reads `spec` ("FILE" or "FILE#NAME"), chooses the entry with `launch:`, compiles its source for
/// GPU 0. Errors: of the description; missing_key where no entry, or more than one, can be
/// launched; no_device; bad_source; no_compiler.
Checked<PreparedLaunch> prepare_launch(const std::string& spec, MeasureRequest base);

/// The child: allocates, fills, launches, checks. Prints on stderr alone. Exit codes as everywhere;
/// 4 where the kernel did not write its output.
int run_launch_child(Words words);

}  // namespace roofline::cli
