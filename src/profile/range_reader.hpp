#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/correlation.hpp"
#include "profile/launched_kernels.hpp"
#include "profile/timeline.hpp"
#include "roofline/kernel/profiled.hpp"
#include "roofline/profile/capture_file.hpp"

namespace roofline {

/// An NVTX range of one thread; of thread 0: it has what all threads launch in its time.
struct NamedRange {
  std::string name;
  std::uint64_t thread = 0, start = 0, end = 0;
};

/// Puts the launches of one capture into the ranges around the calls that enqueued them: a second
/// visitor, since a range is written when it ends, after what it holds. Ranges nest; a launch is in
/// all of those around it. Nodes of a graph are where the graph was launched.
class RangeReader final : public CaptureVisitor {
 public:
  RangeReader(std::vector<NamedRange> ranges, LaunchedKernels kernels);
  static constexpr std::uint32_t kNoKernel = LaunchedKernels::kNone;

  void record(const capture::Launch& launch) override;
  void record(const capture::Graph& graph) override;
  void record(const capture::Api& api) override;

  /// Adds what was found to the ranges of a profile, in the given run, and the ranges' names to the kernels in them.
  void finish(std::vector<ProfiledRange>& ranges, std::size_t run, std::vector<ProfiledKernel>& seen);

 private:
  struct Kernel {
    std::uint64_t start = 0, end = 0;
    std::uint32_t index = kNoKernel;
  };
  struct Instance {
    std::uint64_t launches = 0, first = 0, busy_until = 0, busy = 0;
  };
  /// A stretch of a thread's time with the ranges that are open in it.
  struct Stretch {
    std::uint64_t start = 0;
    std::vector<std::uint32_t> open;  // indices into ranges_
  };
  void make_stretches(std::uint64_t thread, std::vector<std::uint32_t>& indices);
  void put(const Kernel& kernel, std::uint64_t thread, std::uint64_t call_start);
  void put_into(const Kernel& kernel, std::uint64_t thread, std::uint64_t call_start);
  void take(const Interval& interval);

  std::vector<NamedRange> ranges_;
  std::vector<Instance> instances_;  // as ranges_
  LaunchedKernels kernels_;
  std::set<std::pair<std::uint32_t, std::string_view>> inside_;  // a kernel, the name of a range
  std::unordered_map<std::uint64_t, std::vector<Stretch>> threads_;
  CorrelationJoin<Kernel> join_;
  IntervalSorter sorter_;
};

}  // namespace roofline
