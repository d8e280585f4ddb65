#include "machine/user_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "machine/name_index.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) found.emplace_back(config);
  if (const char* home = std::getenv("HOME"); home && *home) found.push_back(fs::path(home) / ".config");
  for (fs::path& folder : found) folder /= fs::path("roofline") / "gpus";
  if (found.size() == 2 && found[0].lexically_normal() == found[1].lexically_normal()) found.pop_back();
  return found;
}

std::vector<UserFile> files_of(const fs::path& folder) {
  std::vector<UserFile> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".yaml" || path.extension() == ".yml") files.push_back({path.string(), path.stem().string()});
  }
  std::sort(files.begin(), files.end(), [](const UserFile& a, const UserFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::vector<UserFile> user_gpu_files() {
  std::vector<UserFile> files;
  for (const fs::path& folder : folders()) {
    const std::size_t before = files.size();
    for (UserFile& file : files_of(folder)) {
      const auto known = [&](const UserFile& earlier) { return name_key(earlier.stem) == name_key(file.stem); };
      const auto first_folder = files.begin() + static_cast<std::ptrdiff_t>(before);
      if (std::none_of(files.begin(), first_folder, known)) files.push_back(std::move(file));
    }
  }
  return files;
}

std::vector<UserFile> user_gpu_files(std::string_view name) {
  std::vector<UserFile> files = user_gpu_files();
  const std::string key = name_key(name);
  std::erase_if(files, [&](const UserFile& file) { return name_key(file.stem) != key; });
  return files;
}

}  // namespace roofline
