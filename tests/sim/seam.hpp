#pragma once

#include <cstddef>
#include <cstdint>

/// SIMULATED: what the stand-in driver tells the stand-in CUPTI. Private to the two of them.
namespace roofline::sim {

struct Call {
  bool enter = false;
  std::uint32_t id = 0;  ///< CUPTI's number of the driver call
  const char* name = nullptr;
  const void* parameters = nullptr;  ///< the call's struct of generated_cuda_meta.h, or null
  const char* symbol = nullptr;      ///< the kernel launched
  void* context = nullptr;
  std::uint32_t context_id = 0, correlation = 0;
  std::uint64_t start = 0, end = 0;
};

struct KernelRun {
  const char* name = nullptr;
  std::uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  std::uint64_t start = 0, end = 0;
  unsigned grid[3] = {}, block[3] = {}, cluster[3] = {};
  unsigned dynamic_shared = 0, static_shared = 0, registers = 0, local = 0;
  std::uint32_t graph = 0;
  std::uint64_t graph_node = 0;
};

enum class Moved : std::uint8_t { copy, peer_copy, set };
struct CopyRun {
  Moved moved = Moved::copy;
  std::uint8_t kind = 0;  ///< CUpti_ActivityMemcpyKind
  bool pageable = false;
  std::uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  std::uint64_t bytes = 0, start = 0, end = 0;
};

struct WaitRun {
  std::uint32_t type = 0;  ///< CUpti_ActivitySynchronizationType
  std::uint32_t context = 0, stream = 0, correlation = 0;
  std::uint64_t start = 0, end = 0;
};

struct GraphRun {
  std::uint32_t graph = 0, device = 0, context = 0, stream = 0, correlation = 0;
  std::uint64_t start = 0, end = 0;
};

struct ModuleImage {
  std::uint32_t id = 0;
  const void* bytes = nullptr;
  std::size_t size = 0;
};

/// Functions of the stand-in CUPTI; any may be null.
struct Hooks {
  void (*call)(const Call&) = nullptr;
  void (*kernel)(const KernelRun&) = nullptr;
  void (*copy)(const CopyRun&) = nullptr;
  void (*wait)(const WaitRun&) = nullptr;
  void (*graph)(const GraphRun&) = nullptr;
  /// `id`: CUpti_CallbackIdResource; `module` for module loads.
  void (*resource)(std::uint32_t id, void* context, const ModuleImage* module) = nullptr;
};

/// A context as CUPTI numbers it.
struct ContextNumbers {
  std::uint32_t context = 0, device = 0;
};

}  // namespace roofline::sim

extern "C" {
/// Also the mark by which the plug-in knows that no GPU is behind this driver.
extern const int roofline_simulated_driver;
void simcuda_set_hooks(const roofline::sim::Hooks* hooks);
std::uint64_t simcuda_now();
roofline::sim::ContextNumbers simcuda_context_numbers(void* context);
}
