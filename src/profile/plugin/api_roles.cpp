#include "profile/plugin/api_roles.hpp"

namespace roofline::profile::plugin {
namespace {

using capture::ApiDomain;
using capture::ApiRole;

struct Prefix {
  std::string_view text;  ///< behind "cu" or "cuda"
  ApiRole role;
};
// The first that fits decides, so exceptions stand before their rule.
constexpr Prefix kPrefixes[] = {
    {"LaunchHostFunc", ApiRole::other},  // runs on the host
    {"Launch", ApiRole::kernel_launch},
    {"GraphLaunch", ApiRole::graph_launch},
    {"Memcpy", ApiRole::copy},
    {"64Memcpy", ApiRole::copy},
    {"Memset", ApiRole::set},
    {"64Memset", ApiRole::set},
    {"MemAlloc", ApiRole::allocation},
    {"64MemAlloc", ApiRole::allocation},
    {"MemHostAlloc", ApiRole::allocation},
    {"MemFree", ApiRole::allocation},
    {"MemCreate", ApiRole::allocation},
    {"Malloc", ApiRole::allocation},
    {"Free", ApiRole::allocation},
    {"HostAlloc", ApiRole::allocation},
    {"CtxSynchronize", ApiRole::wait},
    {"DeviceSynchronize", ApiRole::wait},
    {"ThreadSynchronize", ApiRole::wait},
    {"StreamSynchronize", ApiRole::wait},
    {"EventSynchronize", ApiRole::wait},
    {"ModuleLoad", ApiRole::module_load},
    {"LibraryLoad", ApiRole::module_load},
    {"LinkComplete", ApiRole::module_load},
};

struct KnownCall {
  ApiDomain domain;
  std::uint32_t call;
  ApiRole role;
};
// For a CUPTI that does not tell names: the numbers have never changed.
constexpr KnownCall kKnownCalls[] = {
    {ApiDomain::driver, 115, ApiRole::kernel_launch},  // cuLaunch
    {ApiDomain::driver, 116, ApiRole::kernel_launch},  // cuLaunchGrid
    {ApiDomain::driver, 117, ApiRole::kernel_launch},  // cuLaunchGridAsync
    {ApiDomain::driver, 307, ApiRole::kernel_launch},  // cuLaunchKernel
    {ApiDomain::driver, 442, ApiRole::kernel_launch},  // cuLaunchKernel_ptsz
    {ApiDomain::driver, 477, ApiRole::kernel_launch},  // cuLaunchCooperativeKernel
    {ApiDomain::driver, 478, ApiRole::kernel_launch},  // cuLaunchCooperativeKernel_ptsz
    {ApiDomain::driver, 480, ApiRole::kernel_launch},  // cuLaunchCooperativeKernelMultiDevice
    {ApiDomain::driver, 652, ApiRole::kernel_launch},  // cuLaunchKernelEx
    {ApiDomain::driver, 653, ApiRole::kernel_launch},  // cuLaunchKernelEx_ptsz
    {ApiDomain::driver, 514, ApiRole::graph_launch},   // cuGraphLaunch
    {ApiDomain::driver, 515, ApiRole::graph_launch},   // cuGraphLaunch_ptsz
};

}  // namespace

ApiRole role_of_call(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);  // __cudaLaunchKernel of CUDA 13
  for (const std::string_view library : {"cuda", "cu"})
    if (name.starts_with(library)) {
      name.remove_prefix(library.size());
      break;
    }
  for (const auto& prefix : kPrefixes)
    if (name.starts_with(prefix.text)) return prefix.role;
  return ApiRole::other;
}

void ApiRoles::learn(const CuptiApi& cupti) {
  for (const auto& known : kKnownCalls)
    roles_[static_cast<std::size_t>(known.domain)][known.call] = known.role;
  if (!cupti.get_callback_name) return;
  constexpr std::pair<ApiDomain, CUpti_CallbackDomain> kDomains[] = {
      {ApiDomain::driver, CUPTI_CB_DOMAIN_DRIVER_API},
      {ApiDomain::runtime, CUPTI_CB_DOMAIN_RUNTIME_API},
  };
  for (const auto& [domain, theirs] : kDomains)
    for (std::uint32_t call = 1; call < kCalls; ++call) {
      const char* name = nullptr;
      if (cupti.get_callback_name(theirs, call, &name) == CUPTI_SUCCESS && name)
        roles_[static_cast<std::size_t>(domain)][call] = role_of_call(name);
    }
}

}  // namespace roofline::profile::plugin
