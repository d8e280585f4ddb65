#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/base/input.hpp"
#include "roofline/base/result.hpp"

namespace roofline::cli {

/// Where results go: stdout, or a file that appears whole or not at all.
class Output {
 public:
  /// "-" and "" are stdout.
  static Result<Output> open(const std::string& path);
  Output(Output&&) noexcept = default;
  Output& operator=(Output&&) noexcept = default;

  void write(std::string_view text);
  /// False once nothing more can be written: an error, or a reader that went away (`| head`).
  bool good() const { return !closed_ && !error_; }
  /// Throws away what was not written yet: after an error early in a report nothing of it is seen.
  void discard() { buffer_.clear(); }
  /// Writes the rest. A reader that went away is no error: it has what it wanted.
  Result<void> finish();

 private:
  Output() = default;
  void flush();

  std::optional<AtomicFile> file_;
  std::string buffer_;
  bool closed_ = false;
  std::optional<Error> error_;
};

/// Writes `text` to stdout; the exit code: 0, or that of cannot_write.
int print(std::string_view text);

}  // namespace roofline::cli
