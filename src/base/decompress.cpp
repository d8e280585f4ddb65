#include "base/decompress.hpp"

#include <fmt/format.h>
#include <zlib.h>
#ifdef ROOFLINE_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <limits>

#include "base/zip_header.hpp"
#include "roofline/base/text.hpp"

namespace roofline {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInput = std::size_t{64} << 10;
constexpr int kAnyWindow = 15, kGzip = 16;  // of zlib: the largest window; gzip's header, no other

/// zlib's state. `window`: as inflateInit2() takes it.
class Inflater {
 public:
  explicit Inflater(int window) : good_(::inflateInit2(&stream_, window) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (good_) ::inflateEnd(&stream_);
  }

  bool ready() const { return good_; }
  void restart() { ::inflateReset(&stream_); }
  const char* message() const { return stream_.msg ? stream_.msg : "out of memory"; }

  /// Z_OK, Z_STREAM_END, Z_BUF_ERROR or what is wrong.
  int run(std::string_view in, char* out, std::size_t room, std::size_t& taken, std::size_t& made) {
    constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
    const auto given = static_cast<unsigned>(std::min(in.size(), kMost)),
               space = static_cast<unsigned>(std::min(room, kMost));
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = space;
    const int state = ::inflate(&stream_, Z_NO_FLUSH);
    taken = given - stream_.avail_in;
    made = space - stream_.avail_out;
    return state;
  }

 private:
  z_stream stream_{};
  bool good_;
};

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    if (!inflater_.ready()) return unreadable("there is no memory to undo gzip");
    if (at_member_ && members_ > 0) {
      // Archivers fill the last block of a tape, and some writers a page, with zeros.
      const auto zeros = std::min(in.find_first_not_of('\0'), in.size());
      if (zeros > 0) {
        padded_ = true;
        return Step{zeros, 0};
      }
      if (padded_) return damaged("bytes after the end of the gzip data");
      inflater_.restart();
    }
    at_member_ = false;
    Step step;
    const int state = inflater_.run(in, out, room, step.taken, step.made);
    if (state == Z_STREAM_END) {
      ++members_;
      at_member_ = true;
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return damaged(fmt::format("damaged gzip data ({})", inflater_.message()), step.taken);
    }
    return step;
  }
  bool complete() const override { return at_member_; }

  Inflater inflater_{kAnyWindow + kGzip};
  std::uint64_t members_ = 0;
  bool at_member_ = false, padded_ = false;
};

#ifdef ROOFLINE_ZSTD
/// A window of 2 GiB is what `zstd --long=31` asks of its readers; 128 MiB is what it reads
/// unasked.
constexpr int kZstdWindowLog = 27;

struct ZstdStream {
  ZSTD_DStream* stream = ::ZSTD_createDStream();
  ZstdStream() {
    if (stream) ::ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, kZstdWindowLog);
  }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;
  ~ZstdStream() { ::ZSTD_freeDStream(stream); }

  /// The number that ZSTD_decompressStream() gives: 0 at the end of a frame.
  std::size_t run(std::string_view in, char* out, std::size_t room, std::size_t& taken,
                  std::size_t& made) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    const auto state = ::ZSTD_decompressStream(stream, &to, &from);
    taken = from.pos;
    made = to.pos;
    return state;
  }
};

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    if (!zstd_.stream) return unreadable("there is no memory to undo zstd");
    Step step;
    const auto state = zstd_.run(in, out, room, step.taken, step.made);
    if (::ZSTD_isError(state))
      return damaged(fmt::format("damaged zstd data ({})", ::ZSTD_getErrorName(state)), step.taken);
    at_frame_ = state == 0;
    return step;
  }
  bool complete() const override { return at_frame_; }

  ZstdStream zstd_;
  bool at_frame_ = false;
};
#endif

class ZipUnpacker final : public Unpacker {
 public:
  ZipUnpacker(std::string name, Source source) : Unpacker(std::move(name), std::move(source)) {}

 private:
  enum class Place { header, content, trailer, end };

  Result<Step> step(std::string_view in, char* out, std::size_t room) override {
    switch (place_) {
      case Place::header: return read_header(in);
      case Place::content: return read_content(in, out, room);
      case Place::trailer: return read_trailer(in);
      case Place::end: break;
    }
    return Step{};
  }
  bool complete() const override { return place_ == Place::end; }
  bool finished() const override { return complete(); }

  Result<Step> read_header(std::string_view in) {
    const auto taken = header_.take(in);
    if (!header_.problem().empty()) return damaged(header_.problem(), taken);
    if (!header_.complete()) return Step{taken, 0};
    if (header_.encrypted()) return unreadable("this zip archive is encrypted");
    left_ = header_.packed_size();
    sum_ = static_cast<std::uint32_t>(::crc32(0, nullptr, 0));
    made_ = 0;
    switch (header_.method()) {
      case ZipHeader::kStored:
        if (header_.sizes_follow())
          return unreadable("the first file of this zip archive is stored without its length");
        break;
      case ZipHeader::kDeflated: inflater_ = std::make_unique<Inflater>(-kAnyWindow); break;
#ifdef ROOFLINE_ZSTD
      case ZipHeader::kZstd: zstd_ = std::make_unique<ZstdStream>(); break;
#endif
      default:
        return unreadable(fmt::format("the first file of this zip archive is packed by method {}, "
                                      "which is not read",
                                      header_.method()),
                          "deflate is read: zip writes it unless told otherwise");
    }
    place_ = Place::content;
    if (header_.method() == ZipHeader::kStored && left_ == 0) close_member();
    return Step{taken, 0};
  }

  Result<Step> read_content(std::string_view in, char* out, std::size_t room) {
    Step step;
    bool ended = false;
    if (header_.method() == ZipHeader::kStored) {
      step.taken = step.made = std::min<std::uint64_t>({in.size(), room, left_});
      std::copy_n(in.data(), step.taken, out);
      left_ -= step.taken;
      ended = left_ == 0;
    } else if (inflater_) {
      if (!inflater_->ready()) return unreadable("there is no memory to undo zip");
      const int state = inflater_->run(in, out, room, step.taken, step.made);
      if (state != Z_OK && state != Z_BUF_ERROR && state != Z_STREAM_END)
        return damaged(fmt::format("damaged zip data ({})", inflater_->message()), step.taken);
      ended = state == Z_STREAM_END;
    }
#ifdef ROOFLINE_ZSTD
    else {
      const auto state = zstd_->run(in, out, room, step.taken, step.made);
      if (::ZSTD_isError(state))
        return damaged(fmt::format("damaged zip data ({})", ::ZSTD_getErrorName(state)),
                       step.taken);
      ended = state == 0;
    }
#endif
    sum_ =
        static_cast<std::uint32_t>(::crc32_z(sum_, reinterpret_cast<const Bytef*>(out), step.made));
    made_ += step.made;
    if (!ended) return step;
    if (header_.sizes_follow()) {
      place_ = Place::trailer;
    } else {
      if (sum_ != header_.sum() || made_ != header_.size())
        return damaged("damaged zip data (its checksum or length is another)", step.taken);
      close_member();
    }
    return step;
  }

  Result<Step> read_trailer(std::string_view in) {
    const auto taken = trailer_.take(in);
    if (!trailer_.complete()) return Step{taken, 0};
    if (trailer_.sum() != sum_) return damaged("damaged zip data (its checksum is another)", taken);
    close_member();
    return Step{taken, 0};
  }

  /// A folder comes before what it holds.
  void close_member() {
    place_ = header_.is_folder() ? Place::header : Place::end;
    header_ = {};
    trailer_ = {};
    inflater_.reset();
  }

  Place place_ = Place::header;
  ZipHeader header_;
  ZipTrailer trailer_;
  std::unique_ptr<Inflater> inflater_;
#ifdef ROOFLINE_ZSTD
  std::unique_ptr<ZstdStream> zstd_;
#endif
  std::uint64_t left_ = 0, made_ = 0;
  std::uint32_t sum_ = 0;
};

}  // namespace

Packing packing_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b\x08"sv)) return Packing::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Packing::zstd;
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18"sv)
    return Packing::zstd;  // a skippable frame first: parallel and seekable writers
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv)) return Packing::zip;
  return Packing::none;
}

Unpacker::Unpacker(std::string name, Source source)
    : name_(std::move(name)), source_(std::move(source)), input_(kInput, '\0') {}

Result<std::unique_ptr<Unpacker>> Unpacker::create(Packing packing, std::string name,
                                                   Source source) {
  switch (packing) {
    case Packing::gzip: return std::make_unique<GzipUnpacker>(std::move(name), std::move(source));
    case Packing::zip: return std::make_unique<ZipUnpacker>(std::move(name), std::move(source));
    case Packing::zstd:
#ifdef ROOFLINE_ZSTD
      return std::make_unique<ZstdUnpacker>(std::move(name), std::move(source));
#else
      return fail(Code::cannot_read, {name, 0, 0, 1, {}, 0}, "this roofline was built without zstd",
                  "unpack it first: zstd -dc FILE | roofline ... -");
#endif
    case Packing::none: break;
  }
  return fail(Code::internal, {name, 0, 0, 1, {}, 0}, "a packing that nobody undoes");
}

tl::unexpected<Error> Unpacker::damaged(std::string_view what, std::uint64_t ahead) const {
  return unreadable(fmt::format("{} at byte {} of the file", what, offset_ + ahead),
                    "what comes after it cannot be read: copy the file again from where it is "
                    "whole");
}

tl::unexpected<Error> Unpacker::unreadable(std::string what, std::string hint) const {
  return fail(Code::cannot_read, {name_, 0, 0, 1, {}, 0}, std::move(what), std::move(hint));
}

Result<std::size_t> Unpacker::read(char* into, std::size_t room) {
  std::size_t used = 0;
  while (used < room && !finished() && !cut_ && !failed_) {
    if (begin_ == end_ && !source_ended_) {
      if (used > 0) break;  // hand over what there is before waiting for more
      const auto got = source_(input_.data(), input_.size());
      if (!got) return tl::unexpected(got.error());
      begin_ = 0;
      end_ = *got;
      source_ended_ = *got == 0;
    }
    const std::string_view in(input_.data() + begin_, end_ - begin_);
    if (in.empty() && complete()) break;
    auto done = step(in, into + used, room - used);
    if (!done) {
      failed_ = std::move(done.error());
      break;
    }
    begin_ += done->taken;
    offset_ += done->taken;
    made_ += done->made;
    used += done->made;
    cut_ = in.empty() && done->made == 0 && !complete();
    if (made_ > kFreeBytes && made_ / kMostRatio > offset_)
      failed_ = Error{Code::limit_exceeded,
                      {name_, 0, 0, 1, {}, 0},
                      fmt::format("{} packed bytes became {}: more than {} times as many", offset_,
                                  made_, kMostRatio),
                      "a file made to fill memory or disk looks like this",
                      {}};
  }
  if (used == 0 && failed_) return tl::unexpected(*failed_);
  return used;
}

}  // namespace roofline
