#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "roofline/profile/nvml_api.hpp"

namespace roofline::profile {

/// What a GPU was like while a program ran. Absent: the management library does not tell.
struct GpuLoad {
  std::string driver;  ///< "580.65.06"
  std::optional<double> power_limit_w;
  std::optional<bool> mig;
  std::optional<double> clock_min_mhz, clock_median_mhz, clock_max_mhz;  ///< of the SMs, while they worked
  std::optional<double> power_median_w;  ///< while they worked
  std::optional<double> throttled_share;  ///< of the samples while they worked
  std::optional<std::uint64_t> other_processes;  ///< on the GPU before the program started
};

/// Looks at every GPU of this machine ten times a second, from a thread of its own. It asks the management library
/// alone, which takes no context and no time of the GPU. Without that library it does nothing.
class GpuWatch {
 public:
  /// `open` is replaced by tests.
  explicit GpuWatch(const std::function<Result<nvml::Api>()>& open = nvml::open_management);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  ~GpuWatch();

  /// Ends the watch. The GPU by the UUID that captures give; empty: the first one.
  GpuLoad stop(const std::string& uuid);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roofline::profile
