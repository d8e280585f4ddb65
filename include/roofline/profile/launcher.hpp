#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/base/result.hpp"

namespace roofline {

/// A program to run with some variables of its environment set.
struct ProgramCommand {
  std::vector<std::string> words;  ///< the program, found along PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<std::chrono::seconds> timeout;  ///< then it is killed
};

/// How a program ended.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;            ///< that killed it; 0: it exited
  bool interrupted = false;  ///< Ctrl-C, or a SIGTERM sent to us
  bool timed_out = false;
  double wall_s = 0;

  bool good() const { return signal == 0 && exit_code == 0 && !timed_out; }
  /// As a shell gives it: 128 and the signal's number.
  int shell_status() const { return signal != 0 ? 128 + signal : exit_code; }
  std::string text() const;  ///< "exit code 3", "signal 11 (SIGSEGV)"
};

/// Runs a program to its end: its stdin, stdout and stderr are ours, untouched, and so are its
/// working folder and limits. Signals that ask us to end are passed on to it; `on_interrupt` is
/// told of the first one. A second one kills it. Errors: program_not_found, with what the system
/// says of the path.
Result<ProgramEnd> run_program_to_end(const ProgramCommand& command,
                                      const std::function<void()>& on_interrupt = {});

/// "SIGSEGV"; empty where the number is none of the common ones.
std::string_view signal_name(int number);

}  // namespace roofline
