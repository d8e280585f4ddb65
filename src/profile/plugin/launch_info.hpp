#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profile/plugin/cupti_api.hpp"

namespace roofline::profile::plugin {

/// A kernel launch as the program asked for it.
struct LaunchInfo {
  const char* name = nullptr;  ///< mangled; CUPTI's, valid inside the callback
  std::array<std::uint32_t, 3> grid{}, block{}, cluster{};
  std::uint32_t dynamic_shared_bytes = 0;
};

/// What a launch callback is about. Absent for launches on several devices at once, for those of
/// calls that we do not know, and where CUPTI tells no name or no parameters.
std::optional<LaunchInfo> launch_info(CUpti_CallbackId call, const CUpti_CallbackData& data);

}  // namespace roofline::profile::plugin
