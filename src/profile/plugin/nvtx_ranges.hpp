#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "profile/plugin/capture_writer.hpp"
#include "profile/plugin/losses.hpp"

namespace roofline::profile::plugin {

/// NVTX ranges that have begun: CUPTI tells their two ends apart, and the name with the first only.
/// Used under the writer's lock.
class NvtxRanges {
 public:
  struct Open {
    std::string name;
    std::uint64_t thread = 0, start = 0;
  };
  void begin(std::uint32_t id, Open range, Losses& losses);
  void end(std::uint32_t id, std::uint64_t time, CaptureWriter::Batch& batch);
  /// At the end of the capture: those that never ended.
  std::uint64_t open() const { return open_.size(); }

 private:
  static constexpr std::size_t kOpen = 65536;
  std::unordered_map<std::uint32_t, Open> open_;
};

}  // namespace roofline::profile::plugin
