#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "roofline/base/result.hpp"

namespace roofline {

/// The whole of a file, or of stdin when `path` is "-", unpacked as ByteStream does. Refuses directories, anything longer than `limit` bytes, packed or
/// unpacked (bounded memory), and packed files that end early. Errors: cannot_read, limit_exceeded.
Result<std::string> read_input(const std::string& path, std::size_t limit);

/// A file written piece by piece to a temporary file beside it, which commit() renames: the old
/// file stays when anything fails, or when it is never committed. A pipe or a device is written as
/// it goes. Errors: cannot_write.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  Result<void> write(std::string_view content);
  Result<void> commit();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Writes `content` to a temporary file beside `path` and renames it: the old file stays when
/// anything fails. Errors: cannot_write.
Result<void> write_atomically(const std::string& path, const std::string& content);

/// Writes `content` under the name `path` if nothing has that name yet, whole or not at all: of several that try at once
/// one succeeds. False: the name is taken. Errors: cannot_write.
Result<bool> write_new(const std::string& path, const std::string& content);

}  // namespace roofline
