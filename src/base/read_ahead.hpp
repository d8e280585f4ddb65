#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/decompress.hpp"

namespace roofline {

/// Unpacks on a thread of its own, a few blocks ahead of whoever reads. A block's checksum is
/// summed up by the one of the two that waits for the other: the reader, unless blocks are ready
/// for it.
class ReadAhead {
 public:
  explicit ReadAhead(std::unique_ptr<Unpacker> unpacker);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  /// As Unpacker::read(), from one thread.
  Result<std::size_t> read(char* into, std::size_t room);
  bool cut() const { return cut_; }  ///< known once read() gave 0

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t used = 0, taken = 0;
    std::vector<MemberEnd> ends = {};
    std::optional<std::uint32_t> sum = {};
    std::string_view text() const { return {bytes.data(), used}; }
  };
  void run();
  Result<void> next_block();

  std::unique_ptr<Unpacker> unpacker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_, empty_;  // by mutex_, as are the next two
  std::optional<Error> error_;
  bool stop_ = false;
  std::atomic<bool> ready_{false};  // whether full_ has any
  Block current_;
  MemberSums sums_;
  bool cut_ = false;
  std::thread thread_;
};

}  // namespace roofline
