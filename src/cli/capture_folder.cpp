#include "cli/capture_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "roofline/profile/collect.hpp"

namespace roofline::cli {

namespace fs = std::filesystem;

Result<CaptureFolder> CaptureFolder::make(const std::string& keep) {
  CaptureFolder folder;
  std::error_code error;
  if (!keep.empty()) {
    fs::create_directories(keep, error);
    if (error)
      return fail(Code::cannot_write, {keep, 0, 0, 1, {}, 0},
                  fmt::format("cannot make the folder: {}", error.message()));
    folder.path_ = fs::absolute(keep).string();
    if (capture_files(keep))
      return fail(Code::contradiction, {keep, 0, 0, 1, {}, 0},
                  "this folder holds captures of another profile",
                  "give an empty one: captures of one folder are read as one profile");
    if (::access(keep.c_str(), W_OK | X_OK) != 0)
      return fail(Code::cannot_write, {keep, 0, 0, 1, {}, 0}, "this folder cannot be written to",
                  "--keep takes a folder that this user may write to");
    return folder;
  }
  auto made = TemporaryFolder::make("roofline");
  if (!made) {
    made.error().hint += "; --keep DIR names one for the captures";
    return tl::unexpected(std::move(made.error()));
  }
  folder.path_ = made->path();
  folder.temporary_.emplace(std::move(*made));
  return folder;
}

std::string CaptureFolder::keep() {
  if (!temporary_ || !capture_files(path_)) return {};
  temporary_->leave();
  return path_;
}

}  // namespace roofline::cli
