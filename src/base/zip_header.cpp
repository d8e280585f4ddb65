#include "base/zip_header.hpp"

#include <algorithm>

namespace roofline {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMark = 4;             // "PK" and what comes
constexpr std::size_t kFixed = 30;           // bytes of a header before its name
constexpr std::uint32_t kIn64 = 0xffffffff;  // the size stands in the Zip64 field
constexpr std::uint64_t kZip64 = 1;          // id of that field

/// A little-endian number of `count` bytes; 0 past the end.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  if (at + count > bytes.size()) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

std::size_t ZipHeader::wanted() const {
  if (bytes_.size() < kMark) return kMark;
  if (bytes_.size() < kFixed) return kFixed;
  return kFixed + number(bytes_, 26, 2) + number(bytes_, 28, 2);
}

std::size_t ZipHeader::take(std::string_view in) {
  std::size_t taken = 0;
  while (taken < in.size() && !complete_) {
    const auto count = std::min(in.size() - taken, wanted() - bytes_.size());
    bytes_ += in.substr(taken, count);
    taken += count;
    if (bytes_.size() >= kMark && !std::string_view(bytes_).starts_with("PK\x03\x04"sv)) {
      const auto kind = std::string_view(bytes_).substr(0, kMark);
      problem_ = kind == "PK\x01\x02"sv || kind == "PK\x05\x06"sv
                     ? "there is no file in this zip archive: it ends"sv
                     : "damaged zip data (no member begins)"sv;
      return taken;
    }
    if (bytes_.size() == wanted() && bytes_.size() >= kFixed) read();
  }
  return taken;
}

void ZipHeader::read() {
  flags_ = static_cast<unsigned>(number(bytes_, 6, 2));
  method_ = static_cast<unsigned>(number(bytes_, 8, 2));
  sum_ = static_cast<std::uint32_t>(number(bytes_, 14, 4));
  packed_size_ = number(bytes_, 18, 4);
  size_ = number(bytes_, 22, 4);
  const auto name = number(bytes_, 26, 2);
  name_ = bytes_.substr(kFixed, name);
  folder_ = name_.ends_with('/');
  for (auto at = kFixed + name; at + 4 <= bytes_.size();) {
    const auto id = number(bytes_, at, 2), length = number(bytes_, at + 2, 2);
    at += 4;
    if (id == kZip64) {
      auto field = at;
      for (auto* size : {&size_, &packed_size_}) {
        if (*size != kIn64) continue;
        *size = number(bytes_, field, 8);
        field += 8;
      }
    }
    at += length;
  }
  complete_ = true;
}

bool ZipTrailer::marked() const { return std::string_view(bytes_).starts_with("PK\x07\x08"sv); }

bool ZipTrailer::complete() const {
  constexpr std::size_t kMark = 4, kNumbers = 12;
  return bytes_.size() >= kNumbers + (marked() ? kMark : 0);
}

std::size_t ZipTrailer::take(std::string_view in) {
  std::size_t taken = 0;
  for (; taken < in.size() && !complete(); ++taken) bytes_ += in[taken];
  return taken;
}

std::uint32_t ZipTrailer::sum() const {
  return static_cast<std::uint32_t>(number(bytes_, marked() ? 4 : 0, 4));
}

}  // namespace roofline
