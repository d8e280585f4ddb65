#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "profile/plugin/cupti_api.hpp"
#include "roofline/kernel/capture.hpp"

namespace roofline::profile::plugin {

/// What a call of the driver (cu...) or runtime (cuda...) does, by its name.
capture::ApiRole role_of_call(std::string_view name);

/// The role of each call that CUPTI numbers. Names come from the library that runs, so that entry
/// points newer than our headers are known too.
class ApiRoles {
 public:
  static constexpr std::size_t kCalls = 2048;  ///< CUPTI 13.0 has 806 and 522

  void learn(const CuptiApi& cupti);
  capture::ApiRole role(capture::ApiDomain domain, std::uint32_t call) const {
    return call < kCalls ? roles_[static_cast<std::size_t>(domain)][call] : capture::ApiRole::other;
  }

 private:
  std::array<std::array<capture::ApiRole, kCalls>, 2> roles_{};
};

}  // namespace roofline::profile::plugin
