#include "roofline/base/archive.hpp"

namespace roofline {
namespace {

// One byte of kind, then: a scalar's length and bytes; a list's length and items; a map's length
// and its keys and values in turn. Lengths are in groups of seven bits, lowest first, the top bit
// saying that more follow.

constexpr unsigned char kKindBits = 3;
constexpr unsigned char kQuoted = 4;
constexpr int kDeepest = 1000;  ///< deeper than any tree that read_yaml makes

void put_length(std::size_t length, std::string& out) {
  constexpr std::size_t kMore = 0x80;
  for (; length >= kMore; length >>= 7) out += static_cast<char>(kMore | (length & 0x7F));
  out += static_cast<char>(length);
}

void put(const YamlNode& node, std::string& out) {
  out += static_cast<char>(static_cast<unsigned char>(node.kind) | (node.quoted ? kQuoted : 0));
  if (node.is_scalar()) {
    put_length(node.text.size(), out);
    out += node.text;
    return;
  }
  if (node.is_null()) return;
  put_length(node.items.size(), out);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.is_map()) put(node.keys[i], out);
    put(node.items[i], out);
  }
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  bool read(YamlNode& node, int depth) {
    if (at_ == bytes_.size() || depth > kDeepest) return false;
    const auto head = static_cast<unsigned char>(bytes_[at_++]);
    if (head > (kKindBits | kQuoted)) return false;
    node.kind = static_cast<YamlNode::Kind>(head & kKindBits);
    node.quoted = (head & kQuoted) != 0;
    switch (node.kind) {
      case YamlNode::Kind::null: return true;
      case YamlNode::Kind::scalar: return read_text(node.text);
      case YamlNode::Kind::list:
      case YamlNode::Kind::map: return read_items(node, depth);
    }
    return false;
  }

  bool at_end() const { return at_ == bytes_.size(); }

 private:
  bool read_length(std::size_t& length) {
    length = 0;
    constexpr int kBits = 35;  // more than any archive has bytes
    for (int shift = 0; shift < kBits && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      length |= static_cast<std::size_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return length <= bytes_.size() - at_;
    }
    return false;
  }

  bool read_text(std::string& text) {
    std::size_t length = 0;
    if (!read_length(length)) return false;
    text.assign(bytes_, at_, length);
    at_ += length;
    return true;
  }

  bool read_items(YamlNode& node, int depth) {
    std::size_t count = 0;
    if (!read_length(count)) return false;
    // Every node takes a byte, so all counts together cannot pass the size: no lie makes us reserve
    // more than that.
    claimed_ += node.is_map() ? 2 * count : count;
    if (claimed_ > bytes_.size()) return false;
    node.items.resize(count);
    if (node.is_map()) node.keys.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (node.is_map() && !(read(node.keys[i], depth + 1) && node.keys[i].is_scalar()))
        return false;
      if (!read(node.items[i], depth + 1)) return false;
    }
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0, claimed_ = 0;
};

}  // namespace

std::string pack(const YamlNode& node) {
  std::string out;
  put(node, out);
  return out;
}

Result<YamlNode> unpack(std::string_view bytes) {
  YamlNode root;
  Unpacker unpacker(bytes);
  if (unpacker.read(root, 0) && unpacker.at_end()) return root;
  return fail(Code::internal, {}, "the packed tree is damaged");
}

}  // namespace roofline
