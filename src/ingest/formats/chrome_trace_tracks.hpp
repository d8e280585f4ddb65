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
    std::uint64_t named = 0;  ///< the event that made it known
  };

  /// Of metadata events: `process_name` and `thread_name`, the `event`th of the trace. True: a
  /// GPU's.
  bool name_process(std::string_view process, std::string_view name, std::uint64_t event);
  bool name_thread(std::string_view process, std::string_view thread, std::string_view name,
                   std::uint64_t event);

  /// Nothing: events of this thread are not of a GPU, or repeat others.
  std::optional<Track> find(std::string_view process, std::string_view thread);
  /// Whose trace it is; empty where no event was on a track that is known.
  std::string_view tool() const;

 private:
  std::map<std::string, Track, std::less<>> processes_;
  struct Stream {
    std::uint64_t number = 0, named = 0;
  };
  std::map<std::pair<std::string, std::string>, Stream> streams_;  ///< of XLA, by thread
  std::optional<Kind> found_;                                      ///< the first
};

}  // namespace roofline
