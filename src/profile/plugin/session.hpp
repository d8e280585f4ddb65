#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/plugin/api_roles.hpp"
#include "profile/plugin/buffer_pool.hpp"
#include "profile/plugin/capture_writer.hpp"
#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/devices.hpp"
#include "profile/plugin/driver_api.hpp"
#include "profile/plugin/kernel_codes.hpp"
#include "profile/plugin/losses.hpp"
#include "profile/plugin/modes.hpp"
#include "profile/plugin/nvtx_ranges.hpp"
#include "profile/plugin/output_file.hpp"
#include "profile/plugin/settings.hpp"
#include "profile/plugin/worker.hpp"

namespace roofline::profile::plugin {

/// Everything of this process's profile. There is one, and it is never destroyed: the program's
/// other threads run on while it exits.
struct Session {
  Settings settings;
  DriverApi driver;
  int driver_version = 0;  ///< 13000 is CUDA 13.0
  CuptiApi cupti;
  void* cupti_library = nullptr;  ///< from dlopen: the counters look up their own calls
  std::string cupti_path;
  std::uint32_t cupti_version = 0;
  CUpti_SubscriberHandle subscriber = nullptr;

  OutputFile file;
  KernelCodes codes;
  CaptureWriter writer{file, codes};
  Losses losses;
  Devices devices;
  NvtxRanges ranges;
  BufferPool buffers;
  ApiRoles roles;
  Worker worker;
  const Mode* mode = nullptr;

  /// False before the start, after the end, and in forked children: then every callback returns at
  /// once.
  std::atomic<bool> collecting{false};
  std::atomic<bool> context_seen{false}, devices_asked{false};
};

Session& session() noexcept;

/// Opens the capture, finds CUPTI, subscribes and starts the mode. Whatever fails is said once, on
/// stderr and in the capture, and the program runs on.
void begin(Session& s);

/// The rest of the records, the losses and the end. On the worker's thread.
void conclude(Session& s, const std::string& reason);

/// How it went, for whoever reads the capture: a code of plugin_settings.hpp, and what CUPTI answered.
void write_status(Session& s, std::string_view what, std::string_view detail, int result);

/// What is on a device, once a context exists. Not inside a callback.
void ask_devices(Session& s);

/// CUPTI has failed on its own, after a good start.
void note_fatal_error(Session& s, CUptiResult result, const char* message);

}  // namespace roofline::profile::plugin
