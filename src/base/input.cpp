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

#include "base/decompress.hpp"
#include "base/file_access.hpp"
#include "base/raw_input.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

Location in_file(const std::string& path) { return {path, 0, 0, 1, {}, 0}; }

tl::unexpected<Error> too_long(const std::string& path, std::size_t limit) {
  return fail(Code::limit_exceeded, in_file(path),
              "longer than " + std::to_string(limit) + " bytes");
}

bool has_zero_byte(const std::string& path) { return path.find('\0') != std::string::npos; }

/// All that `source` gives, which is `expected` bytes or so.
template <class Source>
Result<std::string> read_all(const std::string& path, std::size_t limit, std::size_t expected,
                             Source source) {
  // Pipes, and files that grow, say their size only by ending. One byte past the size finds the end
  // of a file at once.
  constexpr std::size_t kFirst = 65536;
  std::string content(std::max(kFirst, expected + 1), '\0');
  std::size_t used = 0;
  for (;;) {
    const auto count = source(content.data() + used, content.size() - used);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) break;
    used += *count;
    if (used > limit) return too_long(path, limit);
    if (used == content.size()) content.resize(2 * content.size());
  }
  content.resize(used);
  return content;
}

Result<std::string> unpacked(Packing packing, const std::string& path, std::string content,
                             std::size_t limit) {
  std::size_t taken = 0;
  auto unpacker =
      Unpacker::create(packing, path == "-" ? "<stdin>" : path,
                       [&](char* into, std::size_t room) -> Result<std::size_t> {
                         const auto count = content.copy(into, room, taken);
                         taken += count;
                         return count;
                       });
  if (!unpacker) return tl::unexpected(std::move(unpacker.error()));
  auto whole = read_all(path, limit, 0, [&](char* into, std::size_t room) {
    return (*unpacker)->read(into, room);
  });
  if (whole && (*unpacker)->cut())
    return fail(Code::cannot_read, in_file(path),
                "this packed file ends early, after " + std::to_string(content.size()) + " bytes",
                "copy it again from where it is whole");
  return whole;
}

}  // namespace

Result<std::string> read_input(const std::string& path, std::size_t limit) {
  auto input = RawInput::open(path);
  if (!input) return tl::unexpected(std::move(input.error()));
  if (input->size_hint() > limit) return too_long(path, limit);
  auto content = read_all(path, limit, input->size_hint(), [&](char* into, std::size_t room) {
    return input->read(into, room);
  });
  if (!content) return content;
  const auto packing = packing_of(*content);
  return packing == Packing::none ? content : unpacked(packing, path, std::move(*content), limit);
}

namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error, std::string hint = {}) {
  return fail(Code::cannot_write, in_file(path),
              "cannot write " + path_in_quotes(path) + ": " + system_reason(error), std::move(hint));
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
