#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace roofline {

/// How a writer lays out objects of one kind: the bytes between their values, which are the same
/// from object to object. A walk that is given a layout compares them instead of taking them apart
/// again: the same bytes mean the same key. Where they differ it walks as ever and learns them.
class JsonLayout {
 public:
  static constexpr int kOther = -1;          ///< the number of a key that is not known
  static constexpr std::size_t kReach = 32;  ///< bytes that match() looks at

  /// `keys`: those that have a number, which is their place here. They must outlive this.
  explicit JsonLayout(std::span<const std::string_view> keys) : keys_(keys) {}

  /// What stands before a value: a comma, the key, a colon, and the space around them.
  struct Gap {
    std::array<std::uint64_t, kReach / 8> bytes{}, mask{};
    std::uint8_t size = 0, key_at = 0, key_size = 0;
    int number = kOther;
  };
  /// The gap before the value of the object's `field`th key if `text`, of which kReach bytes can be
  /// read, begins with it; nullptr where it does not.
  const Gap* match(std::size_t field, const char* text) const {
    if (field >= gaps_.size() || gaps_[field].size == 0) return nullptr;
    const auto& gap = gaps_[field];
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < gap.bytes.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, text + 8 * i, 8);
      differing |= (word ^ gap.bytes[i]) & gap.mask[i];
    }
    return differing == 0 ? &gap : nullptr;
  }
  /// Notes that the gap before the `field`th value is `bytes`, the key in it `key`. The key's
  /// number.
  int learn(std::size_t field, std::string_view bytes, std::string_view key);

 private:
  std::span<const std::string_view> keys_;
  std::array<Gap, 24> gaps_{};  // more keys have the objects of no profiler
};

}  // namespace roofline
