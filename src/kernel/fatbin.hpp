#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// NVIDIA's container of code for several architectures. The layout has no public description: it
/// was read from what fatbinary 11.8 to 13.0 writes (docs/machine-code.md).
struct FatbinEntry {
  enum class Kind { ptx, cubin, other };
  enum class Packing { none, lz4, zstd };
  Kind kind = Kind::other;
  Packing packing = Packing::none;
  unsigned sm = 0;
  bool sm_only = false;
  std::string_view payload;          ///< as it stands in the file
  std::uint64_t unpacked_bytes = 0;  ///< of a packed payload
};

bool is_fatbin(std::string_view bytes);

/// Entries of all fatbins that follow one another in `bytes`, padding skipped. False: the last one
/// is cut off or damaged; what came before it is in `entries`.
bool read_fatbins(std::string_view bytes, std::vector<FatbinEntry>& entries);

/// The payload, unpacked into `storage` where it is packed. Empty with `fault` set where that
/// cannot be done.
std::string_view unpack(const FatbinEntry& entry, std::string& storage, std::string& fault);

/// An LZ4 block of exactly `size` bytes. False: damaged.
bool unpack_lz4(std::string_view packed, std::uint64_t size, std::string& out);

}  // namespace roofline
