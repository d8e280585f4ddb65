#pragma once

#include <string>
#include <utility>

#include "roofline/base/result.hpp"

/// For commands that start this program once more, as a child.
namespace roofline::cli {

/// The file of this program.
std::string own_program();

/// A folder for the files of children; it goes away with this object.
class TemporaryFolder {
 public:
  /// Under TMPDIR, else /tmp: "<name>-XXXXXX". Errors: cannot_write.
  static Result<TemporaryFolder> make(const std::string& name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }
  /// The folder stays when this object goes.
  void leave() { path_.clear(); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace roofline::cli
