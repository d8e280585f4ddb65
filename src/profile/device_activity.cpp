#include "profile/device_activity.hpp"

#include <algorithm>

namespace roofline {
namespace {

Seconds of_ns(std::uint64_t ns) { return Seconds(static_cast<double>(ns) / 1e9); }

/// The shortest range that is open at a time.
std::string range_at(std::uint64_t time, std::span<const NamedRange> ranges) {
  const NamedRange* shortest = nullptr;
  for (const auto& range : ranges)
    if (range.start <= time && time < range.end &&
        (!shortest || range.end - range.start < shortest->end - shortest->start))
      shortest = &range;
  return shortest ? shortest->name : std::string();
}

}  // namespace

DeviceActivity activity_of(Timeline::Device& device, const DevicePlace& place,
                           std::span<const NamedRange> ranges) {
  using What = StreamSweep::What;
  const auto& sweep = device.streams;
  DeviceActivity activity{.process = place.process,
                          .device = place.device,
                          .span = of_ns(device.last - device.first),
                          .busy = of_ns(device.busy),
                          .kernels = of_ns(device.kernels),
                          .idle_launching = of_ns(device.idle_launching),
                          .idle_profiler = of_ns(device.idle_profiler),
                          .overlapped = of_ns(sweep.overlapped()),
                          .copying = of_ns(sweep.of(What::copy)),
                          .copying_exposed = of_ns(sweep.exposed(What::copy)),
                          .communicating = of_ns(sweep.of(What::communication)),
                          .communicating_exposed = of_ns(sweep.exposed(What::communication)),
                          .launches = place.launches,
                          .copies = place.copies,
                          .streams = {},
                          .stretches = {}};
  for (const auto& stream : sweep.streams())
    activity.streams.push_back(
        {stream.id, stream.kernels, stream.copies, of_ns(stream.busy), of_ns(stream.alone)});
  std::stable_sort(
      activity.streams.begin(), activity.streams.end(),
      [](const StreamActivity& a, const StreamActivity& b) { return a.busy > b.busy; });
  for (const auto& stretch : device.stretches.finish())
    activity.stretches.push_back({of_ns(stretch.start - device.first),
                                  of_ns(stretch.end - stretch.start), of_ns(stretch.idle),
                                  stretch.kernels, range_at(stretch.start, ranges)});
  return activity;
}

}  // namespace roofline
