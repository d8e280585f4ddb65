#include "roofline/profile/gpu_watch.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace roofline::profile {
namespace {

constexpr std::chrono::milliseconds kPeriod(100);
constexpr std::size_t kMostSamples = 1'000'000;     // more than a day
constexpr std::uint64_t kIdleReason = 1;            // nvmlClocksThrottleReasonGpuIdle

struct Watched {
  nvml::Handle handle = nullptr;
  nvml::State before;
  std::vector<unsigned> clocks;  // MHz, of samples in which it worked
  std::vector<double> powers;    // W, of the same
  std::size_t working = 0, throttled = 0;
};

/// Signals are the business of the thread that waits for the program.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

void sample(const nvml::Api& api, Watched& gpu) {
  const auto now = nvml::read_state(api, gpu.handle);
  const bool idle = now.throttle_reasons && (*now.throttle_reasons & kIdleReason) != 0;
  if (idle || !now.sm_clock_mhz || gpu.clocks.size() >= kMostSamples) return;
  gpu.clocks.push_back(*now.sm_clock_mhz);
  if (now.power_w) gpu.powers.push_back(*now.power_w);
  ++gpu.working;
  if (now.throttle_reasons && !nvml::slowdown_reasons(*now.throttle_reasons).empty()) ++gpu.throttled;
}

GpuLoad load_of(const nvml::Api& api, Watched& gpu) {
  GpuLoad load;
  load.driver = nvml::driver_version(api);
  load.power_limit_w = gpu.before.power_limit_w;
  load.mig = gpu.before.mig;
  if (gpu.before.processes) load.other_processes = gpu.before.processes->size();
  if (gpu.clocks.empty()) return load;
  std::sort(gpu.clocks.begin(), gpu.clocks.end());
  load.clock_min_mhz = gpu.clocks.front();
  load.clock_median_mhz = gpu.clocks[gpu.clocks.size() / 2];
  load.clock_max_mhz = gpu.clocks.back();
  std::sort(gpu.powers.begin(), gpu.powers.end());
  if (!gpu.powers.empty()) load.power_median_w = gpu.powers[gpu.powers.size() / 2];
  load.throttled_share = static_cast<double>(gpu.throttled) / static_cast<double>(gpu.working);
  return load;
}

}  // namespace

struct GpuWatch::State {
  nvml::Api api;
  std::vector<Watched> gpus;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;

  void watch() {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, kPeriod, [this] { return done; }))
      for (auto& gpu : gpus) sample(api, gpu);
  }
  void end() {
    {
      const std::scoped_lock lock(mutex);
      done = true;
    }
    wake.notify_all();
    if (thread.joinable()) thread.join();
  }
};

GpuWatch::GpuWatch(const std::function<Result<nvml::Api>()>& open) {
  auto api = open();
  unsigned count = 0;
  if (!api || !api->device_count || api->device_count(&count) != 0 || count == 0) return;
  state_ = std::make_unique<State>();
  state_->api = std::move(*api);
  for (unsigned i = 0; i < count; ++i) {
    Watched gpu;
    if (state_->api.by_index(i, &gpu.handle) != 0) continue;
    gpu.before = nvml::read_state(state_->api, gpu.handle);
    state_->gpus.push_back(std::move(gpu));
  }
  const AllSignalsBlocked blocked;  // the thread inherits the mask
  state_->thread = std::thread([state = state_.get()] { state->watch(); });
}

GpuWatch::~GpuWatch() {
  if (state_) state_->end();
}

GpuLoad GpuWatch::stop(const std::string& uuid) {
  if (!state_) return {};
  state_->end();
  const auto handle = uuid.empty() ? nullptr : nvml::find_device(state_->api, uuid, {});
  auto gpu = std::find_if(state_->gpus.begin(), state_->gpus.end(), [&](const Watched& w) { return w.handle == handle; });
  if (gpu == state_->gpus.end() && (uuid.empty() || state_->gpus.size() == 1)) gpu = state_->gpus.begin();
  return gpu == state_->gpus.end() ? GpuLoad{} : load_of(state_->api, *gpu);
}

}  // namespace roofline::profile
