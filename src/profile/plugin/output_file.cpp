#include "profile/plugin/output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace roofline::profile::plugin {
namespace {

/// A file above the program's size limit raises SIGXFSZ, which would end the program for a file
/// that it never asked for.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&size_signal_);
    sigaddset(&size_signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size_signal_, &before_);
  }
  ~NoSizeSignal() {
    if (raised_) {
      const timespec at_once{};
      sigtimedwait(&size_signal_, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void note(int error) { raised_ = raised_ || error == EFBIG; }

 private:
  sigset_t size_signal_, before_;
  bool raised_ = false;
};

}  // namespace

OutputFile::OutputFile(Write write) : write_(write ? write : &::write) {}

int OutputFile::create(const std::string& folder, const std::string& stem,
                       std::string_view extension) {
  constexpr int kTries = 10000;
  for (int number = 1; number <= kTries; ++number) {
    path_ = folder + "/" + stem;
    if (number > 1) path_ += "." + std::to_string(number);
    path_ += extension;
    descriptor_ = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    struct stat file {};
    if (descriptor_ < 0 || fstat(descriptor_, &file) != 0) return errno;
    device_ = file.st_dev;
    inode_ = file.st_ino;
    return 0;
  }
  return EEXIST;
}

// A program may close all descriptors that it did not open, and then open files of its own under
// the same numbers.
bool OutputFile::is_ours() const {
  struct stat file {};
  return fstat(descriptor_, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

int OutputFile::append(std::string_view chunk) {
  if (!is_open()) return EBADF;
  if (!is_ours() && !reopen()) {
    descriptor_ = -1;
    return EBADF;
  }
  const int error = append_some(chunk);
  if (error == 0)
    whole_ += static_cast<off_t>(chunk.size());
  else if (ftruncate(descriptor_, whole_) != 0)
    abandon();  // it ends inside a record; another one behind it would be misread
  return error;
}

bool OutputFile::reopen() {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) return false;
  if (is_ours()) return true;
  close(descriptor_);
  return false;
}

int OutputFile::append_some(std::string_view chunk) {
  NoSizeSignal no_signal;
  while (!chunk.empty()) {
    const ssize_t written = write_(descriptor_, chunk.data(), chunk.size());
    if (written > 0) {
      chunk.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno != EINTR) {
      const int error = errno;
      no_signal.note(error);
      return error;
    }
  }
  return 0;
}

void OutputFile::abandon() {
  if (is_open()) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace roofline::profile::plugin
