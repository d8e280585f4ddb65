#include "roofline/profile/nvrtc_api.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "profile/driver/shared_library.hpp"

namespace roofline::nvrtc {
namespace {

constexpr int kNewest = 13, kOldest = 11;  // majors of the toolkit that are looked for

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(variable);
    if (value && *value) folders.push_back(std::string(value) + "/lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  for (int major = kNewest; major >= kOldest; --major)
    folders.push_back(fmt::format("/usr/local/cuda-{}/lib64", major));
  folders.emplace_back("/opt/cuda/lib64");
  return folders;
}

/// The soname of 11.x is libnvrtc.so.11.2 throughout.
std::string library_name(int major) {
  return major == 11 ? std::string("libnvrtc.so.11.2") : fmt::format("libnvrtc.so.{}", major);
}

}  // namespace

Result<Api> open_compiler(int driver_cuda_major) {
  const int newest =
      driver_cuda_major > 0 && driver_cuda_major < kNewest ? driver_cuda_major : kNewest;
  const auto folders = toolkit_folders();
  for (int major = newest; major >= kOldest; --major) {
    const std::string names[] = {library_name(major)};
    const auto library = profile::open_library(names, folders);
    if (!library) continue;
    Api api;
    api.path = library.path;
    profile::SymbolBinder bind(library);
    bind.need(api.version, "nvrtcVersion");
    bind.need(api.error_text, "nvrtcGetErrorString");
    bind.need(api.create, "nvrtcCreateProgram");
    bind.need(api.destroy, "nvrtcDestroyProgram");
    bind.need(api.compile, "nvrtcCompileProgram");
    bind.need(api.log_size, "nvrtcGetProgramLogSize");
    bind.need(api.log, "nvrtcGetProgramLog");
    bind.need(api.add_name, "nvrtcAddNameExpression");
    bind.need(api.lowered_name, "nvrtcGetLoweredName");
    bind.need(api.ptx_size, "nvrtcGetPTXSize");
    bind.need(api.ptx, "nvrtcGetPTX");
    bind.need(api.cubin_size, "nvrtcGetCUBINSize");
    bind.need(api.cubin, "nvrtcGetCUBIN");
    bind.need(api.arch_count, "nvrtcGetNumSupportedArchs");
    bind.need(api.archs, "nvrtcGetSupportedArchs");
    if (!bind.missing().empty()) continue;
    if (api.version(&api.major, &api.minor) != 0) continue;
    return api;
  }
  return fail(Code::no_compiler, {},
              fmt::format("the runtime compiler of CUDA was not found (libnvrtc.so.{})", newest),
              "install the CUDA toolkit or set CUDA_PATH to it; or compile yourself and write ptx: "
              "or cubin: instead of "
              "source:");
}

}  // namespace roofline::nvrtc
