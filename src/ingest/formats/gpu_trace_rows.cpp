#include "ingest/formats/gpu_trace_rows.hpp"

#include <charconv>
#include <utility>

#include "roofline/base/text.hpp"

namespace roofline::formats {
namespace {

// Such tables count from the first event: a start of 0 is a time, and the capture's 0 is none.
constexpr std::uint64_t kBase = 1'000'000'000;

capture::CopyKind copy_kind(std::string_view name) {
  constexpr std::pair<std::string_view, capture::CopyKind> kKinds[] = {
      {"memset", capture::CopyKind::set},
      {"HtoD", capture::CopyKind::host_to_device},
      {"Host-to-Device", capture::CopyKind::host_to_device},
      {"DtoH", capture::CopyKind::device_to_host},
      {"Device-to-Host", capture::CopyKind::device_to_host},
      {"DtoD", capture::CopyKind::device_to_device},
      {"Device-to-Device", capture::CopyKind::device_to_device},
      {"PtoP", capture::CopyKind::peer},
      {"Peer-to-Peer", capture::CopyKind::peer}};
  for (const auto& [part, kind] : kKinds)
    if (name.find(part) != std::string_view::npos) return kind;
  return capture::CopyKind::unknown;
}

}  // namespace

bool is_copy_row(std::string_view name) {
  return name.starts_with("[CUDA mem") || name.starts_with("[Unified Memory");
}

std::pair<std::string_view, std::uint64_t> split_device(std::string_view text) {
  text = trimmed(text);
  std::uint64_t ordinal = 0;
  const auto open = text.rfind(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) return {text, 0};
  const auto read = std::from_chars(text.data() + open + 2, text.data() + text.size(), ordinal);
  if (read.ec != std::errc()) return {text, 0};
  return {text.substr(0, open), ordinal};
}

void GpuTraceRows::add(const GpuTraceRow& row) {
  const auto [name, told] = split_device(row.device);
  const auto ordinal = row.device.empty() ? row.ordinal : told;
  if (!row.device.empty() && devices_.size() < 1024 &&
      devices_.try_emplace(std::string(row.device), ordinal).second) {
    capture::Device device;
    device.ordinal = ordinal;
    device.name = sink_.text(name);
    sink_.add(device);
  }
  if (is_copy_row(row.name)) {
    capture::Copy copy;
    const auto kind = copy_kind(row.name);
    copy.kind = static_cast<std::uint64_t>(kind);
    copy.bytes = row.bytes;
    copy.device = ordinal;
    copy.stream = row.stream;
    copy.start = kBase + row.start;
    copy.end = copy.start + row.duration;
    copy.correlation = row.correlation;
    copy.pageable = row.source == "Pageable" ? 1 : 0;
    return sink_.add(copy);
  }
  capture::Shape shape;
  shape.name = sink_.text(row.name);
  shape.grid = row.grid;
  shape.block = row.block;
  shape.registers = row.registers;
  shape.static_shared_bytes = row.static_shared_bytes;
  shape.dynamic_shared_bytes = row.dynamic_shared_bytes;
  shape.device = ordinal;
  shape.context = row.context;
  capture::Launch launch;
  launch.shape = sink_.shape(shape);
  launch.stream = row.stream;
  launch.start = kBase + row.start;
  launch.end = launch.start + row.duration;
  launch.correlation = row.correlation;
  sink_.add(launch);
}

void GpuTraceRows::finish() {
  if (devices_.empty()) sink_.lose("gpu_not_named");
}

}  // namespace roofline::formats
