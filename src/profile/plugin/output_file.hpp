#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace roofline::profile::plugin {

/// A file that only grows, by whole chunks: after a failed write it ends where the last whole chunk
/// did. Not for several threads.
class OutputFile {
 public:
  using Write = ssize_t (*)(int, const void*, std::size_t);
  explicit OutputFile(Write write = nullptr);  ///< write(2) outside of tests

  /// Creates `<folder>/<stem><extension>`, or `<stem>.2<extension>` and so on if that is taken.
  /// Returns 0 or errno.
  int create(const std::string& folder, const std::string& stem, std::string_view extension);
  /// Writes all of it, or nothing. Returns 0 or errno.
  int append(std::string_view chunk);
  /// Closes without another word; the process that forked us still writes to the file.
  void abandon();

  bool is_open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }

 private:
  int append_some(std::string_view chunk);
  bool is_ours() const;
  bool reopen();  ///< after the program closed it

  Write write_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t whole_ = 0;  ///< size up to the last whole chunk
  std::string path_;
};

}  // namespace roofline::profile::plugin
