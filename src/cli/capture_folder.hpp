#pragma once

#include <optional>
#include <string>

#include "cli/own_process.hpp"
#include "roofline/base/result.hpp"

namespace roofline::cli {

/// The folder that captures go to: the user's, or one that goes away.
class CaptureFolder {
 public:
  /// `keep`: the user's, made where it is not there; empty: a temporary one. Errors: cannot_write;
  /// contradiction, where it holds captures of another profile.
  static Result<CaptureFolder> make(const std::string& keep);
  const std::string& path() const { return path_; }
  /// From now on a temporary folder stays: its path. Empty: it is the user's, who knows of it, or
  /// holds no capture.
  std::string keep();

 private:
  CaptureFolder() = default;
  std::string path_;
  std::optional<TemporaryFolder> temporary_;  // absent: the user's own, which stays
};

}  // namespace roofline::cli
