#include "base/read_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace roofline {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10, kBlocks = 4;

/// To wake a thread takes about as long as to unpack a block.
constexpr std::chrono::microseconds kAwake{200};

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<Unpacker> unpacker) : unpacker_(std::move(unpacker)) {
  for (std::size_t i = 0; i < kBlocks; ++i) empty_.push_back({.bytes = std::vector<char>(kBlock)});
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
  for (bool last = false; !last;) {
    Block block;
    bool ahead = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !empty_.empty(); });
      if (stop_) return;
      block = std::move(empty_.front());
      empty_.pop_front();
      ahead = !full_.empty();
    }
    auto got = unpacker_->read_unsummed(block.bytes.data(), block.bytes.size());
    block.used = got.value_or(0);
    block.taken = 0;
    block.ends = unpacker_->take_ends();
    block.sum.reset();
    if (ahead && block.ends.empty()) block.sum = MemberSums::sum_of(block.text());
    last = block.used == 0;
    const std::lock_guard lock(mutex_);
    if (!got) error_ = std::move(got.error());
    full_.push_back(std::move(block));
    ready_ = true;
    changed_.notify_all();
  }
}

Result<void> ReadAhead::next_block() {
  {
    const std::lock_guard lock(mutex_);
    if (current_.used == 0 && !current_.bytes.empty()) return {};  // the last one
    if (!current_.bytes.empty()) empty_.push_back(std::move(current_));
    ready_ = !full_.empty();
    changed_.notify_all();
  }
  const auto until = std::chrono::steady_clock::now() + kAwake;
  while (!ready_ && std::chrono::steady_clock::now() < until) {
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !full_.empty(); });
  current_ = std::move(full_.front());
  full_.pop_front();
  if (current_.used > 0) return {};
  if (error_) return tl::unexpected(*error_);
  cut_ = unpacker_->cut();
  return {};
}

Result<std::size_t> ReadAhead::read(char* into, std::size_t room) {
  if (current_.taken == current_.used) {
    auto next = next_block();
    current_.used = sums_.take(current_.text(), std::exchange(current_.ends, {}), current_.sum);
    if (current_.used == 0 && sums_.wrong()) return unpacker_->wrong_sum(*sums_.wrong());
    if (!next) return tl::unexpected(std::move(next.error()));
  }
  const auto count = std::min(room, current_.used - current_.taken);
  std::memcpy(into, current_.bytes.data() + current_.taken, count);
  current_.taken += count;
  return count;
}

}  // namespace roofline
