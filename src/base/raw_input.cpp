#include "base/raw_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

namespace roofline {
namespace {

/// What was looked at of an input that can be read only once (standard input, a pipe) and not yet
/// taken: telling what it is reads it. A pipe stays open for whoever reads it next, since its
/// writer would be cut off.
struct Looked {
  std::string bytes;
  std::optional<Descriptor> pipe;
};
std::map<std::string, Looked, std::less<>>& looked_at() {
  static std::map<std::string, Looked, std::less<>> inputs;
  return inputs;
}

/// Opens a file, or the pipe of that name again that was looked at.
int open_or_again(const std::string& path) {
  const auto known = looked_at().find(path);
  return known != looked_at().end() && known->second.pipe
             ? ::fcntl(known->second.pipe->number(), F_DUPFD_CLOEXEC, 0)
             : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
  RawInput input(Descriptor(standard ? STDIN_FILENO : open_or_again(path), !standard), path);
  if (!input.file_.is_open()) return cannot_read(path, errno);
  struct stat status {};
  if (::fstat(input.file_.number(), &status) != 0) return cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  if (S_ISREG(status.st_mode))
    input.size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  input.once_ = standard || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  input.look_ = input.once_ && look;
  if (input.look_) {
    auto& kept = looked_at()[path];
    if (!standard && !kept.pipe)
      kept.pipe.emplace(::fcntl(input.file_.number(), F_DUPFD_CLOEXEC, 0));
  }
  return input;
}

Result<std::size_t> RawInput::read(char* into, std::size_t room) {
  if (once_) {
    auto& kept = looked_at()[path_].bytes;
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
        looked_at()[path_].bytes.append(into, count);
        looked_ += count;
      }
      return count;
    }
    if (errno != EINTR) return cannot_read(path_, errno);
  }
}

}  // namespace roofline
