#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/plugin/cupti_api.hpp"

namespace roofline::profile::plugin {

/// Why nothing, or nothing more, is collected: a code for the capture (plugin_settings.hpp,
/// status), and a sentence for people.
struct Refusal {
  std::string_view code;
  std::string sentence;
  std::string detail;
  int result = 0;  ///< CUPTI's own code, where it gave one
};

/// What a CUPTI call's failure means. `call` is its name.
Refusal refusal_of(const CuptiApi& cupti, CUptiResult result, std::string_view call);

}  // namespace roofline::profile::plugin
