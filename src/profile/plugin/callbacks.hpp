#pragma once

#include "profile/plugin/cupti_api.hpp"

namespace roofline::profile::plugin {

struct Session;

/// CUPTI's one callback: what every mode needs, then the mode's own.
void CUPTIAPI on_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) noexcept;

void enable_common_callbacks(Session& s);

/// Runs `work`; an exception must not reach CUPTI's frames, which would end the program.
template <class Work>
void guarded(Work&& work) noexcept {
  try {
    work();
  } catch (...) {  // no memory: what `work` was doing is missing, the program is not
  }
}

}  // namespace roofline::profile::plugin
