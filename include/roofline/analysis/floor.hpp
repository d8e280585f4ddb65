#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "roofline/analysis/ceiling.hpp"
#include "roofline/kernel/kernel.hpp"

namespace roofline {

/// Time that one resource needs for the work asked of it at its ceiling.
struct ResourceTime {
  Ceiling ceiling;
  Count amount;  ///< B, FLOP or operations
  Seconds time;
};

/// floor = max over resources of work / ceiling. For a single kernel, without its launch; nothing that does the work
/// described can be faster.
struct Floor {
  static constexpr std::size_t kMost = 10;
  std::array<ResourceTime, kMost> times;  ///< DRAM first; only resources that are used
  std::size_t count = 0;
  std::size_t limiter = 0;   ///< index of the resource that sets the floor; the first where several tie
  Seconds time;              ///< 0 when the kernel needs nothing
  std::array<Pipe, 4> unrated{};  ///< pipes that the kernel uses and this GPU's table has no rate for
  std::size_t unrated_count = 0;
  bool link_unrated = false;

  std::span<const ResourceTime> resources() const { return {times.data(), count}; }
  const ResourceTime* limiting() const { return count ? &times[limiter] : nullptr; }
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
