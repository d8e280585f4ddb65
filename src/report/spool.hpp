#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace roofline {

/// Text that is written now and read once, later: in memory while it is short, in a nameless
/// temporary file after that. The points of a result stand after its kernels, and a sweep may have
/// millions of them. Where no temporary file can be made or written, the text stays in memory.
class Spool {
 public:
  void append(std::string_view text);

  /// Hands everything to `sink` in pieces, in order, and forgets it. False: the temporary file
  /// could not be read back.
  bool drain(const std::function<void(std::string_view)>& sink);

 private:
  void move_to_file();

  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string memory_;  ///< what follows the file
  bool file_works_ = true;
};

}  // namespace roofline
