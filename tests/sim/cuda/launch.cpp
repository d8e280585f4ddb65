// SIMULATED driver: launches. No kernel is executed; each takes its virtual time on its stream.
#include "state.hpp"

namespace {

using roofline::sim::Api;
using roofline::sim::Function;
using roofline::sim::Launch;
using roofline::sim::Stream;

// The parameters of a call as CUPTI's callbacks hand them out. Layouts of generated_cuda_meta.h,
// which itself needs types that cuda.h keeps to NVIDIA's own builds.
struct KernelParameters {  // cuLaunchKernel_params, and _ptsz
  CUfunction f;
  unsigned grid[3], block[3], shared;
  CUstream stream;
  void **arguments, **extra;  // cuLaunchCooperativeKernel_params ends before `extra`
};
struct ConfigParameters {  // cuLaunchKernelEx_params
  const CUlaunchConfig* config;
  CUfunction f;
  void **arguments, **extra;
};

Function* function_of(CUfunction handle) { return reinterpret_cast<Function*>(handle); }

bool is_valid(const Launch& l) {
  const auto threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
  const auto blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  return l.function && threads >= 1 && threads <= 1024 && blocks >= 1;
}

CUresult launch(std::uint32_t id, const char* name, const void* parameters, const Launch& l,
                CUstream handle) {
  SIM_CONTEXT(name);
  if (!is_valid(l)) return CUDA_ERROR_INVALID_VALUE;
  Api call(id, name, parameters, l.function->name.c_str());
  Stream& stream = roofline::sim::stream_of(handle);
  if (stream.capturing) {
    auto node = std::make_unique<roofline::sim::GraphNode>();
    node->id = ++roofline::sim::object_ids;
    node->launch = l;
    stream.capturing->nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  return roofline::sim::run_kernel(l, stream, call.correlation(), call.end());
}

Launch from_config(const CUlaunchConfig& c, CUfunction f) {
  Launch l{function_of(f),
           {c.gridDimX, c.gridDimY, c.gridDimZ},
           {c.blockDimX, c.blockDimY, c.blockDimZ},
           {},
           c.sharedMemBytes};
  for (unsigned i = 0; i < c.numAttrs; ++i) {
    const auto& attribute = c.attrs[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    l.cluster[0] = attribute.value.clusterDim.x;
    l.cluster[1] = attribute.value.clusterDim.y;
    l.cluster[2] = attribute.value.clusterDim.z;
  }
  return l;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                void** arguments, void** extra) {
  const KernelParameters p{f, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra};
  return launch(307, "cuLaunchKernel", &p, {function_of(f), {gx, gy, gz}, {bx, by, bz}, {}, shared},
                stream);
}
CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                     unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                     CUstream stream, void** arguments, void** extra) {
  const KernelParameters p{f, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, extra};
  return launch(442, "cuLaunchKernel_ptsz", &p,
                {function_of(f), {gx, gy, gz}, {bx, by, bz}, {}, shared}, stream);
}
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** arguments,
                                  void** extra) {
  const ConfigParameters p{config, f, arguments, extra};
  return launch(652, "cuLaunchKernelEx", &p, from_config(*config, f), config->hStream);
}
CUresult CUDAAPI cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** arguments,
                                       void** extra) {
  const ConfigParameters p{config, f, arguments, extra};
  return launch(653, "cuLaunchKernelEx_ptsz", &p, from_config(*config, f), config->hStream);
}
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                           unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                           CUstream stream, void** arguments) {
  const KernelParameters p{f, {gx, gy, gz}, {bx, by, bz}, shared, stream, arguments, nullptr};
  return launch(477, "cuLaunchCooperativeKernel", &p,
                {function_of(f), {gx, gy, gz}, {bx, by, bz}, {}, shared}, stream);
}
CUresult CUDAAPI cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* list, unsigned count,
                                                      unsigned) {
  SIM_CONTEXT("cuLaunchCooperativeKernelMultiDevice");
  if (count == 0) return CUDA_ERROR_INVALID_VALUE;
  Api call(480, "cuLaunchCooperativeKernelMultiDevice", nullptr,
           function_of(list[0].function)->name.c_str());
  for (unsigned i = 0; i < count; ++i) {
    const auto& p = list[i];
    roofline::sim::run_kernel({function_of(p.function),
                               {p.gridDimX, p.gridDimY, p.gridDimZ},
                               {p.blockDimX, p.blockDimY, p.blockDimZ},
                               {},
                               p.sharedMemBytes},
                              roofline::sim::stream_of(p.hStream), call.correlation(), call.end());
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
