#pragma once

#include <unistd.h>

#include <string>

#include "roofline/base/result.hpp"

namespace roofline {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_), owned_(other.owned_) {
    other.number_ = -1;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// False when what was written may not have arrived.
  bool close() {
    const bool good = !owned_ || number_ < 0 || ::close(number_) == 0;
    number_ = -1;
    return good;
  }

 private:
  int number_;
  bool owned_;
};

/// An error number in plain words.
std::string system_reason(int error);
/// A path in quotes, printable and not too long.
std::string path_in_quotes(const std::string& path);
/// "-" is standard input; of a file that is missing the nearest name in its folder is the hint.
tl::unexpected<Error> cannot_read(const std::string& path, int error);

}  // namespace roofline
