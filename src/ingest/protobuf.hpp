#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace roofline {

/// The fields of one message in protobuf's wire format, in the order of the bytes, without a
/// description of the message: https://protobuf.dev/programming-guides/encoding. Nothing is copied
/// and nothing is trusted: a length past the end, a varint of more than ten bytes or a group ends
/// the walk, and damaged() says so.
class ProtobufFields {
 public:
  enum Wire : unsigned { varint = 0, fixed64 = 1, bytes_ = 2, fixed32 = 5 };
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  /// The next field. False: the end, or damage.
  bool next() {
    if (rest_.empty() || damaged_) return false;
    const auto key = read_varint();
    field_ = static_cast<std::uint32_t>(key >> 3);
    wire_ = static_cast<unsigned>(key & 7);
    text_ = {};
    number_ = 0;
    switch (wire_) {
      case varint: number_ = read_varint(); break;
      case fixed64: number_ = read_fixed(8); break;
      case fixed32: number_ = read_fixed(4); break;
      case bytes_: {
        const auto size = read_varint();
        if (size > rest_.size()) {
          damaged_ = true;
          break;
        }
        text_ = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(text_.size());
        break;
      }
      default: damaged_ = true;
    }
    return !damaged_;
  }

  std::uint32_t field() const { return field_; }
  bool is_bytes() const { return wire_ == bytes_; }
  std::string_view bytes() const { return text_; }  ///< of a string or a message; else empty
  std::uint64_t number() const { return number_; }  ///< of a varint or a fixed one; else 0
  /// A double or a float, as the wire says; a varint as it is.
  double real() const {
    if (wire_ == fixed64) return std::bit_cast<double>(number_);
    if (wire_ == fixed32)
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(number_)));
    return static_cast<double>(number_);
  }
  bool damaged() const { return damaged_; }

 private:
  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
    damaged_ = true;
    return 0;
  }
  std::uint64_t read_fixed(std::size_t size) {
    if (rest_.size() < size) {
      damaged_ = true;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(size);
    return value;
  }

  friend class ProtobufVarints;
  std::string_view rest_, text_;
  std::uint32_t field_ = 0;
  unsigned wire_ = 0;
  std::uint64_t number_ = 0;
  bool damaged_ = false;
};

/// The numbers of a packed repeated field.
class ProtobufVarints {
 public:
  explicit ProtobufVarints(std::string_view packed) : walk_(packed) {}
  bool next() {  ///< false: the end, or damage
    if (walk_.rest_.empty()) return false;
    number_ = walk_.read_varint();
    return !walk_.damaged_;
  }
  std::uint64_t number() const { return number_; }

 private:
  ProtobufFields walk_;
  std::uint64_t number_ = 0;
};

}  // namespace roofline
