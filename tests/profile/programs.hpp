#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

/// For programs that the tests profile: a call that must work.
inline void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(result));
  std::exit(99);
}

/// A context on a device and a module in it.
struct Gpu {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  explicit Gpu(int ordinal = 0) {
    CUdevice device = 0;
    must(cuDeviceGet(&device, ordinal), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    must(cuModuleLoadData(&module, "no machine code"), "cuModuleLoadData");
  }
  CUfunction function(const char* name) const {
    CUfunction f = nullptr;
    must(cuModuleGetFunction(&f, module, name), "cuModuleGetFunction");
    return f;
  }
};

inline void launch(CUfunction f, unsigned grid = 128, unsigned block = 256,
                   CUstream stream = nullptr) {
  must(cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, stream, nullptr, nullptr), "cuLaunchKernel");
}
