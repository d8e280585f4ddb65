#include "profile/plugin/launch_info.hpp"

namespace roofline::profile::plugin {
namespace {

template <class Params>
void read_dimensions(const void* parameters, LaunchInfo& info) {
  const auto& p = *static_cast<const Params*>(parameters);
  info.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  info.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  info.dynamic_shared_bytes = p.sharedMemBytes;
}

template <class Params>
void read_config(const void* parameters, LaunchInfo& info) {
  const CUlaunchConfig* config = static_cast<const Params*>(parameters)->config;
  if (!config) return;
  info.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  info.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  info.dynamic_shared_bytes = config->sharedMemBytes;
  for (unsigned i = 0; config->attrs && i < config->numAttrs; ++i) {
    const auto& attribute = config->attrs[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& cluster = attribute.value.clusterDim;
    info.cluster = {cluster.x, cluster.y, cluster.z};
  }
}

struct Reader {
  CUpti_CallbackId call;
  void (*read)(const void* parameters, LaunchInfo& info);
};
// CUPTI's numbers have never changed.
constexpr Reader kReaders[] = {
    {307, read_dimensions<cuLaunchKernel_params>},
    {442, read_dimensions<cuLaunchKernel_ptsz_params>},
    {477, read_dimensions<cuLaunchCooperativeKernel_params>},
    {478, read_dimensions<cuLaunchCooperativeKernel_ptsz_params>},
    {652, read_config<cuLaunchKernelEx_params>},
    {653, read_config<cuLaunchKernelEx_ptsz_params>},
};

}  // namespace

std::optional<LaunchInfo> launch_info(CUpti_CallbackId call, const CUpti_CallbackData& data) {
  if (!data.symbolName || !data.functionParams) return std::nullopt;
  for (const auto& reader : kReaders) {
    if (reader.call != call) continue;
    LaunchInfo info;
    info.name = data.symbolName;
    reader.read(data.functionParams, info);
    if (info.grid[0] == 0) return std::nullopt;
    return info;
  }
  return std::nullopt;
}

}  // namespace roofline::profile::plugin
