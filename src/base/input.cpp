#include "roofline/base/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "roofline/base/text.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

struct Reason {
  int error;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {ENOENT, "no such file or folder"},
    {EACCES, "permission denied"},
    {EPERM, "permission denied"},
    {EISDIR, "it is a folder"},
    {ENOTDIR, "a part of the path is not a folder"},
    {ENOSPC, "the disk is full"},
    {EDQUOT, "the disk quota is used up"},
    {EROFS, "the file system is read-only"},
    {ENAMETOOLONG, "the name is too long"},
    {ELOOP, "links that lead in a circle"},
    {EFBIG, "the file would be too large"},
};

std::string reason(int error) {
  const auto* row = std::find_if(std::begin(kReasons), std::end(kReasons),
                                 [&](const Reason& r) { return r.error == error; });
  return row != std::end(kReasons) ? std::string(row->text)
                                   : std::generic_category().message(error);
}

Location in_file(const std::string& path) { return {path, 0, 0, 1, {}, 0}; }

std::string in_quotes(const std::string& path) {
  return '"' + shortened(printable(path), 200) + '"';
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
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

/// The nearest name in the folder of a file that does not exist.
std::string nearby_file(const std::string& path) {
  constexpr std::size_t kMost = 1000;  // of a huge folder only a part is looked at
  const fs::path wanted(path);
  const auto folder = wanted.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder.empty() ? "." : folder, error);
       !error && it != fs::directory_iterator() && names.size() < kMost; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(wanted.filename().string(), views);
}

tl::unexpected<Error> cannot_read(const std::string& path, int error) {
  const std::string name = path == "-" ? "standard input" : in_quotes(path);
  return fail(Code::cannot_read, in_file(path), "cannot read " + name + ": " + reason(error),
              error == ENOENT ? nearby_file(path) : "");
}

tl::unexpected<Error> too_long(const std::string& path, std::size_t limit) {
  return fail(Code::limit_exceeded, in_file(path),
              "longer than " + std::to_string(limit) + " bytes");
}

bool has_zero_byte(const std::string& path) { return path.find('\0') != std::string::npos; }

}  // namespace

Result<std::string> read_input(const std::string& path, std::size_t limit) {
  if (path.empty()) return fail(Code::cannot_read, {}, "an empty file name");
  if (has_zero_byte(path)) return cannot_read(path, ENOENT);
  const bool is_stdin = path == "-";
  const Descriptor file(is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                        !is_stdin);
  if (!file.is_open()) return cannot_read(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  const auto expected =
      S_ISREG(status.st_mode) ? static_cast<std::size_t>(std::max<off_t>(0, status.st_size)) : 0;
  if (expected > limit) return too_long(path, limit);

  // Pipes, and files that grow, say their size only by ending. One byte past the size finds the end
  // of a file at once.
  constexpr std::size_t kFirst = 65536;
  std::string content(std::max(kFirst, expected + 1), '\0');
  std::size_t used = 0;
  for (;;) {
    const auto count = ::read(file.number(), content.data() + used, content.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path, errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > limit) return too_long(path, limit);
    if (used == content.size()) content.resize(2 * content.size());
  }
  content.resize(used);
  return content;
}

namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error, std::string hint = {}) {
  return fail(Code::cannot_write, in_file(path),
              "cannot write " + in_quotes(path) + ": " + reason(error), std::move(hint));
}

/// 0, or the error number.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const auto count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) content.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// A file that is deleted unless it is renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& folder) : file_(create(folder, path_)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (created_ && !renamed_) ::unlink(path_.c_str());
  }

  bool is_open() const { return file_.is_open(); }
  int number() const { return file_.number(); }

  /// Takes over owner and mode of the file it will replace. 0, or the error number.
  int look_like(const struct stat& other) {
    // The owner can be kept only by root; a file that changes hands keeps its name and mode at
    // least.
    const bool same_owner = ::fchown(file_.number(), other.st_uid, other.st_gid) == 0;
    const mode_t kept = same_owner ? 07777 : 0777;
    return ::fchmod(file_.number(), other.st_mode & kept) == 0 ? 0 : errno;
  }

  /// Gives the file a second name that must be free; the first goes with this object. 0, or the error number.
  int link_to(const fs::path& target) {
    if (!file_.close()) return errno;
    return ::link(path_.c_str(), target.c_str()) == 0 ? 0 : errno;
  }

  int rename_to(const fs::path& target) {
    if (!file_.close()) return errno;
    if (std::rename(path_.c_str(), target.c_str()) != 0) return errno;
    renamed_ = true;
    return 0;
  }

 private:
  /// Opened by hand and not by mkstemp, so that the user's umask decides on the mode of a new file.
  int create(const fs::path& folder, fs::path& path) {
    static std::atomic<unsigned> counter{0};
    constexpr int kAttempts = 100;
    for (int i = 0; i < kAttempts; ++i) {
      path = folder /
             (".roofline-" + std::to_string(::getpid()) + '-' + std::to_string(counter++) + ".tmp");
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      created_ = descriptor >= 0;
      if (created_ || errno != EEXIST) return descriptor;
    }
    return -1;
  }

  fs::path path_;
  bool created_ = false, renamed_ = false;
  Descriptor file_;
};

/// Names of what is open already. They may lead to a regular file, which replacing would cut off
/// from its writers.
bool is_open_stream(std::string_view path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

}  // namespace

struct AtomicFile::State {
  std::string path;  ///< as the user named it
  fs::path target;
  /// One of the two: what is replaced at the end, or what cannot be replaced and is written as it
  /// goes.
  std::unique_ptr<TemporaryFile> temporary;
  std::unique_ptr<Descriptor> direct;
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  if (path.empty()) return fail(Code::cannot_write, {}, "an empty file name");
  if (has_zero_byte(path)) return cannot_write(path, ENOENT);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) return cannot_write(path, errno);
  if (exists && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  auto state = std::make_unique<State>();
  state->path = path;
  if (exists && (is_open_stream(path) || !S_ISREG(status.st_mode))) {
    // Appending, because /dev/stdout may be a file with something in it.
    state->direct =
        std::make_unique<Descriptor>(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!state->direct->is_open()) return cannot_write(path, errno);
    return AtomicFile(std::move(state));
  }
  // Renaming needs no right to write the file itself, so a file that is protected has to be asked
  // for it.
  if (exists && ::access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);

  // A link stays a link: what it points to is replaced.
  std::error_code unresolved;
  const auto resolved = fs::weakly_canonical(path, unresolved);
  state->target = unresolved ? fs::path(path) : resolved;
  const auto folder = state->target.parent_path();
  state->temporary = std::make_unique<TemporaryFile>(folder.empty() ? "." : folder);
  if (!state->temporary->is_open())
    return cannot_write(path, errno, errno == ENOENT ? "its folder must exist" : "");
  if (exists)
    if (const int error = state->temporary->look_like(status); error != 0)
      return cannot_write(path, error);
  return AtomicFile(std::move(state));
}

Result<void> AtomicFile::write(std::string_view content) {
  const int descriptor = state_->direct ? state_->direct->number() : state_->temporary->number();
  if (const int error = write_all(descriptor, content); error != 0)
    return cannot_write(state_->path, error);
  return {};
}

Result<void> AtomicFile::commit() {
  if (state_->direct) {
    if (!state_->direct->close()) return cannot_write(state_->path, errno);
  } else if (const int error = state_->temporary->rename_to(state_->target); error != 0) {
    return cannot_write(state_->path, error);
  }
  return {};
}

Result<void> write_atomically(const std::string& path, const std::string& content) {
  auto file = AtomicFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (auto written = file->write(content); !written) return written;
  return file->commit();
}

namespace {

/// For file systems without hard links: a reader may see the file half written, nobody loses one.
Result<bool> write_exclusively(const std::string& path, const std::string& content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    if (errno == EEXIST) return false;
    return cannot_write(path, errno);
  }
  int error = write_all(file.number(), content);
  if (!file.close() && error == 0) error = errno;
  if (error == 0) return true;
  ::unlink(path.c_str());
  return cannot_write(path, error);
}

}  // namespace

Result<bool> write_new(const std::string& path, const std::string& content) {
  if (path.empty() || has_zero_byte(path)) return cannot_write(path, ENOENT);
  const auto folder = fs::path(path).parent_path();
  TemporaryFile temporary(folder.empty() ? "." : folder);
  if (!temporary.is_open()) return cannot_write(path, errno, errno == ENOENT ? "its folder must exist" : "");
  if (const int error = write_all(temporary.number(), content); error != 0) return cannot_write(path, error);
  const int error = temporary.link_to(path);
  if (error == EEXIST) return false;
  if (error == EPERM || error == ENOSYS || error == EOPNOTSUPP) return write_exclusively(path, content);
  if (error != 0) return cannot_write(path, error);
  return true;
}

}  // namespace roofline
