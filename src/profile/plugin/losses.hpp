#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "roofline/profile/plugin_settings.hpp"

namespace roofline::profile::plugin {

enum class Lost : std::uint8_t {
  dropped,
  unwritten,
  unknown,
  unreadable,
  out_of_memory,
  no_buffers,
  kind_refused,
  ranges_open,
  ranges_forgotten,
  codes_forgotten,
  launches_not_counted,
  ranges_unexpected,
  launches_excluded,
  launches_unknown,
  launches_forgotten,
  graph_launches,
  kernels_too_seldom,
  metrics_unknown,
  samples_overflowed,
  passes_differ,
};
inline constexpr std::string_view kLostReasons[] = {
    loss::kDropped,           loss::kUnwritten,          loss::kUnknown,
    loss::kUnreadable,        loss::kOutOfMemory,        loss::kNoBuffers,
    loss::kKindRefused,       loss::kRangesOpen,         loss::kRangesForgotten,
    loss::kCodesForgotten,    loss::kLaunchesNotCounted, loss::kRangesUnexpected,
    loss::kLaunchesExcluded,  loss::kLaunchesUnknown,    loss::kLaunchesForgotten,
    loss::kGraphLaunches,     loss::kKernelsTooSeldom,   loss::kMetricsUnknown,
    loss::kSamplesOverflowed, loss::kPassesDiffer,
};
static_assert(std::size(kLostReasons) == static_cast<std::size_t>(Lost::passes_differ) + 1);

/// What is missing from the capture, by reason. For any thread, inside any callback.
class Losses {
 public:
  void add(Lost reason, std::uint64_t count = 1) noexcept {
    counts_[static_cast<std::size_t>(reason)].fetch_add(count, std::memory_order_relaxed);
  }
  /// Calls `write(reason, count)` for what came since the last call.
  template <class Write>
  void drain(Write&& write) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (const auto count = counts_[i].exchange(0, std::memory_order_relaxed))
        write(kLostReasons[i], count);
  }

 private:
  std::array<std::atomic<std::uint64_t>, std::size(kLostReasons)> counts_{};
};

}  // namespace roofline::profile::plugin
