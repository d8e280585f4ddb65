#pragma once

#include <zlib.h>
#ifdef ROOFLINE_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "base/decompress.hpp"

/// What the unpackers of decompress.hpp are made of: the streams of zlib and zstd, and those that
/// have files of their own.
namespace roofline {

std::unique_ptr<Unpacker> make_zip_unpacker(std::string name, Unpacker::Source source);
/// Not packed, but no UTF-8 either: text with the byte order mark of UTF-16 becomes UTF-8 without
/// one. Halves of pairs become U+FFFD.
std::unique_ptr<Unpacker> make_utf16_decoder(std::string name, Unpacker::Source source);

inline constexpr int kAnyWindow = 15,
                     kGzip = 16;  // of zlib: the largest window; gzip's header, no other

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
  /// Somebody else sums up what gzip's trailer tells.
  void leave_sums() { ::inflateValidate(&stream_, 0); }
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

/// What stands behind a gzip member: its sum and its length modulo 2^32.
/// Source: RFC 1952, section 2.3.1.
class GzipTrailer {
 public:
  /// Bytes of a member, the last of which are its trailer.
  void take(std::string_view bytes) {
    bytes.remove_prefix(bytes.size() - std::min(bytes.size(), std::size_t{8}));
    for (const char byte : bytes)
      last_ = last_ >> 8U | std::uint64_t{static_cast<unsigned char>(byte)} << 56U;
  }
  std::uint32_t sum() const { return static_cast<std::uint32_t>(last_); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(last_ >> 32U); }

 private:
  std::uint64_t last_ = 0;  // little-endian
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

#endif

}  // namespace roofline
