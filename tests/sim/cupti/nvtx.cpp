// SIMULATED CUPTI: NVTX's library, as the real one is: push, pop, start and end become markers.
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <vector>

#include "state.hpp"

namespace {

std::atomic<std::uint32_t> ids{0};
thread_local std::vector<std::uint32_t> pushed;

int push(const char* name) {
  pushed.push_back(++ids);
  roofline::sim::record_marker(pushed.back(), true, name);
  return static_cast<int>(pushed.size()) - 1;
}
int pop() {
  if (pushed.empty()) return NVTX_NO_PUSH_POP_TRACKING;
  roofline::sim::record_marker(pushed.back(), false, nullptr);
  pushed.pop_back();
  return static_cast<int>(pushed.size());
}
nvtxRangeId_t start(const char* name) {
  const auto id = ++ids;
  roofline::sim::record_marker(id, true, name);
  return id;
}
void end(nvtxRangeId_t id) {
  roofline::sim::record_marker(static_cast<std::uint32_t>(id), false, nullptr);
}

template <class Function>
void replace(NvtxFunctionTable table, unsigned entry, Function function) {
  *table[entry] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size))
    return 0;
  replace(table, NVTX_CBID_CORE_RangePushA, push);
  replace(table, NVTX_CBID_CORE_RangePop, pop);
  replace(table, NVTX_CBID_CORE_RangeStartA, start);
  replace(table, NVTX_CBID_CORE_RangeEnd, end);
  return 1;
}
