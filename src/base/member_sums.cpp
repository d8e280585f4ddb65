#include "base/member_sums.hpp"

#include <zlib.h>

namespace roofline {

std::uint32_t MemberSums::sum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::size_t MemberSums::take(std::string_view bytes, std::vector<MemberEnd> ends,
                             std::optional<std::uint32_t> sum) {
  if (wrong_) return 0;
  ends_.insert(ends_.end(), ends.begin(), ends.end());
  std::size_t good = 0;
  const auto add = [&](std::size_t count) {
    const auto more = sum && count == bytes.size() ? *sum : sum_of(bytes.substr(good, count));
    sum_ = static_cast<std::uint32_t>(::crc32_combine(sum_, more, static_cast<z_off_t>(count)));
    good += count;
    at_ += count;
  };
  while (!ends_.empty() && ends_.front().at - at_ <= bytes.size() - good) {
    add(ends_.front().at - at_);
    if (sum_ != ends_.front().sum) {
      wrong_ = ends_.front();
      return good;
    }
    sum_ = 0;
    ends_.pop_front();
  }
  add(bytes.size() - good);
  return good;
}

}  // namespace roofline
