#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// A file of the user's own folder of accelerators; `stem` is its name without .yaml or .yml.
struct UserFile {
  std::string path, stem;
};

/// $XDG_CONFIG_HOME/roofline/gpus, then ~/.config/roofline/gpus: the .yaml and .yml files, sorted by name. A file of
/// the second folder gives way to one of the same name in the first. A folder that is missing is empty.
std::vector<UserFile> user_gpu_files();

/// Those whose name is `name`; letter case, blanks and hyphens do not matter.
std::vector<UserFile> user_gpu_files(std::string_view name);

}  // namespace roofline
