#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace roofline {

/// What the processes and threads of a trace stand for, where events have no category: the traces
/// that XLA (JAX, TensorFlow) writes for a browser, those of rocprof, those of PyTorch's
/// profiler before Kineto, and TensorFlow's timelines.
class TraceTracks {
 public:
  enum class Kind : std::uint8_t {
    xla_stream,
    rocprof_gpu,
    rocprof_copies,
    rocprof_calls,
    torch_gpu,
    tensorflow_stream
  };
  struct Track {
    Kind kind = Kind::xla_stream;
    std::uint64_t device = 0, stream = 0;
  };

  /// Of metadata events: `process_name` and `thread_name`. Names stand before the events.
  void name_process(std::string_view process, std::string_view name);
  void name_thread(std::string_view process, std::string_view thread, std::string_view name);

  /// Nothing: events of this thread are not of a GPU, or repeat others.
  std::optional<Track> find(std::string_view process, std::string_view thread);
  /// Whose trace it is; empty where no event was on a track that is known.
  std::string_view tool() const;

 private:
  std::map<std::string, Track, std::less<>> processes_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> streams_;  ///< of XLA, by thread
  std::optional<Kind> found_;                                             ///< the first
};

}  // namespace roofline
