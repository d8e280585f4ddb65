#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/base/error.hpp"
#include "roofline/kernel/launch_recipe.hpp"
#include "roofline/kernel/op.hpp"
#include "roofline/kernel/work.hpp"
#include "roofline/quantities/quantity.hpp"

namespace roofline {

/// How a time was taken; decides which launch floor lies in it.
enum class Timing { unknown, stream, kernel, event, graph, e2e };
std::string_view timing_name(Timing timing);
std::optional<Timing> find_timing(std::string_view name);

/// Thread-block tile of a matrix product (docs/model.md, tiles and waves).
struct Tile {
  Count bm, bn, bk = 0, stages = 1, ctas_per_sm = 1;
  Count group_m = 0, group_n = 0;  ///< tiles of one wave that share their K-slices in L2; 0: not given
};

/// Which launches of a profile or trace an entry stands for: all that is given must hold.
struct Match {
  std::string name;   ///< the canonical function name, whole
  std::string regex;  ///< found somewhere in the demangled name
  std::string glob;   ///< the whole canonical function name
  std::vector<std::uint64_t> grid, block;  ///< up to three sizes, the missing ones 1; empty: any
};

/// An operand of a kernel bound to a tensor that several kernels share.
struct TensorUse {
  std::string operand, tensor;
  bool reads = false, writes = false;
};

/// One described unit of work, every expression evaluated.
struct Kernel {
  std::string name;
  const OpEntry* op = nullptr;
  OpInput input;  ///< what the op's model was given; solving for a parameter evaluates it again
  Work work;
  Location where;
  Count repeat = 1;
  std::optional<Tile> tile;
  std::optional<Seconds> time;
  Count samples = 1;  ///< runs that `time` is the median of
  Timing timing = Timing::unknown;
  std::optional<Count> working_set;  ///< distinct bytes that the measuring loop touches; absent: what the kernel moves
  std::optional<Seconds> launch_cost;
  bool mma_sync = false;  ///< `path: mma_sync`
  std::string link;       ///< `link: nvlink | pcie | c2c`, empty: by the op
  std::optional<Match> match;
  std::vector<TensorUse> tensors;
  std::vector<LaunchRecipe> launch;  ///< `launch:`, one or none: a list, because almost no kernel has one
};

/// A tensor shared by name between kernels.
struct SharedTensor {
  std::string name;
  std::vector<Count> shape;
  DType dtype = DType::fp32;
  bool intermediate = false;
  Count bytes;
  Location where;
};

/// A named value of one point of a sweep.
using Binding = std::pair<std::string, Count>;

/// Kernels in order: one point of a description. Repeats are counts, not copies.
struct Workload {
  std::vector<Binding> point;   ///< the swept variables of this point, in declaration order
  std::vector<Kernel> kernels;
  std::vector<SharedTensor> tensors;

  // What KernelFile::evaluate() keeps for the next point. A workload that was changed by hand is filled anew after
  // `filled_by` is set to 0.
  std::uint64_t filled_by = 0;  ///< the description that it was filled from
  std::vector<Count> values;    ///< of every variable, in declaration order
};

}  // namespace roofline
