#include "ingest/read_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/base/byte_stream.hpp"

namespace roofline {

Result<std::string> read_text(const std::string& path, std::size_t limit, ImportSink& sink) {
  auto stream = ByteStream::open(path);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  std::string text;
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  for (std::size_t size = 0;;) {
    if (size == text.size()) text.resize(std::max(kFirst, text.size() + text.size() / 2));
    const auto got = stream->read(text.data() + size, text.size() - size);
    if (!got) return tl::unexpected(got.error());
    size += *got;
    if (size > limit)
      return fail(Code::limit_exceeded, {stream->name(), 0, 0, 1, {}, 0},
                  fmt::format("this file has more than {} MiB", limit >> 20),
                  "record less of the program, or a part of it");
    if (*got != 0) continue;
    text.resize(size);
    break;
  }
  if (stream->cut())
    sink.truncated(fmt::format("after {} bytes of its unpacked text", text.size()));
  return text;
}

}  // namespace roofline
