#pragma once

#include <optional>

#include "profile/driver/session.hpp"

namespace roofline::profile {

/// Empties the L2 cache of what a launch left there: reads a buffer of twice its size. Reading
/// leaves clean lines; a buffer that is written instead would be carried to DRAM during the next
/// launch, and counted as its traffic.
class L2Flush {
 public:
  static Result<L2Flush> make(const cuda::Api& api, const cuda::DeviceInfo& device);
  Result<void> run() const;
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  L2Flush(const cuda::Api& api, cuda::LoadedModule module, cuda::Function function,
          cuda::Memory buffer, unsigned blocks)
      : api_(&api),
        module_(std::move(module)),
        function_(function),
        buffer_(std::move(buffer)),
        blocks_(blocks) {}
  const cuda::Api* api_;
  cuda::LoadedModule module_;
  cuda::Function function_;
  cuda::Memory buffer_;
  unsigned blocks_;
};

}  // namespace roofline::profile
