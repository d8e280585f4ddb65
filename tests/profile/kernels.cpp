// A program on the driver API that does what its arguments say, in turn.
// usage: kernels STEP...
//   launch:NAME:COUNT[:GRID]  cuLaunchKernel          ex:NAME:COUNT        cuLaunchKernelEx,
//   clusters of 2 ptsz:NAME:COUNT           cuLaunchKernel_ptsz     cooperative:NAME:COUNT
//   devices:NAME:COUNT        cooperative launches on several devices
//   graph:NAME:COUNT          COUNT launches captured, the graph launched twice
//   threads:NAME:COUNT        COUNT launches in each of 4 threads
//   contexts:NAME:COUNT       COUNT launches in each of 2 more contexts, by turns
//   range:NAME:COUNT          an NVTX range of that name with COUNT launches of axpy; open:NAME:
//   one that never ends wait:MS                   sleeps, and lets virtual time pass
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "programs.hpp"

extern "C" CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned,
                                                unsigned, unsigned, unsigned, CUstream, void**,
                                                void**);

// cuda.h gives cuCtxCreate other parameters with every version.
#undef cuCtxCreate_v2
extern "C" CUresult CUDAAPI cuCtxCreate_v2(CUcontext*, unsigned, CUdevice);

namespace {

struct Step {
  std::string kind, name;
  long count = 1;
  unsigned grid = 128;
};

Step read_step(const std::string& text) {
  Step step;
  std::istringstream fields(text);
  std::string part;
  std::getline(fields, step.kind, ':');
  std::getline(fields, step.name, ':');
  if (std::getline(fields, part, ':')) step.count = std::atol(part.c_str());
  if (std::getline(fields, part, ':')) step.grid = static_cast<unsigned>(std::atol(part.c_str()));
  return step;
}

void launch_ex(CUfunction f) {
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 64;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 128;
  config.sharedMemBytes = 1024;
  config.attrs = &cluster;
  config.numAttrs = 1;
  must(cuLaunchKernelEx(&config, f, nullptr, nullptr), "cuLaunchKernelEx");
}

// The call is on its way out; programs still make it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void launch_on_devices(CUfunction f) {
  CUDA_LAUNCH_PARAMS one{};
  one.function = f;
  one.gridDimX = one.gridDimY = one.gridDimZ = one.blockDimY = one.blockDimZ = 1;
  one.blockDimX = 32;
  must(cuLaunchCooperativeKernelMultiDevice(&one, 1, 0), "cuLaunchCooperativeKernelMultiDevice");
}
#pragma GCC diagnostic pop

void run_graph(const Step& step, CUfunction f) {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  must(cuStreamCreate(&stream, 0), "cuStreamCreate");
  must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  for (long i = 0; i < step.count; ++i) launch(f, step.grid, 256, stream);
  must(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
  must(cuGraphInstantiateWithFlags(&ready, graph, 0), "cuGraphInstantiate");
  for (int i = 0; i < 2; ++i) must(cuGraphLaunch(ready, stream), "cuGraphLaunch");
}

void run_threads(const Step& step, const Gpu& gpu, CUfunction f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      must(cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent");
      for (long i = 0; i < step.count; ++i) launch(f, step.grid);
    });
  for (auto& thread : threads) thread.join();
}

void run_contexts(const Step& step) {
  struct Other {
    CUcontext context = nullptr;
    CUfunction f = nullptr;
  } others[2];
  for (auto& other : others) {
    CUmodule module = nullptr;
    must(cuCtxCreate_v2(&other.context, 0, 0), "cuCtxCreate");
    must(cuModuleLoadData(&module, "no machine code"), "cuModuleLoadData");
    must(cuModuleGetFunction(&other.f, module, step.name.c_str()), "cuModuleGetFunction");
  }
  for (long i = 0; i < step.count; ++i)
    for (unsigned which = 0; which < 2; ++which) {
      must(cuCtxSetCurrent(others[which].context), "cuCtxSetCurrent");
      launch(others[which].f, step.grid + which);
    }
  for (auto& other : others) must(cuCtxDestroy(other.context), "cuCtxDestroy");
}

void run(const Step& step, const Gpu& gpu) {
  if (step.kind == "wait") {
    usleep(static_cast<useconds_t>(std::atol(step.name.c_str())) * 1000);
    return;
  }
  if (step.kind == "open") {
    nvtxRangePushA(step.name.c_str());
    return;
  }
  if (step.kind == "range") {
    nvtxRangePushA(step.name.c_str());
    for (long i = 0; i < step.count; ++i) launch(gpu.function("axpy"), step.grid);
    nvtxRangePop();
    return;
  }
  const CUfunction f = gpu.function(step.name.c_str());
  if (step.kind == "graph") return run_graph(step, f);
  if (step.kind == "threads") return run_threads(step, gpu, f);
  if (step.kind == "contexts") {
    run_contexts(step);
    must(cuCtxSetCurrent(gpu.context), "cuCtxSetCurrent");
    return;
  }
  for (long i = 0; i < step.count; ++i) {
    if (step.kind == "ex")
      launch_ex(f);
    else if (step.kind == "ptsz")
      must(cuLaunchKernel_ptsz(f, step.grid, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr),
           "cuLaunchKernel_ptsz");
    else if (step.kind == "cooperative")
      must(cuLaunchCooperativeKernel(f, step.grid, 1, 1, 256, 1, 1, 0, nullptr, nullptr),
           "cuLaunchCooperativeKernel");
    else if (step.kind == "devices")
      launch_on_devices(f);
    else
      launch(f, step.grid);
  }
}

}  // namespace

int main(int count, char** arguments) {
  must(cuInit(0), "cuInit");
  const Gpu gpu;
  for (int i = 1; i < count; ++i) run(read_step(arguments[i]), gpu);
  must(cuCtxSynchronize(), "cuCtxSynchronize");
  std::puts("done");
  return 0;
}
