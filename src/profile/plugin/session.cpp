#include "profile/plugin/session.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "profile/plugin/callbacks.hpp"
#include "profile/plugin/find_cupti.hpp"
#include "profile/plugin/identity.hpp"
#include "profile/plugin/message.hpp"
#include "profile/plugin/process.hpp"
#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {
namespace {

const char* environment(const char* name) { return std::getenv(name); }

void write_clock(Session& s) {
  std::uint64_t profiler_ns = 0;
  if (s.cupti.get_timestamp(&profiler_ns) != CUPTI_SUCCESS) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                       static_cast<std::uint64_t>(now.tv_nsec);
  CaptureWriter::Batch(s.writer).put(capture::Clock{profiler_ns, unix_ns});
}

/// False: nowhere to write, which has been said.
bool open_capture(Session& s) {
  if (s.settings.out.empty()) {
    say(std::string(kOut) + " is not set; the program runs unprofiled");
    return false;
  }
  int error = s.file.create(s.settings.out, capture_stem(), kCaptureExtension);
  if (error == 0)
    error = s.writer.start(header_line(s.settings, read_rank(environment), s.driver.simulated));
  if (error == 0) return true;
  say("cannot write " + s.file.path() + ": " + strerrordesc_np(error) +
      "; the program runs unprofiled");
  return false;
}

std::optional<Refusal> open_cupti(Session& s) {
  const int driver_major = s.driver_version / 1000;
  const auto found = find_cupti(cupti_places(s.settings.cupti, environment), driver_major);
  if (!found.library)
    return Refusal{status::kNoCupti, "no libcupti was found (" + found.error + ")", found.error, 0};
  s.cupti_library = found.library;
  s.cupti_path = found.path;
  if (const char* missing = load_cupti(found.library, s.cupti))
    return Refusal{status::kCuptiIncomplete, found.path + " has no " + missing, missing, 0};
  if (const auto result = s.cupti.get_version(&s.cupti_version); result != CUPTI_SUCCESS)
    return refusal_of(s.cupti, result, "cuptiGetVersion");
  const int cupti_major = cuda_major_of_cupti(s.cupti_version);
  if (driver_major > 0 && cupti_major > driver_major)
    return Refusal{status::kCuptiTooNew,
                   found.path + " is of CUDA " + std::to_string(cupti_major) +
                       ", the driver of CUDA " + std::to_string(driver_major),
                   found.path, 0};
  return std::nullopt;
}

std::optional<Refusal> subscribe(Session& s) {
  if (!s.cupti.subscribe_v2) {
    const auto result = s.cupti.subscribe(&s.subscriber, on_callback, nullptr);
    if (result == CUPTI_SUCCESS) return std::nullopt;
    return refusal_of(s.cupti, result, "cuptiSubscribe");
  }
  std::array<char, 256> other{};
  SubscriberParams params{sizeof(SubscriberParams), "roofline", other.data(), other.size()};
  const auto result = s.cupti.subscribe_v2(&s.subscriber, on_callback, nullptr, &params);
  if (result == CUPTI_SUCCESS) return std::nullopt;
  auto refusal = refusal_of(s.cupti, result, "cuptiSubscribe_v2");
  other.back() = '\0';
  if (other[0]) {
    refusal.sentence += ": " + std::string(other.data());
    refusal.detail = other.data();
  }
  return refusal;
}

std::optional<Refusal> start(Session& s) {
  s.mode = find_mode(s.settings.mode);
  if (!s.mode)
    return Refusal{status::kUnknownMode, "no mode '" + s.settings.mode + "'", s.settings.mode, 0};
  if (!load_driver(s.driver)) return Refusal{status::kNoDriver, "no CUDA driver is loaded", "", 0};
  if (auto refusal = open_cupti(s)) return refusal;
  // libcupti is NVTX's library too; the program may have asked for another one.
  setenv(kNvtxInjectionVariable, s.cupti_path.c_str(), /*overwrite=*/0);
  if (auto refusal = subscribe(s)) return refusal;
  s.collecting = true;
  enable_common_callbacks(s);
  return s.mode->start(s);
}

}  // namespace

Session& session() noexcept {
  alignas(Session) static std::byte place[sizeof(Session)];
  static Session* const the_session = new (place) Session;
  return *the_session;
}

void begin(Session& s) {
  s.settings = read_settings(environment);
  load_driver(s.driver);
  s.driver_version = driver_version(s.driver);
  if (!open_capture(s)) return;
  if (const auto refusal = start(s)) {
    s.collecting = false;
    say(refusal->sentence + "; the program runs unprofiled");
    write_status(s, refusal->code, refusal->detail, refusal->result);
    s.writer.finish(refusal->code, s.losses);
    return;
  }
  write_clock(s);
  write_status(s, s.mode->started, "", 0);
  watch_process(s);
  s.worker.start(s);
}

void conclude(Session& s, const std::string& reason) {
  if (!s.collecting) return;
  ask_devices(s);
  if (s.mode->finish) s.mode->finish(s);
  s.collecting = false;
  if (s.ranges.open() > 0) s.losses.add(Lost::ranges_open, s.ranges.open());
  write_clock(s);
  s.writer.finish(reason, s.losses);
}

void write_status(Session& s, std::string_view what, std::string_view detail, int result) {
  {
    CaptureWriter::Batch batch(s.writer);
    capture::Status status;
    status.what = batch.text(what);
    status.detail = batch.text(detail);
    status.result = static_cast<std::uint64_t>(result);
    status.cupti_version = s.cupti_version;
    status.cupti_path = batch.text(s.cupti_path);
    status.driver_version = static_cast<std::uint64_t>(s.driver_version);
    batch.put(status);
  }
  s.writer.flush(s.losses);
}

void ask_devices(Session& s) {
  if (!s.context_seen || s.devices_asked.exchange(true)) return;
  int count = 0;
  if (!s.driver.device_count || s.driver.device_count(&count) != CUDA_SUCCESS) return;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const auto facts = ask_driver(s.driver, ordinal);
    CaptureWriter::Batch batch(s.writer);
    s.devices.add(ordinal, facts, batch);
  }
}

void note_fatal_error(Session& s, CUptiResult result, const char* message) {
  say("CUPTI stopped on its own (" + std::to_string(static_cast<int>(result)) +
      "); the program runs on, the profile ends here");
  CaptureWriter::Batch batch(s.writer);
  capture::Status status;
  status.what = batch.text(status::kFatalError);
  status.detail = batch.text(message ? message : "");
  status.result = static_cast<std::uint64_t>(result);
  status.cupti_version = s.cupti_version;
  batch.put(status);
}

}  // namespace roofline::profile::plugin
