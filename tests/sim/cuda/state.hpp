#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../environment.hpp"
#include "../seam.hpp"

/// SIMULATED driver: what its objects are. Handles of the API are pointers to these.
namespace roofline::sim {

struct Graph;

struct Stream {
  std::uint32_t id = 0;
  struct Context* context = nullptr;
  std::atomic<std::uint64_t> end{0};  ///< virtual time at which its work is done
  Graph* capturing = nullptr;
};

struct Context {
  std::uint32_t id = 0;
  int device = 0;
  Stream null_stream;
  std::mutex mutex;
  std::vector<Stream*> streams;
};

struct Event {
  std::uint64_t time = 0;
};

struct Function {
  std::string name;
  std::vector<std::size_t> parameters;  ///< sizes, of a module of PTX
  std::uint64_t duration_ns = 0;
  std::atomic<std::uint64_t> runs{0};
};

struct Module {
  std::uint32_t id = 0;
  std::string file_bytes;  ///< owned image of cuModuleLoad
  std::string ptx;         ///< its text, where it is PTX: then it has the functions of that alone
  std::mutex mutex;
  std::vector<std::unique_ptr<Function>> functions;
  Function* function(const char* name);
};

struct Launch {
  Function* function = nullptr;
  unsigned grid[3] = {}, block[3] = {}, cluster[3] = {};
  unsigned shared = 0;
};

struct GraphNode {
  std::uint64_t id = 0;
  Launch launch;
};
struct Graph {
  std::uint32_t id = 0;
  std::vector<std::unique_ptr<GraphNode>> nodes;
};

extern const Hooks* hooks;  ///< null until CUPTI is attached
extern std::atomic<std::uint64_t> clock_ns;
extern std::atomic<std::uint32_t> correlation_ids, object_ids;

std::uint64_t api_ns();
Context* current_context();
void set_current_context(Context* context);
Stream& stream_of(CUstream stream);  ///< a context must be current
/// The work's start on the stream, at `ready` or behind what is there.
std::uint64_t occupy(Stream& stream, std::uint64_t ready, std::uint64_t duration_ns);
/// Host time goes on to `time` if it is not there yet.
void wait_until(std::uint64_t time);
CUresult run_kernel(const Launch& launch, Stream& stream, std::uint32_t correlation,
                    std::uint64_t ready, std::uint32_t graph = 0, std::uint64_t node = 0);
void record_wait(std::uint32_t type, std::uint32_t stream, std::uint32_t correlation,
                 std::uint64_t start);
/// The code that SIMCUDA_FAIL gives a call, else success.
CUresult failure(const char* call);
bool initialised();

/// One call of the API: takes virtual time and is told to CUPTI at both ends.
class Api {
 public:
  Api(std::uint32_t id, const char* name, const void* parameters = nullptr,
      const char* symbol = nullptr)
      : start_(clock_ns.fetch_add(api_ns(), std::memory_order_relaxed)) {
    call_.id = id;
    call_.name = name;
    call_.parameters = parameters;
    call_.symbol = symbol;
    call_.correlation = correlation_ids.fetch_add(1, std::memory_order_relaxed) + 1;
    if (Context* c = current_context()) {
      call_.context = c;
      call_.context_id = c->id;
    }
    tell(true);
  }
  ~Api() {
    call_.start = start_;
    call_.end = waited_ ? clock_ns.load() : end();
    tell(false);
  }
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  std::uint32_t correlation() const { return call_.correlation; }
  std::uint64_t start() const { return start_; }
  std::uint64_t end() const { return start_ + api_ns(); }
  /// The call blocks the host until virtual time `until`.
  void wait(std::uint64_t until) {
    waited_ = true;
    wait_until(until);
  }

 private:
  void tell(bool enter) {
    call_.enter = enter;
    if (hooks && hooks->call) hooks->call(call_);
  }
  Call call_;
  std::uint64_t start_;
  bool waited_ = false;
};

}  // namespace roofline::sim

/// Every entry point: not before cuInit, and fails where it was told to.
#define SIM_ENTRY(name)                                                              \
  do {                                                                               \
    if (!roofline::sim::initialised()) return CUDA_ERROR_NOT_INITIALIZED;            \
    if (const CUresult failed = roofline::sim::failure(name); failed) return failed; \
  } while (false)
#define SIM_CONTEXT(name)                                                     \
  do {                                                                        \
    SIM_ENTRY(name);                                                          \
    if (!roofline::sim::current_context()) return CUDA_ERROR_INVALID_CONTEXT; \
  } while (false)
