#include "kernel/fatbin.hpp"

#include <algorithm>
#include <cstring>

#ifdef ROOFLINE_ZSTD
#include <zstd.h>
#endif

namespace roofline {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t body_bytes;
};
static_assert(sizeof(Header) == 16);

struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;  // padded
  std::uint32_t packed_bytes, options_at;
  std::uint16_t minor, major;
  std::uint32_t sm;
  std::uint64_t name;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t unpacked_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000,
                        kSmOnly = 0x100000;  // 0x200000 marks sm_100f, which runs like sm_100

/// Cubins of libraries are a few megabytes and shrink to a quarter; larger numbers are damaged, or
/// meant to take all memory.
constexpr std::uint64_t kMaxUnpacked = std::uint64_t{1} << 29, kMaxRatio = 4096;

template <class T>
bool load(std::string_view bytes, std::size_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

FatbinEntry entry_of(const EntryHeader& header, std::string_view payload) {
  FatbinEntry entry;
  entry.kind = header.kind == 1   ? FatbinEntry::Kind::ptx
               : header.kind == 2 ? FatbinEntry::Kind::cubin
                                  : FatbinEntry::Kind::other;
  entry.packing = header.flags & kZstd  ? FatbinEntry::Packing::zstd
                  : header.flags & kLz4 ? FatbinEntry::Packing::lz4
                                        : FatbinEntry::Packing::none;
  entry.sm = header.sm;
  entry.sm_only = (header.flags & kSmOnly) != 0;
  const bool packed = entry.packing != FatbinEntry::Packing::none && header.packed_bytes != 0;
  entry.payload = packed ? payload.substr(0, header.packed_bytes) : payload;
  entry.unpacked_bytes = header.unpacked_bytes;
  return entry;
}

bool read_fatbin(std::string_view body, std::vector<FatbinEntry>& entries) {
  while (!body.empty()) {
    EntryHeader header{};
    if (!load(body, 0, header) || header.header_bytes < sizeof(EntryHeader) ||
        header.header_bytes > body.size() ||
        header.payload_bytes > body.size() - header.header_bytes)
      return false;
    const auto size = static_cast<std::size_t>(header.payload_bytes);
    entries.push_back(entry_of(header, body.substr(header.header_bytes, size)));
    body.remove_prefix(header.header_bytes + size);
  }
  return true;
}

bool unpack_zstd([[maybe_unused]] const FatbinEntry& entry, [[maybe_unused]] std::string& out) {
#ifdef ROOFLINE_ZSTD
  out.resize(static_cast<std::size_t>(entry.unpacked_bytes));
  const auto size =
      ZSTD_decompress(out.data(), out.size(), entry.payload.data(), entry.payload.size());
  return !ZSTD_isError(size) && size == out.size();
#else
  return false;
#endif
}

}  // namespace

bool is_fatbin(std::string_view bytes) {
  std::uint32_t magic = 0;
  return load(bytes, 0, magic) && magic == kMagic;
}

bool read_fatbins(std::string_view bytes, std::vector<FatbinEntry>& entries) {
  constexpr std::size_t kAlignment = 8;
  while (!bytes.empty()) {
    if (!is_fatbin(bytes)) {  // padding between the fatbins of several objects
      bytes.remove_prefix(std::min(kAlignment, bytes.size()));
      continue;
    }
    Header header{};
    if (!load(bytes, 0, header) || header.header_bytes < sizeof(Header) ||
        header.header_bytes > bytes.size())
      return false;
    bytes.remove_prefix(header.header_bytes);
    const bool cut = header.body_bytes > bytes.size();
    const auto body =
        bytes.substr(0, cut ? bytes.size() : static_cast<std::size_t>(header.body_bytes));
    if (!read_fatbin(body, entries) || cut) return false;
    bytes.remove_prefix(body.size());
  }
  return true;
}

bool unpack_lz4(std::string_view packed, std::uint64_t size, std::string& out) {
  out.clear();
  out.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(size, packed.size() * 255ull)));
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(packed[i]); };
  // A length of 15 goes on in further bytes, the last of which is below 255.
  const auto length = [&](std::size_t& value) {
    if (value != 15) return true;
    while (at < packed.size()) {
      const auto more = byte(at++);
      value += more;
      if (more != 255) return value <= size;
    }
    return false;
  };
  while (at < packed.size()) {
    const auto token = byte(at++);
    std::size_t literals = token >> 4, match = token & 15;
    if (!length(literals) || literals > packed.size() - at || literals > size - out.size())
      return false;
    out.append(packed.substr(at, literals));
    at += literals;
    if (at == packed.size()) break;  // the last sequence has no match
    if (packed.size() - at < 2) return false;
    const std::size_t distance = byte(at) | static_cast<std::size_t>(byte(at + 1)) << 8;
    at += 2;
    if (!length(match)) return false;
    match += 4;
    if (distance == 0 || distance > out.size() || match > size - out.size()) return false;
    for (std::size_t from = out.size() - distance; match > 0; --match)
      out.push_back(out[from++]);  // may overlap
  }
  return out.size() == size;
}

std::string_view unpack(const FatbinEntry& entry, std::string& storage, std::string& fault) {
  if (entry.packing == FatbinEntry::Packing::none) return entry.payload;
#ifndef ROOFLINE_ZSTD
  if (entry.packing == FatbinEntry::Packing::zstd) {
    fault = "a part is compressed with zstd, which this build of roofline cannot read";
    return {};
  }
#endif
  const bool sane =
      entry.unpacked_bytes <= std::min(kMaxUnpacked, entry.payload.size() * kMaxRatio);
  const bool done = sane && (entry.packing == FatbinEntry::Packing::lz4
                                 ? unpack_lz4(entry.payload, entry.unpacked_bytes, storage)
                                 : unpack_zstd(entry, storage));
  if (done) return storage;
  fault = "a compressed part is damaged";
  return {};
}

}  // namespace roofline
