#pragma once

#include <string_view>
#include <vector>

#include "profile/driver/session.hpp"
#include "roofline/profile/kernel_launch.hpp"

namespace roofline::profile {

/// The tensors of a launch in device memory, filled: those that are only written with a pattern
/// that no kernel writes by chance, so that afterwards it can be told whether they were written.
class DeviceTensors {
 public:
  static Result<DeviceTensors> make(const cuda::Api& api, const LaunchJob& job);

  cuda::Address address(std::string_view name) const;
  std::size_t bytes() const { return bytes_; }
  /// Looks at those that are only written. Waits for nothing: synchronise first.
  Result<std::vector<WrittenTensor>> written(const cuda::Api& api) const;

 private:
  struct Placed {
    LaunchTensor tensor;
    cuda::Memory memory;
  };
  std::vector<Placed> placed_;
  std::size_t bytes_ = 0;
};

}  // namespace roofline::profile
