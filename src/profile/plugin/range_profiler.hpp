#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profile/plugin/counter_set.hpp"

namespace roofline::profile::plugin {

/// Counters of single launches in one context: auto range, kernel replay. Not for several threads
/// at once.
class RangeProfiler {
 public:
  /// Attaches to a context. Until close() no other context of the process may be attached.
  std::optional<FailedCall> open(const ProfilerApi& api, CUcontext context);
  void close(const ProfilerApi& api);
  CUcontext context() const { return context_; }

  /// Before a launch. After a failure nothing is switched on.
  std::optional<FailedCall> begin(const ProfilerApi& api, const CounterSet& set);

  struct Ended {
    std::optional<FailedCall> failed;
    std::size_t ranges = 0, dropped = 0;  ///< 1 and 0, or the values are of something else
    bool complete = false;                ///< every replay pass was made
    bool usable() const { return !failed && ranges == 1 && dropped == 0 && complete; }
  };
  /// After the launch that followed begin(). Fills `values` where usable().
  Ended end(const ProfilerApi& api, const CounterSet& set, std::vector<double>& values);

 private:
  CUcontext context_ = nullptr;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> image_;
};

}  // namespace roofline::profile::plugin
