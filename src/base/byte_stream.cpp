#include "roofline/base/byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "roofline/base/input.hpp"

namespace roofline {

struct ByteStream::State {
  std::string name;
  std::shared_ptr<const std::string> text;  // of a stream in memory; how much of it was read
  std::size_t taken = 0;
  int descriptor = -1;
  bool owned = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (owned) ::close(descriptor);
  }
};

ByteStream::ByteStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

Result<ByteStream> ByteStream::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (path == "-") {
    state->name = "<stdin>";
    state->descriptor = STDIN_FILENO;
    return ByteStream(std::move(state));
  }
  state->name = path;
  state->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  state->owned = state->descriptor >= 0;
  struct stat status = {};
  const bool good = state->owned && ::fstat(state->descriptor, &status) == 0 && !S_ISDIR(status.st_mode);
  if (!good) {
    // The reader of whole files says best what is wrong with a path.
    auto whole = read_input(path, 1);
    if (!whole) return tl::unexpected(std::move(whole.error()));
    return fail(Code::cannot_read, {path, 0, 0, 1, {}, 0}, "cannot read " + path);
  }
  return ByteStream(std::move(state));
}

ByteStream ByteStream::of(std::string text, std::string name) {
  return of(std::make_shared<const std::string>(std::move(text)), std::move(name));
}

ByteStream ByteStream::of(std::shared_ptr<const std::string> text, std::string name) {
  auto state = std::make_unique<State>();
  state->name = std::move(name);
  state->text = std::move(text);
  return ByteStream(std::move(state));
}

Result<std::size_t> ByteStream::read(char* into, std::size_t room) {
  if (state_->descriptor < 0) {
    const std::size_t size = std::min(room, state_->text->size() - state_->taken);
    std::memcpy(into, state_->text->data() + state_->taken, size);
    state_->taken += size;
    return size;
  }
  while (true) {
    const auto size = ::read(state_->descriptor, into, room);
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno == EINTR) continue;
    return fail(Code::cannot_read, {state_->name, 0, 0, 1, {}, 0},
                "cannot read " + state_->name + ": " + std::generic_category().message(errno));
  }
}

const std::string& ByteStream::name() const { return state_->name; }

}  // namespace roofline
