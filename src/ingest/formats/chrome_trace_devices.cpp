#include "ingest/formats/chrome_trace_devices.hpp"

#include <algorithm>

#include "ingest/formats/chrome_trace_event.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostDevices = 4096;

struct Figure {
  std::string_view key;
  std::uint64_t capture::Device::*place;
};
// Those of computeProperties have other names.
constexpr Figure kFigures[] = {
    {"major", &capture::Device::major},
    {"minor", &capture::Device::minor},
    {"multiProcessorCount", &capture::Device::sm_count},
    {"id", &capture::Device::ordinal},
    {"computeMajor", &capture::Device::major},
    {"computeMinor", &capture::Device::minor},
    {"numSms", &capture::Device::sm_count},
    {"totalGlobalMem", &capture::Device::memory_bytes},
};

}  // namespace

void TraceDevices::read(const char* text, const JsonIndex& index, std::size_t begin,
                        std::size_t end) {
  JsonFields list(text, index, begin, end);
  while (list.next() && listed_.size() < kMostDevices) {
    if (!list.is_nested() || list.value().front() != '{') continue;
    Listed device;
    device.facts.ordinal = listed_.size();
    JsonFields fields(text, index, list.value_at(), list.value_end());
    while (fields.next()) {
      if (fields.key() == "name" && fields.is_string()) unescape_json(fields.plain(), device.name);
      for (const auto& figure : kFigures)
        if (fields.key() == figure.key)
          if (const auto value = whole_number(fields.plain())) device.facts.*figure.place = *value;
    }
    listed_.push_back(std::move(device));
  }
}

void TraceDevices::note(std::uint64_t ordinal) {
  if (used_.size() < kMostDevices && std::find(used_.begin(), used_.end(), ordinal) == used_.end())
    used_.push_back(ordinal);
}

const TraceDevices::Listed* TraceDevices::find(std::uint64_t ordinal) const {
  for (const auto& device : listed_)
    if (device.facts.ordinal == ordinal) return &device;
  const bool one_name = std::all_of(listed_.begin(), listed_.end(), [&](const Listed& device) {
    return device.name == listed_.front().name;
  });
  return one_name && !listed_.empty() ? &listed_.front() : nullptr;
}

void TraceDevices::tell(ImportSink& sink) const {
  const auto add = [&](const Listed& device, std::uint64_t ordinal) {
    auto facts = device.facts;
    facts.ordinal = ordinal;
    facts.name = sink.text(device.name);
    sink.add(facts);
  };
  for (const auto ordinal : used_)
    if (const auto* device = find(ordinal)) add(*device, ordinal);
  if (used_.empty())
    for (const auto& device : listed_) add(device, device.facts.ordinal);
}

}  // namespace roofline
