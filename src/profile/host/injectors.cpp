#include "roofline/profile/host.hpp"

namespace roofline::profile {
namespace {

// Variables through which the driver, or the loader, takes another library into every CUDA program.
constexpr std::string_view kVariables[] = {"CUDA_INJECTION64_PATH", "CUDA_INJECTION32_PATH",
                                           "NVTX_INJECTION64_PATH", "LD_PRELOAD"};

struct Tool {
  std::string_view part;  ///< of the library's path
  std::string_view name;
};
constexpr Tool kTools[] = {
    {"ToolsInjection", "Nsight Systems"},
    {"nsight-systems", "Nsight Systems"},
    {"nsys", "Nsight Systems"},
    {"nsight-compute", "Nsight Compute"},
    {"ncu", "Nsight Compute"},
    {"compute-sanitizer", "compute-sanitizer"},
    {"libsanitizer", "compute-sanitizer"},
    {"libInterceptorInjectionTarget", "compute-sanitizer"},
    {"nvbit", "NVBit"},
    {"libroofline", "roofline"},
    {"cuda-gdb", "cuda-gdb"},
    {"hpcrun", "HPCToolkit"},
    {"libTAU", "TAU"},
    {"parcagpu", "Parca"},
    {"libcupti", "CUPTI"},
};

std::string tool_of(const std::string& value) {
  for (const auto& tool : kTools)
    if (value.find(tool.part) != std::string::npos) return std::string(tool.name);
  return {};
}

}  // namespace

std::vector<Injector> find_injectors(const HostView& view) {
  std::vector<Injector> found;
  for (const auto variable : kVariables) {
    const auto value = view.variable(std::string(variable));
    if (!value) continue;
    auto tool = tool_of(*value);
    // What is preloaded is a profiler's only where its name says so.
    if (variable == "LD_PRELOAD" && tool.empty()) continue;
    found.push_back({std::string(variable), *value, std::move(tool)});
  }
  return found;
}

}  // namespace roofline::profile
