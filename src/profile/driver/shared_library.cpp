#include "profile/driver/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace roofline::profile {
namespace {

std::string loaded_from(void* handle) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
  std::error_code failed;
  auto resolved = std::filesystem::canonical(map->l_name, failed);
  return failed ? std::string(map->l_name) : resolved.string();
}

bool in_stubs_folder(const std::string& path) {
  for (const auto& part : std::filesystem::path(path))
    if (part == "stubs") return true;
  return false;
}

/// True: opened, or found as a stub. The reason of the first failure is kept, it is the one of the
/// loader's own path.
bool try_open(SharedLibrary& library, const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* words = ::dlerror();
    if (library.fault.empty() && words) library.fault = words;
    return false;
  }
  auto path = loaded_from(handle);
  if (in_stubs_folder(path)) {
    ::dlclose(handle);
    library.only_stub = true;
    if (library.path.empty()) library.path = std::move(path);
    return false;
  }
  library = {handle, std::move(path), {}, false};
  return true;
}

}  // namespace

SharedLibrary open_library(std::span<const std::string> names,
                           std::span<const std::string> folders) {
  SharedLibrary library;
  for (const auto& name : names)
    if (try_open(library, name)) return library;
  for (const auto& folder : folders) {
    for (const auto& name : names) {
      const auto path = std::filesystem::path(folder) / name;
      std::error_code failed;
      if (std::filesystem::exists(path, failed) && try_open(library, path.string())) return library;
    }
  }
  return library;
}

void* find_symbol(const SharedLibrary& library, const char* name) {
  return library.handle ? ::dlsym(library.handle, name) : nullptr;
}

}  // namespace roofline::profile
