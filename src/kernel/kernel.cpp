#include "roofline/kernel/kernel.hpp"

#include <array>

namespace roofline {
namespace {

struct TimingEntry {
  Timing timing;
  std::string_view name;
};

constexpr std::array<TimingEntry, 6> kTimings = {{
    {Timing::unknown, "unknown"},
    {Timing::stream, "stream"},
    {Timing::kernel, "kernel"},
    {Timing::event, "event"},
    {Timing::graph, "graph"},
    {Timing::e2e, "e2e"},
}};

}  // namespace

std::string_view timing_name(Timing timing) {
  return kTimings[static_cast<std::size_t>(timing)].name;
}

std::optional<Timing> find_timing(std::string_view name) {
  for (const auto& entry : kTimings)
    if (entry.name == name) return entry.timing;
  return std::nullopt;
}

}  // namespace roofline
