#include <atomic>

#include "profile/plugin/callbacks.hpp"
#include "profile/plugin/session.hpp"

/// The one symbol of this library: the driver calls it in cuInit. What goes wrong in here goes
/// wrong for the profile, never for the program, so the answer is always the one that means "go
/// on".
extern "C" __attribute__((visibility("default"))) int InitializeInjection() noexcept {
  static std::atomic<bool> called{false};
  if (!called.exchange(true))
    roofline::profile::plugin::guarded(
        [] { roofline::profile::plugin::begin(roofline::profile::plugin::session()); });
  return 1;
}
