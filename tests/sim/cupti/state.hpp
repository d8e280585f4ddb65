#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "../environment.hpp"
#include "../seam.hpp"

/// SIMULATED CUPTI: what its two halves share. Records and parameters are the real ones of the
/// headers; the contents come from the simulated driver.
namespace roofline::sim {

/// The simulated driver's private functions; false where another driver is loaded, or none.
struct Driver {
  void (*set_hooks)(const Hooks*) = nullptr;
  std::uint64_t (*now)() = nullptr;
  ContextNumbers (*context_numbers)(void*) = nullptr;
  CUresult (*version)(int*) = nullptr;
};
const Driver* driver();

/// Registers our hooks with the driver. False: there is no simulated driver.
bool attach();

/// The code that SIMCUPTI_FAIL gives a call, else success.
CUptiResult failure(const char* call);

/// Of activity.cpp: records of what the driver reports.
void record_call(const Call& call);
void record_kernel(const KernelRun& run);
void record_copy(const CopyRun& run);
void record_wait(const WaitRun& run);
void record_graph(const GraphRun& run);
void record_module_load();
void record_marker(std::uint32_t id, bool start, const char* name);

/// Of callbacks.cpp.
void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

}  // namespace roofline::sim
