#include "profile/plugin/capture_writer.hpp"

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "profile/plugin/message.hpp"

namespace roofline::profile::plugin {

TextIds::Found TextIds::id_of(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return {found->second, false};
  if (bytes_ + text.size() > kTextBytes) forget();
  bytes_ += text.size();
  ids_.emplace(text, ++last_id_);
  return {last_id_, true};
}

TextIds::Found TextIds::id_of_name(const char* name) {
  const auto address = reinterpret_cast<std::uintptr_t>(name);
  auto& place = addresses_[(address >> 4 ^ address >> 14) % addresses_.size()];
  if (place.name == name && std::strcmp(place.text->c_str(), name) == 0) return {place.id, false};
  const auto found = id_of(name);
  place = {name, &ids_.find(std::string_view(name))->first, found.id};
  return found;
}

void TextIds::forget() {
  ids_.clear();
  addresses_ = {};
  bytes_ = 0;
}

bool ShapeIds::choose(capture::Shape& shape) {
  static_assert(std::has_unique_object_representations_v<capture::Shape>);
  constexpr std::size_t kId = sizeof(shape.id);  // the first field, and the only one not compared
  const auto same = [&](const capture::Shape& other) {
    return other.id != 0 &&
           std::memcmp(reinterpret_cast<const char*>(&other) + kId,
                       reinterpret_cast<const char*>(&shape) + kId, sizeof shape - kId) == 0;
  };
  if (sets_.empty()) sets_.resize(kSets);
  std::uint64_t hash = shape.name;
  for (const auto field : {shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                           shape.block[1], shape.dynamic_shared_bytes, shape.context})
    hash = (hash ^ field) * 0x9e3779b97f4a7c15u;
  auto& set = sets_[(hash >> 40) % kSets];
  for (const auto& known : set.shapes)
    if (same(known)) {
      shape.id = known.id;
      return false;
    }
  shape.id = ++last_id_;
  set.shapes[set.next] = shape;
  set.next = (set.next + 1) % kWays;
  return true;
}

int CaptureWriter::start(std::string_view header) {
  const std::lock_guard lock(mutex_);
  const int error = file_.append(header);
  taking_ = error == 0;
  pending_.reserve(kChunkBytes + kChunkBytes / 4);
  return error;
}

CaptureWriter::Batch::~Batch() {
  if (writer_.pending_.size() >= kChunkBytes) writer_.write_pending();
}

std::uint64_t CaptureWriter::Batch::text(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = writer_.texts_.id_of(text);
  if (found.is_new) put(capture::Text{found.id, std::string(text)});
  return found.id;
}

std::uint64_t CaptureWriter::Batch::name(const char* name) {
  if (!name || !*name) return 0;
  const auto found = writer_.texts_.id_of_name(name);
  if (!found.is_new) return found.id;
  put(capture::Text{found.id, name});
  if (auto code = writer_.codes_.find(name)) {
    code->name = found.id;
    put(*code);
  }
  return found.id;
}

std::uint64_t CaptureWriter::Batch::shape(capture::Shape shape) {
  if (writer_.shapes_.choose(shape)) put(shape);
  return shape.id;
}

void CaptureWriter::flush(Losses& losses) {
  const std::lock_guard lock(mutex_);
  if (taking_) write_losses(losses);
  write_pending();
}

void CaptureWriter::write_pending() {
  if (pending_.empty()) return;
  if (const int error = taking_ ? file_.append(pending_) : 0) {
    taking_ = false;
    std::string_view rest = pending_;
    while (const auto tag = capture::next_frame(rest).tag)
      unwritten_ += is_observation(static_cast<capture::Tag>(tag));
    say("cannot write " + file_.path() + ": " +
        (error == EBADF ? "the program closed it" : strerrordesc_np(error)) +
        "; the program runs on, what follows is not captured");
  }
  pending_.clear();
}

void CaptureWriter::write_losses(Losses& losses) {
  losses.drain([this](std::string_view reason, std::uint64_t count) {
    const auto found = texts_.id_of(reason);
    if (found.is_new)
      capture::append(pending_, last_, capture::Text{found.id, std::string(reason)});
    capture::append(pending_, last_, capture::Loss{found.id, count});
  });
}

void CaptureWriter::finish(std::string_view reason, Losses& losses) {
  const std::lock_guard lock(mutex_);
  if (taking_) {
    write_losses(losses);
    write_pending();
  }
  write_last_words(reason);
  taking_ = false;
}

// After a failed write there may still be room for these few bytes, since the chunk that did not
// fit has been taken back. They name their texts afresh: the ones before may be lost.
void CaptureWriter::write_last_words(std::string_view reason) {
  if (!file_.is_open()) return;
  std::string words;
  std::uint64_t id = std::uint64_t{1} << 62;  // above any id in the file
  const auto text = [&](std::string_view value) {
    capture::append(words, last_, capture::Text{++id, std::string(value)});
    return id;
  };
  if (unwritten_ > 0)
    capture::append(words, last_, capture::Loss{text(loss::kUnwritten), unwritten_});
  capture::append(words, last_, capture::End{text(reason)});
  file_.append(words);
}

}  // namespace roofline::profile::plugin
