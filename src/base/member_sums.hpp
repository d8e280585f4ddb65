#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace roofline {

/// Where a member of a packed file ends, and what the CRC-32 of its content has to be.
struct MemberEnd {
  std::uint64_t at = 0;      ///< unpacked bytes of all members up to here
  std::uint64_t offset = 0;  ///< of the packed file
  std::uint32_t sum = 0;
};

/// Sums up what was unpacked. Where a member ends may be told later than its last bytes.
class MemberSums {
 public:
  static std::uint32_t sum_of(std::string_view bytes);

  /// The next bytes, and the next ends. How many of the bytes are good: all, or those up to the
  /// end of the first member that is wrong(). `sum` is sum_of(bytes), where that is known.
  std::size_t take(std::string_view bytes, std::vector<MemberEnd> ends,
                   std::optional<std::uint32_t> sum = {});
  const std::optional<MemberEnd>& wrong() const { return wrong_; }

 private:
  std::deque<MemberEnd> ends_;
  std::uint64_t at_ = 0;
  std::uint32_t sum_ = 0;
  std::optional<MemberEnd> wrong_;
};

}  // namespace roofline
