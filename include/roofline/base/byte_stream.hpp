#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "roofline/base/result.hpp"

namespace roofline {

/// A file, or stdin, read piece by piece: for tables that need not fit in memory. gzip (all of its
/// members), zstd (all of its frames), zip (its one file) and what they hold of these are undone by
/// their magic numbers, text of UTF-16 by its mark, on a thread of its own and a megabyte ahead.
class ByteStream {
 public:
  /// `path`: a file, or "-" for stdin. Refuses directories. Errors: cannot_read.
  static Result<ByteStream> open(const std::string& path);
  /// The same, to look at how it begins: what is read of stdin comes again for the next open().
  static Result<ByteStream> open_to_look(const std::string& path);
  /// Text that is in memory already; `name` stands for it in messages.
  static ByteStream of(std::string text, std::string name);
  static ByteStream of(std::shared_ptr<const std::string> text, std::string name);  ///< shared, not copied

  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  /// Up to `room` bytes into `into`; how many, 0 at the end. Errors: cannot_read, with the offset in
  /// the packed file where its data is damaged; limit_exceeded for a packed file that swells without
  /// end.
  Result<std::size_t> read(char* into, std::size_t room);
  /// A packed file that ended before its end: what was read is whole up to there. Known once read()
  /// gave 0.
  bool cut() const;
  const std::string& name() const;  ///< "<stdin>" for stdin

 private:
  struct State;
  static Result<ByteStream> open(const std::string& path, bool look);
  explicit ByteStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace roofline
