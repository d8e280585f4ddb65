#pragma once

#include <cstdint>
#include <vector>

namespace roofline {

/// Where a device waits for launches: stretches in which it idles for a quarter of the time and
/// more while the host is launching (the share from which on a whole run is called overhead-bound).
class LaunchStretches {
 public:
  struct Stretch {
    std::uint64_t start = 0, end = 0;  ///< ns
    std::uint64_t idle = 0;            ///< of them: no kernel or copy, and a launch under way
    std::uint64_t kernels = 0;         ///< that were started in it
  };

  void kernel() { ++kernels_; }
  /// The device had nothing to do from `from` to `to`, for `launching` of it because of launches.
  /// Gaps come in order, each before the kernel that ends it is counted.
  void gap(std::uint64_t from, std::uint64_t to, std::uint64_t launching);
  /// The longest ones by the time that launches cost, at most kKept. No more gaps after this.
  std::vector<Stretch> finish();

  static constexpr std::size_t kKept = 16;

 private:
  void close();

  std::uint64_t kernels_ = 0, kernels_before_ = 0;
  bool open_ = false;
  Stretch stretch_;
  std::vector<Stretch> kept_;
};

}  // namespace roofline
