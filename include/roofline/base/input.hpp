#pragma once

#include <cstddef>
#include <string>

#include "roofline/base/result.hpp"

namespace roofline {

/// The whole of a file, or of stdin when `path` is "-". Refuses directories, and anything longer than `limit`
/// bytes (bounded memory). Errors: cannot_read, limit_exceeded.
Result<std::string> read_input(const std::string& path, std::size_t limit);

/// Writes `content` to a temporary file beside `path` and renames it: the old file stays when anything fails.
/// Errors: cannot_write.
Result<void> write_atomically(const std::string& path, const std::string& content);

}  // namespace roofline
