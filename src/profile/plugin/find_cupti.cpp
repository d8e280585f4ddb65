#include "profile/plugin/find_cupti.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string_view>

namespace roofline::profile::plugin {
namespace {

struct Soname {
  int major;
  const char* name;
};
constexpr Soname kSonames[] = {
    // newest first
    {14, "libcupti.so.14"},   {13, "libcupti.so.13"},   {12, "libcupti.so.12"},
    {11, "libcupti.so.11.8"}, {11, "libcupti.so.11.7"},
};
constexpr const char* kToolkitFolders[] = {
    "/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/", "/targets/sbsa-linux/lib/"};
// NVIDIA's wheels: one folder for each library up to CUDA 12, one for all since 13.
constexpr const char* kWheelFolders[] = {"/nvidia/cu14/lib/", "/nvidia/cu13/lib/",
                                         "/nvidia/cuda_cupti/lib/"};

bool is_stub(const std::string& path) { return path.find("/stubs/") != std::string::npos; }

std::string path_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
  return map->l_name;
}

int note_python_folder(dl_phdr_info* object, std::size_t, void* data) {
  auto& folders = *static_cast<std::vector<std::string>*>(data);
  const std::string_view path = object->dlpi_name ? object->dlpi_name : "";
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const auto at = path.find(name);
    if (at == std::string_view::npos) continue;
    std::string folder(path.substr(0, at + name.size() - 1));
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(std::move(folder));
  }
  return 0;
}

}  // namespace

CuptiPlaces cupti_places(const std::string& asked, const char* (*variable)(const char* name)) {
  CuptiPlaces places;
  places.asked = asked;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* folder = variable(name); folder && *folder) places.toolkits.push_back(folder);
  for (const char* folder :
       {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"})
    places.toolkits.push_back(folder);
  dl_iterate_phdr(note_python_folder, &places.python_folders);
  return places;
}

std::vector<std::string> cupti_candidates(const CuptiPlaces& places, int driver_major) {
  if (!places.asked.empty()) return {places.asked};
  std::vector<std::string> candidates;
  for (const auto& soname : kSonames) {
    if (driver_major > 0 && soname.major > driver_major) continue;
    candidates.push_back(soname.name);  // the loader's search first: LD_LIBRARY_PATH is a choice
    for (const auto& toolkit : places.toolkits)
      for (const char* folder : kToolkitFolders)
        candidates.push_back(toolkit + folder + soname.name);
    for (const auto& python : places.python_folders)
      for (const char* folder : kWheelFolders) candidates.push_back(python + folder + soname.name);
  }
  std::erase_if(candidates, is_stub);
  return candidates;
}

int cuda_major_of_cupti(std::uint32_t version) {
  if (version >= 100000) return static_cast<int>(version / 10000);
  constexpr std::uint32_t kFirstOfCuda12 = 19;
  return version >= kFirstOfCuda12 ? 12 : 11;
}

FoundCupti find_cupti(const CuptiPlaces& places, int driver_major) {
  FoundCupti found;
  const auto open = [&](const char* name, int more_flags) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL | more_flags);
    if (!library) return false;
    found.path = path_of(library);
    if (is_stub(found.path)) {
      found.error = found.path + " is a stub";
      dlclose(library);
      return false;
    }
    found.library = library;
    return true;
  };
  // Two copies in one process would be two clients: take the one that is there.
  for (const auto& soname : kSonames)
    if (open(soname.name, RTLD_NOLOAD)) return found;
  for (const auto& candidate : cupti_candidates(places, driver_major)) {
    if (open(candidate.c_str(), 0)) return found;
    // A missing file says nothing; one that is there and does not open does.
    if (const char* error = dlerror(); error && (found.error.empty() || !places.asked.empty()))
      found.error = error;
  }
  return found;
}

}  // namespace roofline::profile::plugin
