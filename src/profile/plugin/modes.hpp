#pragma once

#include <optional>
#include <string_view>

#include "profile/plugin/cupti_api.hpp"
#include "profile/plugin/refusal.hpp"

namespace roofline::profile::plugin {

struct Session;

/// What is collected. A null function is one that the mode does not need.
struct Mode {
  std::string_view name;
  /// CUPTI is loaded and we are subscribed; no context exists yet. On a refusal nothing may be left
  /// switched on that costs the program time.
  std::optional<Refusal> (*start)(Session&);
  /// Inside CUPTI's callback, on the program's thread: short, and no call that waits.
  void (*callback)(Session&, CUpti_CallbackDomain, CUpti_CallbackId, const void* data);
  /// On the worker's thread, once every flush period.
  void (*tick)(Session&);
  /// On the worker's thread, once: hands over all that is still to be written.
  void (*finish)(Session&);
  std::string_view started;  ///< code of the handshake when all went well
};

/// Null: no mode of that name.
const Mode* find_mode(std::string_view name);

}  // namespace roofline::profile::plugin
