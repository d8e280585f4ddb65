#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace roofline::profile::plugin {

/// Buffers that CUPTI fills: asked for on the program's own threads, so taking one is a lock and a
/// pop. Pages of a buffer cost memory from the first time they are filled.
class BufferPool {
 public:
  static constexpr std::size_t kBufferBytes = 4u << 20;

  /// Null: no memory.
  std::uint8_t* take() noexcept;
  void give_back(std::uint8_t* buffer) noexcept;
  /// Buffers that CUPTI has taken since the start.
  std::uint64_t taken() const noexcept;

 private:
  static constexpr std::size_t kKept = 4;  ///< more than these go back to the system
  mutable std::mutex mutex_;
  std::uint8_t* kept_[kKept] = {};
  std::size_t count_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace roofline::profile::plugin
