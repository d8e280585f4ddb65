#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "profile/launch_stretches.hpp"
#include "profile/stream_sweep.hpp"

namespace roofline {

/// Something that took from `start` to `end` (ns). `lane` says what it was, `stream` on which of
/// its device's streams.
struct Interval {
  std::uint64_t start = 0, end = 0;
  std::uint32_t lane = 0, stream = 0;
};

/// Sorts a stream of intervals by their start as far as a window of kWindow of them can: records
/// arrive in the order in which buffers were completed, which is nearly the order of their times.
class IntervalSorter {
 public:
  static constexpr std::size_t kWindow = std::size_t{1} << 17;
  explicit IntervalSorter(std::function<void(const Interval&)> take) : take_(std::move(take)) {}

  void add(const Interval& interval) {
    fresh_.push_back(interval);
    if (fresh_.size() >= kWindow / 2) settle(kWindow / 2);
  }
  void finish() { settle(0); }

 private:
  void settle(std::size_t keep);
  std::function<void(const Interval&)> take_;
  std::vector<Interval> sorted_, fresh_;
};

/// What the devices of one process did, and what its host threads did while they were idle, in one
/// pass over the records and in bounded memory. Pieces of time are counted once, however many
/// streams or threads share them.
class Timeline {
 public:
  struct Device {
    bool seen = false;
    std::uint64_t first = 0, last = 0, busy = 0, kernels = 0, idle_launching = 0, idle_profiler = 0;
    std::uint64_t busy_until = 0, kernels_until = 0;  // while it is computed
    StreamSweep streams;
    LaunchStretches stretches;
  };

  Timeline();
  /// `communication`: it waits for other processes.
  void kernel(std::uint64_t device, std::uint64_t stream, std::uint64_t start, std::uint64_t end,
              bool communication = false) {
    add(device, stream, communication ? kCommunication : kKernel, start, end);
  }
  void copy(std::uint64_t device, std::uint64_t stream, std::uint64_t start, std::uint64_t end) {
    add(device, stream, kCopy, start, end);
  }
  void launching(std::uint64_t start, std::uint64_t end) {
    sorter_.add({start, end, kLaunching, 0});
  }
  void profiler(std::uint64_t start, std::uint64_t end) { sorter_.add({start, end, kProfiler, 0}); }

  /// By device ordinal. No more intervals after this.
  std::map<std::uint64_t, Device>& finish();

 private:
  // A lane of a device is 4 * its index and what it did; host lanes stand below the first.
  static constexpr std::uint32_t kLaunching = 0, kProfiler = 1, kKernel = 0, kCopy = 1,
                                 kCommunication = 2, kFirstDevice = 4;
  /// Disjoint pieces of time in order.
  class Union {
   public:
    void add(std::uint64_t start, std::uint64_t end);
    void forget_before(std::uint64_t time);
    const std::deque<Interval>& pieces() const { return pieces_; }

   private:
    static constexpr std::size_t kMost = std::size_t{1} << 18;
    std::deque<Interval> pieces_;
  };

  void add(std::uint64_t device, std::uint64_t stream, std::uint32_t what, std::uint64_t start,
           std::uint64_t end);
  void take(const Interval& interval);
  /// Of a gap; what of it launching explains.
  std::uint64_t idle(Device& device, std::uint64_t from, std::uint64_t to);

  IntervalSorter sorter_;
  Union launching_, profiler_;
  std::map<std::uint64_t, Device> devices_;
  std::vector<std::pair<std::uint64_t, Device*>> lanes_;
};

}  // namespace roofline
