#include "base/read_ahead.hpp"

#include <algorithm>
#include <cstring>

namespace roofline {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10, kBlocks = 4;

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<Unpacker> unpacker) : unpacker_(std::move(unpacker)) {
  for (std::size_t i = 0; i < kBlocks; ++i) empty_.push_back({std::vector<char>(kBlock), 0, 0});
  thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::run() {
  for (;;) {
    Block block;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !empty_.empty(); });
      if (stop_) return;
      block = std::move(empty_.front());
      empty_.pop_front();
    }
    auto got = unpacker_->read(block.bytes.data(), block.bytes.size());
    const std::lock_guard lock(mutex_);
    if (got && *got > 0) {
      block.used = *got;
      block.taken = 0;
      full_.push_back(std::move(block));
    } else {
      if (!got) error_ = std::move(got.error());
      ended_ = true;
    }
    changed_.notify_all();
    if (ended_) return;
  }
}

Result<std::size_t> ReadAhead::read(char* into, std::size_t room) {
  if (current_.taken == current_.used) {
    std::unique_lock lock(mutex_);
    if (!current_.bytes.empty()) empty_.push_back(std::move(current_));
    current_ = {};
    changed_.notify_all();
    changed_.wait(lock, [&] { return ended_ || !full_.empty(); });
    if (full_.empty()) {
      if (error_) return tl::unexpected(*error_);
      cut_ = unpacker_->cut();
      return std::size_t{0};
    }
    current_ = std::move(full_.front());
    full_.pop_front();
  }
  const auto count = std::min(room, current_.used - current_.taken);
  std::memcpy(into, current_.bytes.data() + current_.taken, count);
  current_.taken += count;
  return count;
}

}  // namespace roofline
