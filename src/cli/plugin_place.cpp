#include "cli/plugin_place.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "roofline/base/text.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kFile = "libroofline_cupti.so";
constexpr std::string_view kVariable = "ROOFLINE_PLUGIN";
// Beside the program: a build folder, then the layouts of installations.
constexpr std::string_view kPlaces[] = {"", "../lib/roofline", "../lib64/roofline",
                                        "../lib/x86_64-linux-gnu/roofline",
                                        "../lib/aarch64-linux-gnu/roofline"};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

Result<std::string> find_plugin() {
  std::error_code error;
  if (const char* chosen = std::getenv(std::string(kVariable).c_str());
      chosen != nullptr && *chosen != '\0') {
    if (is_file(chosen)) return fs::absolute(chosen, error).string();
    return fail(Code::plugin_missing, {},
                fmt::format("{} names {}, which is no file", kVariable, printable(chosen)),
                "unset it, or let it name libroofline_cupti.so");
  }
  const auto self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto place : kPlaces) {
    const auto path = self / place / kFile;
    if (is_file(path)) return fs::weakly_canonical(path, error).string();
  }
  return fail(Code::plugin_missing, {},
              fmt::format("the profiler plug-in {} was not found beside {}", kFile,
                          (self / "roofline").string()),
              "this build may have been made without CUPTI's headers: configure with "
              "-DROOFLINE_CUPTI=ON and CUDA_PATH; ROOFLINE_PLUGIN names another place");
}

}  // namespace roofline::cli
