#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

namespace roofline {

/// How the streams of one device lie beside each other: what each did alone, what ran at the same
/// time, and which copies and collectives had no kernel beside them to hide behind. Intervals come
/// in the order of their starts; memory is bounded by what runs at once and by the streams.
class StreamSweep {
 public:
  enum class What : std::uint8_t { kernel, copy, communication };

  struct Stream {
    std::uint64_t id = 0, kernels = 0, copies = 0;
    std::uint64_t busy = 0;   ///< ns with something on it
    std::uint64_t alone = 0;  ///< of them with nothing on any other stream
    std::uint64_t until = 0;  // while it is computed
    std::uint32_t running = 0;
  };

  /// The place of a stream among those of the device.
  std::uint32_t index_of(std::uint64_t stream);
  void add(std::uint32_t stream, What what, std::uint64_t start, std::uint64_t end);
  void finish() { advance(~std::uint64_t{0}); }

  const std::vector<Stream>& streams() const { return streams_; }
  std::uint64_t overlapped() const {
    return overlapped_;
  }  ///< ns with two streams and more at work
  std::uint64_t of(What what) const { return times_[place(what)]; }  ///< ns with such an interval
  /// Of them without a kernel that computes.
  std::uint64_t exposed(What what) const { return exposed_[place(what)]; }

 private:
  static constexpr std::size_t kMostStreams = std::size_t{1} << 16;  // all others count as the last
  static constexpr std::size_t place(What what) { return static_cast<std::size_t>(what); }
  struct Running {
    std::uint64_t end = 0;
    std::uint32_t stream = 0;
    What what = What::kernel;
    bool operator>(const Running& other) const { return end > other.end; }
  };

  /// Time passes until `time`: what ends before is taken out.
  void advance(std::uint64_t time);
  void pass(std::uint64_t until);

  std::vector<Stream> streams_;
  std::unordered_map<std::uint64_t, std::uint32_t> indices_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::array<std::uint32_t, 3> count_{};
  std::array<std::uint64_t, 3> times_{}, exposed_{};
  std::uint32_t streams_running_ = 0, only_ = 0;  ///< only_: XOR of the streams that run
  std::uint64_t now_ = 0, overlapped_ = 0;
};

}  // namespace roofline
