#include "roofline/profile/cupti_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profile/driver/shared_library.hpp"

namespace roofline::profile {
namespace {

namespace fs = std::filesystem;

constexpr int kNewest = 13, kOldest = 12;  // 11 has no activity records that we read

struct VersionRow {
  std::uint32_t api;
  std::string_view cuda;
};
// Before 13.0 the version is a running number; from then on xxyyzz.
constexpr VersionRow kVersions[] = {{18, "12.0"}, {22, "12.4"}, {24, "12.6"},
                                    {26, "12.8"}, {27, "12.9"}, {28, "12.9 U1"}};
constexpr std::uint32_t kFirstComposed = 110'000;

std::vector<std::string> folders_of(const HostView& view) {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const auto value = view.variable(variable)) {
      folders.push_back(*value + "/extras/CUPTI/lib64");
      folders.push_back(*value + "/lib64");
    }
  for (const char* toolkit :
       {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/opt/cuda"}) {
    folders.push_back(std::string(toolkit) + "/extras/CUPTI/lib64");
    folders.push_back(std::string(toolkit) + "/lib64");
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = view.variable(variable);
    if (!prefix) continue;
    std::error_code failed;
    for (fs::directory_iterator item(fs::path(*prefix) / "lib", failed), end;
         !failed && item != end; item.increment(failed)) {
      if (!item->path().filename().string().starts_with("python3")) continue;
      for (const char* wheel : {"cu13", "cuda_cupti"})
        folders.push_back((item->path() / "site-packages/nvidia" / wheel / "lib").string());
    }
  }
  return folders;
}

/// Only names with this major: libcupti.so.13, and the dated form of the toolkit,
/// libcupti.so.2025.3.1, is found by its soname link.
std::vector<std::string> names_of(int major) { return {fmt::format("libcupti.so.{}", major)}; }

}  // namespace

int CuptiLibrary::cuda_major() const {
  if (version >= kFirstComposed) return static_cast<int>(version / 10'000);
  return version >= 18 ? 12 : version > 0 ? 11 : 0;
}

std::string cupti_version_text(std::uint32_t version) {
  if (version >= kFirstComposed) return fmt::format("{}.{}", version / 10'000, version / 100 % 100);
  const auto* row = std::find_if(std::begin(kVersions), std::end(kVersions),
                                 [&](const VersionRow& r) { return r.api == version; });
  return row == std::end(kVersions) ? fmt::format("API {}", version) : std::string(row->cuda);
}

Result<CuptiLibrary> find_cupti(const HostView& view, int driver_cuda_major) {
  const auto folders = folders_of(view);
  std::string newer;
  for (int major = kNewest; major >= kOldest; --major) {
    const auto library = open_library(names_of(major), folders);
    if (!library) continue;
    if (driver_cuda_major > 0 && major > driver_cuda_major) {
      newer = library.path;
      continue;
    }
    std::uint32_t version = 0;
    int (*get_version)(std::uint32_t*) = nullptr;
    SymbolBinder(library).maybe(get_version, "cuptiGetVersion");
    if (!get_version || get_version(&version) != 0) continue;
    return CuptiLibrary{library.path, version};
  }
  if (!newer.empty())
    return fail(Code::no_device, {},
                fmt::format("libcupti is newer than the driver ({}; the driver is CUDA {})", newer,
                            driver_cuda_major),
                driver_cuda_major < kOldest
                    ? fmt::format("update the driver: profiling takes CUDA {} or later", kOldest)
                    : fmt::format("install the CUPTI of CUDA {0} (pip install nvidia-cuda-cupti-cu{0}), or update "
                                  "the driver",
                                  driver_cuda_major));
  return fail(Code::no_device, {}, "libcupti was not found",
              "it comes with the CUDA toolkit (extras/CUPTI) and with PyTorch; pip install "
              "nvidia-cuda-cupti-cu12 brings it alone; "
              "roofline profile --cupti PATH names one");
}

}  // namespace roofline::profile
