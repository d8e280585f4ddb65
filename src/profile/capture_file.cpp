#include "roofline/profile/capture_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "profile/capture_header.hpp"

namespace roofline {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLongestHeader = std::size_t{64} << 10;
constexpr std::size_t kLongestRecord =
    std::size_t{16} << 20;  // a longer one is damage: a text has a kilobyte or so

template <class Record>
bool hand_over(const capture::Frame& frame, capture::Last& last, CaptureVisitor& visitor) {
  Record record;
  if (!capture::decode(frame.payload, last, record)) return false;
  visitor.record(record);
  return true;
}

enum class Outcome { good, damaged, unknown };

Outcome dispatch(const capture::Frame& frame, capture::Last& last, CaptureVisitor& visitor) {
  const auto as = [&](bool good) { return good ? Outcome::good : Outcome::damaged; };
  switch (static_cast<capture::Tag>(frame.tag)) {
    case capture::Tag::launch: return as(hand_over<capture::Launch>(frame, last, visitor));
    case capture::Tag::api: return as(hand_over<capture::Api>(frame, last, visitor));
    case capture::Tag::text: return as(hand_over<capture::Text>(frame, last, visitor));
    case capture::Tag::device: return as(hand_over<capture::Device>(frame, last, visitor));
    case capture::Tag::shape: return as(hand_over<capture::Shape>(frame, last, visitor));
    case capture::Tag::copy: return as(hand_over<capture::Copy>(frame, last, visitor));
    case capture::Tag::overhead: return as(hand_over<capture::Overhead>(frame, last, visitor));
    case capture::Tag::wait: return as(hand_over<capture::Wait>(frame, last, visitor));
    case capture::Tag::range: return as(hand_over<capture::Range>(frame, last, visitor));
    case capture::Tag::counters: return as(hand_over<capture::Counters>(frame, last, visitor));
    case capture::Tag::loss: return as(hand_over<capture::Loss>(frame, last, visitor));
    case capture::Tag::clock: return as(hand_over<capture::Clock>(frame, last, visitor));
    case capture::Tag::status: return as(hand_over<capture::Status>(frame, last, visitor));
    case capture::Tag::code: return as(hand_over<capture::Code>(frame, last, visitor));
    case capture::Tag::end: return as(hand_over<capture::End>(frame, last, visitor));
    case capture::Tag::graph: return as(hand_over<capture::Graph>(frame, last, visitor));
    case capture::Tag::sample: return as(hand_over<capture::Sample>(frame, last, visitor));
    case capture::Tag::operation: return as(hand_over<capture::Operation>(frame, last, visitor));
    case capture::Tag::summary: return as(hand_over<capture::Summary>(frame, last, visitor));
  }
  return Outcome::unknown;
}

}  // namespace

Checked<CaptureFile> CaptureFile::open(const std::string& path) {
  auto stream = ByteStream::open(path);
  if (!stream) return tl::unexpected(Errors{std::move(stream.error())});
  return open(std::move(*stream));
}

Checked<CaptureFile> CaptureFile::open(const CaptureSource& source) {
  return source.content ? open(ByteStream::of(source.content, source.name)) : open(source.name);
}

Checked<CaptureFile> CaptureFile::open(ByteStream stream) {
  CaptureFile file(std::move(stream));
  std::size_t line_end = 0;
  for (;;) {
    const auto more = file.refill();
    if (!more) return tl::unexpected(Errors{more.error()});
    const std::string_view seen(file.buffer_.data(), file.filled_);
    line_end = seen.find('\n');
    if (line_end != std::string_view::npos || !*more || file.filled_ > kLongestHeader) break;
  }
  const std::string_view line(file.buffer_.data(),
                              std::min({line_end, file.filled_, kLongestHeader}));
  auto header = read_capture_header(line, file.stream_.name());
  if (!header) return tl::unexpected(std::move(header.error()));
  file.header_ = std::move(*header);
  file.taken_ = std::min(line_end == std::string::npos ? file.filled_ : line_end + 1, file.filled_);
  return file;
}

Result<bool> CaptureFile::refill() {
  if (taken_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + taken_, filled_ - taken_);
    filled_ -= taken_;
    taken_ = 0;
  }
  if (buffer_.size() < filled_ + kPiece) buffer_.resize(filled_ + kPiece);
  const auto count = stream_.read(buffer_.data() + filled_, buffer_.size() - filled_);
  if (!count) return tl::unexpected(count.error());
  filled_ += *count;
  return *count > 0;
}

Result<CaptureTally> CaptureFile::read(CaptureVisitor& visitor) {
  CaptureTally tally;
  capture::Last last;
  for (;;) {
    std::string_view rest(buffer_.data() + taken_, filled_ - taken_);
    const auto before = rest.size();
    for (auto frame = capture::next_frame(rest); frame.payload.data() != nullptr;
         frame = capture::next_frame(rest)) {
      ++tally.records;
      tally.ended = tally.ended || frame.tag == static_cast<std::uint8_t>(capture::Tag::end);
      switch (dispatch(frame, last, visitor)) {
        case Outcome::good: break;
        case Outcome::damaged: ++tally.damaged; break;
        case Outcome::unknown: ++tally.unknown[frame.tag]; break;
      }
    }
    taken_ += before - rest.size();
    if (filled_ - taken_ > kLongestRecord) break;
    const auto more = refill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  tally.cut_bytes = filled_ - taken_;
  return tally;
}

namespace {

/// "host.123.rlf", packed or not.
bool is_capture_name(std::string_view name) {
  for (const std::string_view end : {".rlf", ".rlf.gz", ".rlf.zst"})
    if (name.ends_with(end)) return true;
  return false;
}

}  // namespace

Result<std::vector<std::string>> capture_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (is_capture_name(entry->path().filename().string())) files.push_back(entry->path().string());
  if (error)
    return fail(Code::cannot_read, {path, 0, 0, 1, {}, 0},
                fmt::format("cannot read the folder: {}", error.message()));
  if (files.empty())
    return fail(
        Code::empty_input, {path, 0, 0, 1, {}, 0}, "no capture in this folder",
        "captures end in .rlf (.rlf.gz, .rlf.zst): roofline profile --keep DIR -- ./program writes "
        "them; other tools' files are named one by one: DIR/*");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace roofline
