#include "profile/timeline.hpp"

#include <algorithm>

namespace roofline {
namespace {

bool earlier(const Interval& a, const Interval& b) { return a.start < b.start; }

/// Length of what [from, to) and the pieces have in common; `piece(from, to)` is called for each of
/// it.
template <class F>
void for_each_common(const std::deque<Interval>& pieces, std::uint64_t from, std::uint64_t to,
                     F piece) {
  auto at = std::lower_bound(pieces.begin(), pieces.end(), from,
                             [](const Interval& p, std::uint64_t time) { return p.end <= time; });
  for (; at != pieces.end() && at->start < to; ++at)
    piece(std::max(at->start, from), std::min(at->end, to));
}

std::uint64_t common(const std::deque<Interval>& pieces, std::uint64_t from, std::uint64_t to) {
  std::uint64_t sum = 0;
  for_each_common(pieces, from, to, [&](std::uint64_t a, std::uint64_t b) { sum += b - a; });
  return sum;
}

}  // namespace

void IntervalSorter::settle(std::size_t keep) {
  if (!std::is_sorted(fresh_.begin(), fresh_.end(), earlier))
    std::stable_sort(fresh_.begin(), fresh_.end(), earlier);
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end(), earlier);
  const auto done = sorted_.size() - std::min(keep, sorted_.size());
  for (std::size_t i = 0; i < done; ++i) take_(sorted_[i]);
  sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(done));
}

void Timeline::Union::add(std::uint64_t start, std::uint64_t end) {
  if (!pieces_.empty() && start <= pieces_.back().end) {
    pieces_.back().end = std::max(pieces_.back().end, end);
    return;
  }
  pieces_.push_back({start, end, 0, 0});
  // A device that has nothing to do for so long waits for something else than these launches.
  if (pieces_.size() > kMost) pieces_.pop_front();
}

void Timeline::Union::forget_before(std::uint64_t time) {
  while (!pieces_.empty() && pieces_.front().end <= time) pieces_.pop_front();
}

Timeline::Timeline() : sorter_([this](const Interval& interval) { take(interval); }) {}

void Timeline::add(std::uint64_t device, std::uint64_t stream, std::uint32_t what,
                   std::uint64_t start, std::uint64_t end) {
  auto at = std::find_if(lanes_.begin(), lanes_.end(),
                         [&](const auto& lane) { return lane.first == device; });
  if (at == lanes_.end()) at = lanes_.insert(lanes_.end(), {device, &devices_[device]});
  sorter_.add({start, end,
               kFirstDevice + 4 * static_cast<std::uint32_t>(at - lanes_.begin()) + what,
               at->second->streams.index_of(stream)});
}

void Timeline::take(const Interval& interval) {
  if (interval.lane == kLaunching) return launching_.add(interval.start, interval.end);
  if (interval.lane == kProfiler) return profiler_.add(interval.start, interval.end);
  auto& device = *lanes_[(interval.lane - kFirstDevice) / 4].second;
  const auto what = (interval.lane - kFirstDevice) % 4;
  if (!device.seen) {
    device.seen = true;
    device.first = device.busy_until = device.kernels_until = interval.start;
  }
  if (interval.start > device.busy_until) {
    const auto launching = idle(device, device.busy_until, interval.start);
    device.stretches.gap(device.busy_until, interval.start, launching);
  }
  if (what != kCopy) device.stretches.kernel();
  device.streams.add(interval.stream,
                     what == kCopy     ? StreamSweep::What::copy
                     : what == kKernel ? StreamSweep::What::kernel
                                       : StreamSweep::What::communication,
                     interval.start, interval.end);
  const auto cover = [&](std::uint64_t& until, std::uint64_t& sum) {
    const auto from = std::max(until, interval.start);
    if (interval.end <= from) return;
    sum += interval.end - from;
    until = interval.end;
  };
  cover(device.busy_until, device.busy);
  if (what != kCopy) cover(device.kernels_until, device.kernels);
  device.last = device.busy_until;
}

std::uint64_t Timeline::idle(Device& device, std::uint64_t from, std::uint64_t to) {
  std::uint64_t launching = 0;
  for_each_common(launching_.pieces(), from, to, [&](std::uint64_t a, std::uint64_t b) {
    launching += b - a - common(profiler_.pieces(), a, b);
  });
  device.idle_launching += launching;
  device.idle_profiler += common(profiler_.pieces(), from, to);
  std::uint64_t needed = to;  // no gap to come begins before this, on any device
  for (const auto& [ordinal, other] : devices_)
    if (other.seen && &other != &device) needed = std::min(needed, other.busy_until);
  launching_.forget_before(needed);
  profiler_.forget_before(needed);
  return launching;
}

std::map<std::uint64_t, Timeline::Device>& Timeline::finish() {
  sorter_.finish();
  for (auto& [ordinal, device] : devices_) device.streams.finish();
  return devices_;
}

}  // namespace roofline
