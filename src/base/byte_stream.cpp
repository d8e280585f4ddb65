#include "roofline/base/byte_stream.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/raw_input.hpp"
#include "base/read_ahead.hpp"

namespace roofline {
namespace {

/// A file or stdin behind what was read to see how it is packed.
class HeadedInput {
 public:
  explicit HeadedInput(RawInput raw) : raw_(std::move(raw)) {}

  Result<std::string_view> head() {
    while (known_ < kMagicBytes) {
      const auto got = raw_.read(head_.data() + known_, head_.size() - known_);
      if (!got) return tl::unexpected(got.error());
      if (*got == 0) break;
      known_ += *got;
    }
    return std::string_view(head_.data(), known_);
  }

  Result<std::size_t> read(char* into, std::size_t room) {
    if (taken_ == known_) return raw_.read(into, room);
    const auto count = std::min(room, known_ - taken_);
    std::memcpy(into, head_.data() + taken_, count);
    taken_ += count;
    return count;
  }

 private:
  RawInput raw_;
  std::vector<char> head_ = std::vector<char>(std::size_t{64} << 10);
  std::size_t known_ = 0, taken_ = 0;
};

}  // namespace

struct ByteStream::State {
  std::string name;
  std::shared_ptr<const std::string> text;  // of a stream in memory; how much of it was read
  std::size_t taken = 0;
  std::optional<HeadedInput> input;
  bool begun = false;
  std::unique_ptr<ReadAhead> unpacked;  // reads `input`: goes first

  /// How the input is packed shows with its first bytes, for which a pipe may have to be waited on:
  /// not before somebody reads.
  Result<void> begin() {
    begun = true;
    const auto head = input->head();
    if (!head) return tl::unexpected(head.error());
    const auto packing = packing_of(*head);
    if (packing == Packing::none) return {};
    auto unpacker = Unpacker::create(
        packing, name, [this](char* into, std::size_t room) { return input->read(into, room); });
    if (!unpacker) return tl::unexpected(std::move(unpacker.error()));
    unpacked = std::make_unique<ReadAhead>(std::move(*unpacker));
    return {};
  }
};

ByteStream::ByteStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

Result<ByteStream> ByteStream::open(const std::string& path) { return open(path, false); }
Result<ByteStream> ByteStream::open_to_look(const std::string& path) { return open(path, true); }

Result<ByteStream> ByteStream::open(const std::string& path, bool look) {
  auto raw = RawInput::open(path, look);
  if (!raw) return tl::unexpected(std::move(raw.error()));
  auto state = std::make_unique<State>();
  state->name = path == "-" ? "<stdin>" : path;
  state->input.emplace(std::move(*raw));
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
  if (state_->text) {
    const auto size = state_->text->copy(into, room, state_->taken);
    state_->taken += size;
    return size;
  }
  if (!state_->begun)
    if (auto begun = state_->begin(); !begun) return tl::unexpected(std::move(begun.error()));
  return state_->unpacked ? state_->unpacked->read(into, room) : state_->input->read(into, room);
}

bool ByteStream::cut() const { return state_->unpacked && state_->unpacked->cut(); }

const std::string& ByteStream::name() const { return state_->name; }

}  // namespace roofline
