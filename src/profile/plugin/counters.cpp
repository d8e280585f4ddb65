#include "profile/plugin/counters.hpp"

#include <unistd.h>

#include <bitset>
#include <map>
#include <string>
#include <utility>

#include "profile/plugin/callbacks.hpp"
#include "profile/plugin/counted_device.hpp"
#include "profile/plugin/launch_info.hpp"
#include "profile/plugin/launch_lock.hpp"
#include "profile/plugin/launch_selection.hpp"
#include "profile/plugin/launch_watch.hpp"
#include "profile/plugin/message.hpp"
#include "profile/plugin/range_profiler.hpp"
#include "profile/plugin/session.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

constexpr int kTimeoutStatus = 124;      // of timeout(1)
constexpr unsigned kFailuresInARow = 3;  // then counting is given up for this process

/// Everything of this mode. Never destroyed: other threads launch while the process exits.
struct Counting {
  ProfilerApi api;
  LaunchSelection selection;
  LaunchLock launches;
  LaunchWatch watch;
  std::bitset<ApiRoles::kCalls> capture_begins, capture_ends;
  std::atomic<int> captures{
      0};  ///< streams that record a graph: nothing runs, and a wait would spoil it
  std::atomic<bool> off{false}, memory_sets{false}, graph_said{false};

  // Under the lock, alone.
  bool initialised = false;
  std::map<std::uint32_t, CountedDevice> devices;
  RangeProfiler profiler;
  unsigned failures = 0;
  std::vector<double> values;
};

Counting& counting() {
  static auto* const the_counting = new Counting;
  return *the_counting;
}

/// The launch that this thread is in.
struct Current {
  enum class Passed : std::uint8_t { free, together, alone };
  int depth = 0;
  Passed passed = Passed::free;
  const CounterSet* set = nullptr;  ///< being counted with it
  LaunchInfo launch;
  std::uint64_t occurrence = 0;
  std::uint32_t device = 0;
};
thread_local Current current;

void give_up(Session& s, Counting& c, const Refusal& refusal) {
  c.off = true;
  say(refusal.sentence + "; the program runs on, without counters");
  write_status(s, refusal.code, refusal.detail, refusal.result);
}

/// A call failed for one launch. What the machine forbids it forbids for all of them.
void note_failure(Session& s, Counting& c, const FailedCall& failed) {
  s.losses.add(Lost::launches_not_counted);
  const auto refusal = refusal_of(s.cupti, failed.result, failed.call);
  if (refusal.code != status::kRefused || ++c.failures >= kFailuresInARow) give_up(s, c, refusal);
}

/// The device of a context, opened at its first counted launch. Null: counting was given up.
CountedDevice* device_of(Session& s, Counting& c, CUcontext context, std::uint32_t& ordinal) {
  if (!c.initialised) {
    auto start = ROOFLINE_PARAMS(Profiler_Initialize);
    if (const auto result = c.api.initialize(&start); result != CUPTI_SUCCESS) {
      give_up(s, c, refusal_of(s.cupti, result, "cuptiProfilerInitialize"));
      return nullptr;
    }
    c.initialised = true;
  }
  ordinal = 0;
  if (s.cupti.get_device_id) s.cupti.get_device_id(context, &ordinal);
  if (const auto found = c.devices.find(ordinal); found != c.devices.end()) return &found->second;
  CountedDevice device;
  if (const auto refusal = CountedDevice::open(s, c.api, ordinal, device)) {
    give_up(s, c, *refusal);
    return nullptr;
  }
  if (device.has_memory_set()) c.memory_sets = true;
  return &c.devices.emplace(ordinal, std::move(device)).first->second;
}

/// One context at a time: NVIDIA's samples stop one before they start the next.
std::optional<FailedCall> attach(Counting& c, CUcontext context) {
  if (c.profiler.context() == context) return std::nullopt;
  c.profiler.close(c.api);
  return c.profiler.open(c.api, context);
}

/// With the lock held alone. Sets current.set when counting has begun.
void begin_counting(Session& s, Counting& c, CUcontext context, bool memory) {
  auto* device = device_of(s, c, context, current.device);
  if (!device) return;
  std::optional<FailedCall> failed;
  const auto code = s.codes.find(current.launch.name);
  const auto* set = memory ? device->for_memory(s, c.api, failed)
                           : device->for_kernel(s, c.api, code ? code->tensor_types : 0, failed);
  if (!failed && set) failed = attach(c, context);
  if (!failed && set) failed = c.profiler.begin(c.api, *set);
  if (failed) return note_failure(s, c, *failed);
  if (!set) return;
  c.watch.begin(current.launch.name);
  current.set = set;
}

capture::Shape shape_of(Session& s, CaptureWriter::Batch& batch) {
  const auto& launch = current.launch;
  capture::Shape shape;
  shape.name = batch.name(launch.name);
  for (std::size_t i = 0; i < 3; ++i) {
    shape.grid[i] = launch.grid[i];
    shape.block[i] = launch.block[i];
    shape.cluster[i] = launch.cluster[i];
  }
  shape.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  shape.device = current.device;
  if (const auto code = s.codes.find(launch.name)) {
    shape.registers = code->registers;
    shape.static_shared_bytes = code->static_shared_bytes;
    shape.local_bytes_per_thread = code->local_bytes;
  }
  return shape;
}

void write_values(Session& s, const CounterSet& set, const std::vector<double>& values) {
  CaptureWriter::Batch batch(s.writer);
  capture::Counters counters;
  counters.shape = batch.shape(shape_of(s, batch));
  counters.occurrence = current.occurrence;
  counters.replay_passes = set.passes();
  for (const char* metric : set.metrics()) counters.metrics.push_back(batch.text(metric));
  counters.values = values;
  batch.put(counters);
}

bool launch_failed(const CUpti_CallbackData& data) {
  return data.functionReturnValue &&
         *static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS;
}

void end_counting(Session& s, Counting& c, const CUpti_CallbackData& data) {
  const auto* set = std::exchange(current.set, nullptr);
  const auto ended = c.profiler.end(c.api, *set, c.values);
  c.watch.end();
  if (launch_failed(data)) return;  // the program learns of it; there was nothing to count
  if (ended.failed) return note_failure(s, c, *ended.failed);
  if (!ended.usable()) {
    s.losses.add(Lost::ranges_unexpected);
    return;
  }
  c.failures = 0;
  write_values(s, *set, c.values);
}

void say_graphs_once(Session& s, Counting& c) {
  s.losses.add(Lost::graph_launches);
  if (!c.graph_said.exchange(true))
    say("kernels inside CUDA graphs are not counted; --sample sees them");
}

/// Chooses how the launch passes; with `alone`, counting begins.
void enter_launch(Session& s, Counting& c, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool is_graph =
      s.roles.role(capture::ApiDomain::driver, id) == capture::ApiRole::graph_launch;
  const auto info = is_graph || c.off ? std::nullopt : launch_info(id, data);
  LaunchSelection::Choice choice;
  if (is_graph) {
    say_graphs_once(s, c);
  } else if (info) {
    choice = c.selection.choose(*info, c.memory_sets);
    if (choice.why == LaunchSelection::Why::excluded) s.losses.add(Lost::launches_excluded);
    if (choice.why == LaunchSelection::Why::no_room) s.losses.add(Lost::launches_forgotten);
  } else if (!c.off) {
    s.losses.add(Lost::launches_unknown);
  }
  if (!choice.counted()) {
    c.launches.lock_together();
    current.passed = Current::Passed::together;
    return;
  }
  c.launches.lock_alone();
  current.passed = Current::Passed::alone;
  current.launch = *info;
  current.occurrence = choice.occurrence;
  if (!c.off) begin_counting(s, c, data.context, choice.why == LaunchSelection::Why::memory);
}

void on_launch(Session& s, Counting& c, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (++current.depth > 1 || c.captures > 0) return;
    enter_launch(s, c, id, data);
    return;
  }
  if (current.depth == 0 || --current.depth > 0) return;
  const auto passed = std::exchange(current.passed, Current::Passed::free);
  if (passed == Current::Passed::free) return;
  if (current.set) guarded([&] { end_counting(s, c, data); });
  c.launches.unlock();
}

void on_context_end(Counting& c, CUcontext context) {
  c.launches.lock_alone();
  if (c.profiler.context() == context) c.profiler.close(c.api);
  c.launches.unlock();
}

std::optional<Refusal> enable_calls(Session& s, Counting& c) {
  for (std::uint32_t call = 1; call < ApiRoles::kCalls; ++call) {
    const auto role = s.roles.role(capture::ApiDomain::driver, call);
    const char* text = nullptr;
    const bool named =
        s.cupti.get_callback_name &&
        s.cupti.get_callback_name(CUPTI_CB_DOMAIN_DRIVER_API, call, &text) == CUPTI_SUCCESS && text;
    const std::string_view name = named ? text : "";
    c.capture_begins[call] = name.starts_with("cuStreamBeginCapture");
    c.capture_ends[call] = name.starts_with("cuStreamEndCapture");
    const bool wanted = role == capture::ApiRole::kernel_launch ||
                        role == capture::ApiRole::graph_launch || c.capture_begins[call] ||
                        c.capture_ends[call];
    if (!wanted) continue;
    const auto result = s.cupti.enable_callback(1, s.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call);
    if (result != CUPTI_SUCCESS) return refusal_of(s.cupti, result, "cuptiEnableCallback");
  }
  s.cupti.enable_callback(1, s.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                          CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> start_counters(Session& s) {
  auto& c = counting();
  if (const char* missing = load_range_profiler(s.cupti_library, c.api))
    return Refusal{
        status::kCuptiIncomplete,
        s.cupti_path + " has no " + missing + ": counting needs CUDA 12.6 Update 2 or later",
        missing, 0};
  c.selection.configure(s.settings.skip_launches, s.settings.launches, s.settings.exclude);
  if (s.settings.flush_ms == 0) s.settings.flush_ms = kDefaultFlushMs;  // the watch needs its ticks
  s.roles.learn(s.cupti);
  return enable_calls(s, c);
}

void counters_callback(Session& s, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void* data) {
  auto& c = counting();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
      on_context_end(c, static_cast<const CUpti_ResourceData*>(data)->context);
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= ApiRoles::kCalls) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (c.capture_begins[id] || c.capture_ends[id]) {
    // From before the first to after the last: a moment too long is a launch not counted, no more.
    if (c.capture_begins[id] && call.callbackSite == CUPTI_API_ENTER) ++c.captures;
    const bool never_began =
        c.capture_begins[id] && call.callbackSite == CUPTI_API_EXIT && launch_failed(call);
    if (never_began || (c.capture_ends[id] && call.callbackSite == CUPTI_API_EXIT)) --c.captures;
    return;
  }
  on_launch(s, c, id, call);
}

void watch_counters(Session& s) {
  if (s.settings.timeout_s <= 0) return;
  const auto name = counting().watch.overdue(std::chrono::seconds(s.settings.timeout_s));
  if (!name) return;
  say("a counted launch of " + *name + " has not ended in " + std::to_string(s.settings.timeout_s) +
      " s: it may wait for a kernel that replay keeps from running. The program cannot go on and "
      "is "
      "ended; leave this kernel out (--exclude), or use --sample");
  write_status(s, status::kLaunchTimeout, *name, 0);
  s.writer.finish("launch_timeout", s.losses);
  _exit(kTimeoutStatus);
}

void finish_counters(Session& s) {
  if (const auto shapes = counting().selection.never_chosen())
    s.losses.add(Lost::kernels_too_seldom, shapes);
}

}  // namespace roofline::profile::plugin
