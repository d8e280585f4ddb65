#include <fmt/format.h>

#include <algorithm>

#include "report/profile/page_sections.hpp"
#include "roofline/base/text.hpp"
#include "roofline/quantities/units.hpp"

namespace roofline::profile_page {
namespace {

using namespace phrases;

constexpr std::size_t kStreamsShown = 8, kStretchesShown = 3;
constexpr double kWorthSaying = 0.01;        // of the span
constexpr double kStretchWorthSaying = 0.1;  // of the idle time that launches explain

/// Kernels on two streams and more, or something beside them.
bool overlaps(const DeviceActivity& activity) {
  const auto with_kernels =
      std::count_if(activity.streams.begin(), activity.streams.end(),
                    [](const StreamActivity& stream) { return stream.kernels > 0; });
  return with_kernels > 1 || activity.overlapped > Seconds(0);
}

/// What ran beside what on the device of the sequence, and where it waited for launches.
class Devices : Section {
 public:
  using Section::Section;

  void write() {
    if (!findings_.sequence) return;
    const auto& activity = report_.profile.activity[findings_.sequence->activity];
    streams(activity);
    stretches(activity);
    if (!findings_.ranks) others(activity);
  }

 private:
  void streams(const DeviceActivity& activity) {
    const auto& streams = activity.streams;
    if (!overlaps(activity)) return;
    page_.gap();
    page_.begin_table({{"stream", Align::right, 0, 0},
                       {"kernels", Align::right, 0, 0},
                       {"copies", Align::right, 0, 1},
                       {"busy", Align::right, 0, 0},
                       {"of the span", Align::right, 0, 0},
                       {"alone", Align::right, 0, 0}});
    const auto shown =
        options_.verbosity > 0 ? streams.size() : std::min(kStreamsShown, streams.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& stream = streams[i];
      page_.row({std::to_string(stream.stream), whole(stream.kernels), whole(stream.copies),
                 seconds(stream.busy),
                 activity.span > Seconds(0) ? percent(stream.busy / activity.span) : "-",
                 seconds(stream.alone)});
    }
    page_.end_table();
    if (shown < streams.size())
      page_.sentence(fmt::format("and {} more (-v shows them)", streams.size() - shown));
  }

  void stretches(const DeviceActivity& activity) {
    if (activity.idle_launching < kWorthSaying * activity.span) return;
    std::vector<const LaunchBoundStretch*> shown;
    for (const auto& stretch : activity.stretches)
      if (options_.verbosity > 0 || (shown.size() < kStretchesShown &&
                                     stretch.idle >= kStretchWorthSaying * activity.idle_launching))
        shown.push_back(&stretch);
    // One that is the whole run says nothing that the run does not.
    if (shown.empty() || shown.front()->span >= 0.9 * activity.span) return;
    page_.gap();
    page_.begin_table({{"launch-bound from", Align::right, 0, 0},
                       {"for", Align::right, 0, 0},
                       {"idle", Align::right, 0, 0},
                       {"kernels", Align::right, 0, 0},
                       {"range", Align::left, 0, 1}});
    for (const auto* stretch : shown)
      page_.row({seconds(stretch->at), seconds(stretch->span), seconds(stretch->idle),
                 whole(stretch->kernels),
                 stretch->range.empty() ? "-" : shortened_middle(printable(stretch->range), 40)});
    page_.end_table();
  }

  /// The other devices of the same process.
  void others(const DeviceActivity& shown) {
    std::vector<const DeviceActivity*> devices;
    for (const auto& activity : report_.profile.activity)
      if (activity.process == shown.process) devices.push_back(&activity);
    if (devices.size() < 2) return;
    page_.gap();
    page_.begin_table({{"device", Align::right, 0, 0},
                       {"kernels", Align::right, 0, 0},
                       {"span", Align::right, 0, 0},
                       {"GPU busy", Align::right, 0, 0},
                       {"idle, launching", Align::right, 0, 1}});
    for (const auto* device : devices)
      page_.row({std::to_string(device->device), whole(device->launches), seconds(device->span),
                 device->span > Seconds(0) ? percent(device->busy / device->span) : "-",
                 seconds(device->idle_launching)});
    page_.end_table();
  }
};

}  // namespace

void add_overlap(std::vector<PageFact>& facts, const DeviceActivity& activity) {
  const auto share = [&](Seconds part) {
    return activity.busy > Seconds(0) ? percent(part / activity.busy) : std::string("-");
  };
  if (overlaps(activity))
    facts.push_back({"streams", whole(activity.streams.size()),
                     fmt::format("{} with two or more at work, {} of the busy time",
                                 seconds(activity.overlapped), share(activity.overlapped))});
  const auto hidden = [&](std::string_view label, Seconds all, Seconds exposed,
                          std::string_view beside) {
    if (all < kWorthSaying * activity.span) return;
    facts.push_back({std::string(label), seconds(all),
                     fmt::format("{} of it with no {} beside it", seconds(exposed), beside)});
  };
  hidden("collectives", activity.communicating, activity.communicating_exposed, "other kernel");
  hidden("copies", activity.copying, activity.copying_exposed, "kernel");
}

void write_devices(Page& page, const ProfileReport& report, const ProfilePageOptions& options) {
  Devices(page, report, options).write();
}

}  // namespace roofline::profile_page
