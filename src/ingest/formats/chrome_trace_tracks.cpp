#include "ingest/formats/chrome_trace_tracks.hpp"

#include <algorithm>

#include "ingest/formats/chrome_trace_event.hpp"

namespace roofline {
namespace {

constexpr std::size_t kMostTracks = 10'000;

/// rocprof numbers its processes in front of their names: "6 GPU0".
std::string_view without_number(std::string_view name) {
  const auto digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || name[digits] != ' ') return name;
  return name.substr(digits + 1);
}

}  // namespace

bool TraceTracks::name_process(std::string_view process, std::string_view name,
                               std::uint64_t event) {
  if (processes_.size() >= kMostTracks) return false;
  constexpr std::string_view kXlaGpu = "/device:GPU:", kRocprofGpu = "GPU";
  const auto rocprof = without_number(name);
  std::optional<Track> track;
  // "/device:GPU:0/stream:all Compute", "/gpu:0/stream:all Compute": what other processes of
  // TensorFlow's timelines show again, by stream and by kind.
  constexpr std::string_view kTensorflow = "/stream:all Compute";
  if (name.ends_with(kTensorflow)) {
    name.remove_suffix(kTensorflow.size());
    const bool gpu =
        name.find("GPU:") != std::string_view::npos || name.find("gpu:") != std::string_view::npos;
    if (const auto device = last_number(name); gpu && device)
      track = Track{Kind::tensorflow_stream, *device, 0};
  } else if (name.starts_with(kXlaGpu)) {
    if (const auto device = whole_number(name.substr(kXlaGpu.size())))
      track = Track{Kind::xla_stream, *device, 0};
  } else if (rocprof.starts_with(kRocprofGpu)) {
    if (const auto device = whole_number(rocprof.substr(kRocprofGpu.size())))
      track = Track{Kind::rocprof_gpu, *device, 0};
  } else if (rocprof == "COPY") {
    track = Track{Kind::rocprof_copies, 0, 0};
  } else if (rocprof == "CPU HIP API") {
    track = Track{Kind::rocprof_calls, 0, 0};
  }
  if (!track) return false;
  track->named = event;
  return processes_.try_emplace(std::string(process), *track).second;
}

bool TraceTracks::name_thread(std::string_view process, std::string_view thread,
                              std::string_view name, std::uint64_t event) {
  constexpr std::string_view kStream = "Stream #";
  if (!name.starts_with(kStream) || streams_.size() >= kMostTracks) return false;
  name.remove_prefix(kStream.size());
  const auto stream = whole_number(name.substr(0, name.find('(')));
  return stream &&
         streams_.try_emplace({std::string(process), std::string(thread)}, Stream{*stream, event})
             .second;
}

std::optional<TraceTracks::Track> TraceTracks::find(std::string_view process,
                                                    std::string_view thread) {
  std::optional<Track> track;
  if (process == "CUDA functions") {
    track = Track{Kind::torch_gpu, 0, whole_number(thread).value_or(0)};
  } else if (const auto at = processes_.find(process); at != processes_.end()) {
    track = at->second;
    track->stream = whole_number(thread).value_or(0);
    if (track->kind == Kind::xla_stream) {
      const auto stream = streams_.find({std::string(process), std::string(thread)});
      if (stream == streams_.end()) return std::nullopt;  // lines that repeat the streams' kernels
      track->stream = stream->second.number;
      track->named = std::max(track->named, stream->second.named);
    }
  }
  if (track && !found_) found_ = track->kind;
  return track;
}

std::string_view TraceTracks::tool() const {
  if (!found_) return {};
  switch (*found_) {
    case Kind::xla_stream: return "XLA";
    case Kind::tensorflow_stream: return "TensorFlow's timeline";
    case Kind::torch_gpu: return "PyTorch's profiler before Kineto";
    default: return "rocprof";
  }
}

}  // namespace roofline
