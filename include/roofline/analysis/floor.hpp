#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// Time that one resource needs for the work asked of it at its ceiling.
struct ResourceTime {
  Ceiling ceiling;
  Count amount;  ///< B, FLOP or operations
  Seconds time;
};

/// The times of a kernel's resources, in place. There is room for every datapath, but a copy moves only what is used: a
/// sweep copies a million of them a second.
class ResourceTimes {
 public:
  /// DRAM, links of two kinds, special functions, integers, and a tensor and a vector unit for every type.
  static constexpr std::size_t kMost = 5 + 2 * kRateTypes;

  ResourceTimes() {}  // NOLINT: leaves the room as it is
  ResourceTimes(const ResourceTimes& other) : size_(other.size_) { std::copy_n(other.begin(), size_, items_.begin()); }
  ResourceTimes& operator=(const ResourceTimes& other) {
    size_ = other.size_;
    std::copy_n(other.begin(), size_, items_.begin());
    return *this;
  }

  void push_back(const ResourceTime& item) { std::construct_at(&items_[size_++], item); }  ///< size() < kMost
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ResourceTime& operator[](std::size_t i) { return items_[i]; }
  const ResourceTime& operator[](std::size_t i) const { return items_[i]; }
  ResourceTime* begin() { return items_.data(); }
  ResourceTime* end() { return begin() + size_; }
  const ResourceTime* begin() const { return items_.data(); }
  const ResourceTime* end() const { return begin() + size_; }

 private:
  static_assert(std::is_trivially_copyable_v<ResourceTime> && std::is_trivially_destructible_v<ResourceTime>);
  std::size_t size_ = 0;
  union {
    std::array<ResourceTime, kMost> items_;  // only the first size_ are there
  };
};

/// floor = max over resources of work / ceiling. For a single kernel, without its launch; nothing that does the work
/// described can be faster.
struct Floor {
  ResourceTimes times;       ///< DRAM first; only resources that are used
  std::size_t limiter = 0;   ///< index of the resource that sets the floor; the first where several tie
  Seconds time;              ///< 0 when the kernel needs nothing
  std::array<Pipe, ResourceTimes::kMost> unrated{};  ///< pipes that the kernel uses and this GPU's table has no rate for
  std::size_t unrated_count = 0;
  bool link_unrated = false;

  std::span<const ResourceTime> resources() const { return {times.begin(), times.size()}; }
  const ResourceTime* limiting() const { return times.empty() ? nullptr : &times[limiter]; }
  const ResourceTime* find(Resource resource) const;
  Seconds dram() const;     ///< 0 when no byte moves
  Seconds compute() const;  ///< the slowest datapath; 0 when there is none
  const ResourceTime* slowest_pipe() const;
};

/// The floor of `kernel` on the machine. Errors: no_rate when the headline datapath is a tensor unit that the GPU lacks
/// (with what it has); other missing rates are listed in the floor.
Result<Floor> time_floor(const Kernel& kernel, const Ceilings& ceilings);

/// peak of the headline pipe / DRAM bandwidth (FLOP/B), and how an intensity compares with it: exactly, by integer
/// cross-multiplication. N = 885 and N = 887 of a square bf16 GEMM lie on different sides of H100's ridge.
Intensity ridge_point(const Ceiling& compute, const Ceiling& dram);
std::strong_ordering compare_with_ridge(const Work& work, const Ceiling& compute, const Ceiling& dram);

}  // namespace roofline
