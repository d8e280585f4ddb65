#include "state.hpp"

#include <algorithm>

extern "C" {
extern const int roofline_simulated_driver = 1;
void simcuda_set_hooks(const roofline::sim::Hooks* hooks) { roofline::sim::hooks = hooks; }
std::uint64_t simcuda_now() { return roofline::sim::clock_ns.load(); }
roofline::sim::ContextNumbers simcuda_context_numbers(void* context) {
  const auto* c = static_cast<roofline::sim::Context*>(context);
  return c ? roofline::sim::ContextNumbers{c->id, static_cast<std::uint32_t>(c->device)}
           : roofline::sim::ContextNumbers{};
}
}

namespace roofline::sim {
namespace {

constexpr std::uint64_t kFirstNanosecond = 1'000'000'000;
thread_local Context* thread_context = nullptr;

}  // namespace

const Hooks* hooks = nullptr;
std::atomic<std::uint64_t> clock_ns{kFirstNanosecond};
std::atomic<std::uint32_t> correlation_ids{0}, object_ids{0};

std::uint64_t api_ns() {
  static const std::uint64_t ns = number_setting("SIMCUDA_API_NS", 2000);
  return ns;
}

Context* current_context() { return thread_context; }
void set_current_context(Context* context) { thread_context = context; }

Stream& stream_of(CUstream stream) {
  // 1 and 2 are the API's names for the default stream of the context and of the thread.
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) return thread_context->null_stream;
  return *reinterpret_cast<Stream*>(stream);
}

std::uint64_t occupy(Stream& stream, std::uint64_t ready, std::uint64_t duration_ns) {
  std::uint64_t before = stream.end.load(std::memory_order_relaxed);
  std::uint64_t start = 0;
  do start = std::max(before, ready);
  while (!stream.end.compare_exchange_weak(before, start + duration_ns, std::memory_order_relaxed));
  return start;
}

void wait_until(std::uint64_t time) {
  std::uint64_t now = clock_ns.load();
  while (now < time && !clock_ns.compare_exchange_weak(now, time)) {
  }
}

CUresult run_kernel(const Launch& launch, Stream& stream, std::uint32_t correlation,
                    std::uint64_t ready, std::uint32_t graph, std::uint64_t node) {
  static const std::uint64_t spread_ns = number_setting("SIMCUDA_SPREAD_NS", 0);
  static const std::uint64_t latency_ns = number_setting("SIMCUDA_LATENCY_NS", 1000);
  constexpr std::uint64_t kStep = 7919;  // a prime: durations come in a mixed order
  std::uint64_t duration = launch.function->duration_ns;
  const auto number = launch.function->runs.fetch_add(1, std::memory_order_relaxed);
  if (spread_ns > 0) duration += number * kStep % (spread_ns + 1);
  KernelRun run;
  run.start = occupy(stream, ready + latency_ns, duration);
  if (!hooks || !hooks->kernel) return CUDA_SUCCESS;
  run.end = run.start + duration;
  run.name = launch.function->name.c_str();
  run.device = static_cast<std::uint32_t>(stream.context->device);
  run.context = stream.context->id;
  run.stream = stream.id;
  run.correlation = correlation;
  std::copy_n(launch.grid, 3, run.grid);
  std::copy_n(launch.block, 3, run.block);
  std::copy_n(launch.cluster, 3, run.cluster);
  run.dynamic_shared = launch.shared;
  run.registers = 32;
  run.graph = graph;
  run.graph_node = node;
  hooks->kernel(run);
  return CUDA_SUCCESS;
}

void record_wait(std::uint32_t type, std::uint32_t stream, std::uint32_t correlation,
                 std::uint64_t start) {
  if (hooks && hooks->wait)
    hooks->wait({type, thread_context ? thread_context->id : 0, stream, correlation, start,
                 std::max(clock_ns.load(), start)});
}

CUresult failure(const char* call) {
  static const std::string list = text_setting("SIMCUDA_FAIL");
  return list.empty() ? CUDA_SUCCESS : static_cast<CUresult>(listed_number(list, call, 0));
}

}  // namespace roofline::sim
