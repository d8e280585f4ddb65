#include "cli/own_process.hpp"

#include <stdlib.h>

#include <filesystem>

namespace roofline::cli {

namespace fs = std::filesystem;

std::string own_program() {
  std::error_code failed;
  const auto path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? std::string("roofline") : path.string();
}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& name) {
  std::error_code failed;
  auto folder = (fs::temp_directory_path(failed) / (name + "-XXXXXX")).string();
  if (failed || !::mkdtemp(folder.data()))
    return fail(Code::cannot_write, {folder, 0, 0, 1, {}, 0}, "a temporary folder cannot be made",
                "set TMPDIR to a folder that may be written");
  return TemporaryFolder(std::move(folder));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a temporary folder that cannot be removed hurts nobody
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace roofline::cli
