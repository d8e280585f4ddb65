#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace roofline {

/// 128 bits that stand for a text, so that long texts are kept once or not at all. Not for texts
/// that were made to collide: two of them would be taken for one.
struct Fingerprint {
  std::uint64_t low = 0x9e3779b97f4a7c15, high = 0xd1b54a32d192ed03;

  bool operator==(const Fingerprint&) const = default;

  /// Texts that are added one after another do not run into each other.
  void add(std::string_view text) {
    const char* at = text.data();
    auto left = text.size();
    for (; left >= 16; left -= 16, at += 16) add(word(at), word(at + 8));
    if (left >= 8)  // the last bytes twice rather than a copy of so many: the length is added too
      add(word(at), word(at + left - 8));
    else if (left >= 4)
      add(half(at), half(at + left - 4));
    else if (left > 0)
      add(byte(at) << 16 | byte(at + left / 2) << 8 | byte(at + left - 1), 0);
    add(text.size(), 1);
  }
  void add(std::uint64_t value) { add(value, 2); }

  struct Hash {
    std::size_t operator()(const Fingerprint& f) const { return static_cast<std::size_t>(f.low); }
  };

 private:
  void add(std::uint64_t a, std::uint64_t b) {
    low = mixed(low ^ a, 0xa0761d6478bd642f ^ b);
    high = mixed(high ^ b, 0xe7037ed1a0b428db ^ a) + low;
  }
  static std::uint64_t word(const char* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static std::uint64_t half(const char* at) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static std::uint64_t byte(const char* at) { return static_cast<unsigned char>(*at); }
  /// Both halves of a product, so that every bit of `a` reaches every bit of the result.
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

}  // namespace roofline
