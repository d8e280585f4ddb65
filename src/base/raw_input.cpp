#include "base/raw_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roofline {
namespace {

/// What was looked at of standard input and not yet taken. It can be read only once, and telling
/// what it is reads it.
std::string& looked_at() {
  static std::string bytes;
  return bytes;
}

std::size_t copy_out(const std::string& from, std::size_t at, char* into, std::size_t room) {
  const auto count = std::min(room, from.size() - at);
  std::memcpy(into, from.data() + at, count);
  return count;
}

}  // namespace

Result<RawInput> RawInput::open(const std::string& path, bool look) {
  if (path.empty()) return fail(Code::cannot_read, {}, "an empty file name");
  if (path.find('\0') != std::string::npos) return cannot_read(path, ENOENT);
  const bool standard = path == "-";
  RawInput input(
      Descriptor(standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard),
      path);
  if (!input.file_.is_open()) return cannot_read(path, errno);
  struct stat status {};
  if (::fstat(input.file_.number(), &status) != 0) return cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  if (S_ISREG(status.st_mode))
    input.size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  input.standard_ = standard;
  input.look_ = standard && look;
  return input;
}

Result<std::size_t> RawInput::read(char* into, std::size_t room) {
  if (standard_) {
    auto& kept = looked_at();
    if (looked_ < kept.size()) {
      const auto count = copy_out(kept, looked_, into, room);
      looked_ += count;
      if (!look_ && looked_ == kept.size()) {
        kept = {};
        looked_ = 0;
      }
      return count;
    }
  }
  while (true) {
    const auto size = ::read(file_.number(), into, room);
    if (size >= 0) {
      const auto count = static_cast<std::size_t>(size);
      if (look_) {
        looked_at().append(into, count);
        looked_ += count;
      }
      return count;
    }
    if (errno != EINTR) return cannot_read(path_, errno);
  }
}

}  // namespace roofline
