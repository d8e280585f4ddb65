#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/decompress.hpp"

namespace roofline {

/// Unpacks on a thread of its own, a few blocks ahead of whoever reads.
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
  };
  void run();

  std::unique_ptr<Unpacker> unpacker_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> full_, empty_;  // by mutex_, as are the next three
  std::optional<Error> error_;
  bool ended_ = false, stop_ = false;
  Block current_;
  bool cut_ = false;
  std::thread thread_;
};

}  // namespace roofline
