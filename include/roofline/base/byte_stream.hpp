#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "roofline/base/result.hpp"

namespace roofline {

/// A file, or stdin, read piece by piece: for tables that need not fit in memory.
class ByteStream {
 public:
  /// `path`: a file, or "-" for stdin. Refuses directories. Errors: cannot_read.
  static Result<ByteStream> open(const std::string& path);
  /// Text that is in memory already; `name` stands for it in messages.
  static ByteStream of(std::string text, std::string name);
  static ByteStream of(std::shared_ptr<const std::string> text, std::string name);  ///< shared, not copied

  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  /// Up to `room` bytes into `into`; how many, 0 at the end. Errors: cannot_read.
  Result<std::size_t> read(char* into, std::size_t room);
  const std::string& name() const;  ///< "<stdin>" for stdin

 private:
  struct State;
  explicit ByteStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace roofline
