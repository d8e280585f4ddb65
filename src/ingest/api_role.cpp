#include "ingest/api_role.hpp"

namespace roofline {
namespace {

using capture::ApiRole;

struct Row {
  std::string_view prefix;  // of the name behind "cuda", "cu" or "hip"
  ApiRole role;
};
// The longest prefixes first where one begins with another.
constexpr Row kRows[] = {
    {"LaunchHostFunc", ApiRole::other},
    {"LaunchKernel", ApiRole::kernel_launch},  // ExC, Ex, cooperative
    {"LaunchCooperativeKernel", ApiRole::kernel_launch},
    {"LaunchGrid", ApiRole::kernel_launch},
    {"Launch", ApiRole::kernel_launch},
    {"ModuleLaunch", ApiRole::kernel_launch},
    {"ExtModuleLaunch", ApiRole::kernel_launch},
    {"ExtLaunch", ApiRole::kernel_launch},
    {"GraphLaunch", ApiRole::graph_launch},
    {"Memcpy", ApiRole::copy},
    {"Memset", ApiRole::set},
    {"Malloc", ApiRole::allocation},
    {"MemAlloc", ApiRole::allocation},
    {"HostAlloc", ApiRole::allocation},
    {"HostMalloc", ApiRole::allocation},
    {"MemHostAlloc", ApiRole::allocation},
    {"DeviceSynchronize", ApiRole::wait},
    {"StreamSynchronize", ApiRole::wait},
    {"EventSynchronize", ApiRole::wait},
    {"CtxSynchronize", ApiRole::wait},
    {"ModuleLoad", ApiRole::module_load},
    {"LibraryLoad", ApiRole::module_load},
};

}  // namespace

ApiRole api_role(std::string_view name) {
  for (const std::string_view family : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(family)) continue;
    const auto rest = name.substr(family.size());
    for (const auto& row : kRows)
      if (rest.starts_with(row.prefix)) return row.role;
    return ApiRole::other;
  }
  return ApiRole::other;
}

capture::ApiDomain api_domain(std::string_view name) {
  const bool runtime = name.starts_with("cuda") || name.starts_with("hip");
  return runtime ? capture::ApiDomain::runtime : capture::ApiDomain::driver;
}

bool enqueues(capture::ApiRole role) {
  return role == capture::ApiRole::kernel_launch || role == capture::ApiRole::graph_launch ||
         role == capture::ApiRole::copy || role == capture::ApiRole::set;
}

}  // namespace roofline
