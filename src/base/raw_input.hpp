#pragma once

#include <cstddef>
#include <string>

#include "base/file_access.hpp"
#include "roofline/base/result.hpp"

namespace roofline {

/// The bytes of a file or of standard input as they lie there, packed or not.
class RawInput {
 public:
  /// `path`: a file, or "-" for standard input. Refuses directories. `look`: what is read of
  /// standard input or a pipe comes again for whoever opens it next. Errors: cannot_read.
  static Result<RawInput> open(const std::string& path, bool look = false);

  /// Up to `room` bytes into `into`; how many, 0 at the end. Errors: cannot_read.
  Result<std::size_t> read(char* into, std::size_t room);
  std::size_t size_hint() const { return size_; }  ///< of a regular file; 0: not known

 private:
  RawInput(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Descriptor file_;
  std::string path_;
  std::size_t size_ = 0, looked_ = 0;
  bool once_ = false, look_ = false;  // once: standard input, a pipe
};

}  // namespace roofline
