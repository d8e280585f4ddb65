#include "ingest/formats/json_layout.hpp"

#include <algorithm>

namespace roofline {

int JsonLayout::learn(std::size_t field, std::string_view bytes, std::string_view key) {
  const auto at = std::find(keys_.begin(), keys_.end(), key);
  const int number = at == keys_.end() ? kOther : static_cast<int>(at - keys_.begin());
  if (field >= gaps_.size() || bytes.size() > kReach) return number;
  Gap gap;
  std::array<unsigned char, kReach> mask{};
  std::fill_n(mask.begin(), bytes.size(), static_cast<unsigned char>(0xff));
  std::memcpy(gap.bytes.data(), bytes.data(), bytes.size());
  std::memcpy(gap.mask.data(), mask.data(), kReach);
  gap.size = static_cast<std::uint8_t>(bytes.size());
  gap.key_at = static_cast<std::uint8_t>(key.data() - bytes.data());
  gap.key_size = static_cast<std::uint8_t>(key.size());
  gap.number = number;
  gaps_[field] = gap;
  return number;
}

}  // namespace roofline
