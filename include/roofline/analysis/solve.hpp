#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis/verdict.hpp"
#include "roofline/kernel/kernel_file.hpp"

namespace roofline {

/// What a kernel is at one value of a variable, as far as a crossing can tell two values apart.
struct StateAt {
  std::optional<Side> side;
  Bound bound = Bound::unknown;
  Resource limiter;
  double intensity_over_ridge = 0;  ///< 0 where there is no ridge
  Seconds floor;
  friend bool operator==(const StateAt& a, const StateAt& b) {
    return a.side == b.side && a.bound == b.bound && a.limiter == b.limiter;
  }
};
using StateFunction = std::function<std::optional<StateAt>(Count)>;

/// Two neighbouring integers between which side, bound or limiter changes.
struct Crossing {
  Count from, to;
  StateAt before, after;
  /// Where the intensity meets the ridge between the two, for crossings of the side: by the secant of ridge / intensity
  /// over the reciprocal of the variable, which is exact for the sizes of a product.
  std::optional<double> real_value;
};

struct SolveRange {
  Count lowest = 1, highest = Count(1LL << 40);
};

/// Every crossing in the range, ascending. Up to kEveryInteger values each integer is looked at; beyond, 256 values an
/// octave, each change then found by bisection, so that a change that is undone within 1/256 of an octave can be missed
/// out there. Values at which the kernel cannot be evaluated separate what lies on both sides of them.
inline constexpr long long kEveryInteger = 65'536;
struct Solution {
  std::vector<Crossing> crossings;
  std::optional<StateAt> at_lowest, at_highest;  ///< of what could be evaluated
  bool truncated = false;  ///< more than kMostCrossings
};
inline constexpr std::size_t kMostCrossings = 1000;
Solution solve(const StateFunction& state_at, SolveRange range = {});

/// Kernel `index` of `file` with one variable of `params:`, or a size of the op where the file has no variables.
StateFunction state_of(const KernelFile& file, Count point, std::size_t index, const std::string& variable,
                       const Ceilings& ceilings);

/// What a GPU would need so that the floor of a kernel is `target`: each resource alone at least this rate.
struct Need {
  Ceiling ceiling;
  double required = 0;  ///< B/s, FLOP/s or op/s
  double ratio = 0;     ///< required / ceiling; above 1 the present GPU is too slow
};
std::vector<Need> needed_for(const Verdict& verdict, Seconds target);

}  // namespace roofline
