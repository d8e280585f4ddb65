#include "profile/plugin/buffer_pool.hpp"

#include <sys/mman.h>

namespace roofline::profile::plugin {

std::uint8_t* BufferPool::take() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ++taken_;
    if (count_ > 0) return kept_[--count_];
  }
  // Mapped, not allocated: the program's allocator may be its own, and may be where it crashed.
  void* const fresh =
      mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return fresh == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(fresh);
}

void BufferPool::give_back(std::uint8_t* buffer) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (count_ < kKept) {
      kept_[count_++] = buffer;
      return;
    }
  }
  munmap(buffer, kBufferBytes);
}

std::uint64_t BufferPool::taken() const noexcept {
  const std::lock_guard lock(mutex_);
  return taken_;
}

}  // namespace roofline::profile::plugin
