#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/base/result.hpp"
#include "roofline/profile/host.hpp"

namespace roofline::profile {

/// A libcupti of this machine.
struct CuptiLibrary {
  std::string path;
  std::uint32_t version = 0;  ///< cuptiGetVersion: 24 is 12.6, 130001 is 13.0
  int cuda_major() const;     ///< 13; 0: not known
};

/// "13.0", "12.6"; "API 19" for one without a row.
std::string cupti_version_text(std::uint32_t version);

/// The libcupti that a program without one of its own would be profiled with: the highest major
/// that is not newer than the driver's (0: any), from the loader's path, toolkit folders and the
/// Python environment. Its host side answers without a driver. Errors: no_device, naming what was
/// looked at; or the newer one that the driver cannot work with.
Result<CuptiLibrary> find_cupti(const HostView& view, int driver_cuda_major);

}  // namespace roofline::profile
